"""Benchmarks of many parts that keep what is measured after every part, and go on from there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from benchmarks.real_features import sources
from benchmarks.writing import RESULTS, keep
from zslcore.datasets import ZSLDataset, load
from zslcore.version import read_stamped

#: Data set and row, as a table of results names them.
Part = tuple[str, str]


@lru_cache(maxsize=1)
def opened(folder: Path, name: str) -> ZSLDataset:
    """Return a data set, real features from ``folder``, read once in every process."""
    return load(name) if name.startswith("simulated-") else sources(folder)[name].open()


def go_on(
    name: str,
    columns: tuple[str, str],
    asked: Sequence[Part],
    order: Sequence[Part],
    measure: Callable[[str, str], pd.DataFrame],
    markdown: Callable[[pd.DataFrame], str],
    *,
    jobs: int,
    again: bool,
) -> None:
    """Measure what the file of results does not hold, and write it after every part.

    Parameters
    ----------
    name : of the files below ``results/``
    columns : of the table, which name a part
    asked : what is wanted
    order : parts as they follow each other in the table, others behind them
    measure : returns the rows of a part, with a column "seconds"; other processes have to find it
        by its name, so it may not live in ``__main__``
    markdown : returns the table as a page
    jobs : parts at a time
    again : also what is finished
    """
    path = RESULTS / f"{name}.csv"
    done: dict[Part, pd.DataFrame] = {}
    if path.exists():
        for (dataset, row), rows in read_stamped(path).groupby(list(columns)):
            done[str(dataset), str(row)] = rows
    todo = [part for part in asked if again or part not in done]
    work = Parallel(jobs, return_as="generator", inner_max_num_threads=1)
    for part, rows in zip(todo, work(delayed(measure)(*part) for part in todo), strict=True):
        sys.stderr.write(f"{', '.join(part)}: {rows['seconds'].iloc[0]:.0f} s\n")
        done[part] = rows
        table = pd.concat(done[key] for key in dict.fromkeys([*order, *done]) if key in done)
        keep(name, markdown(table), table)
