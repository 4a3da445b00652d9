"""Helpers of benchmarks: times, ratios, and files of results.

Since machines differ and may be busy, only the ratio of two timings in one process is comparable.

A file of results states the release, the revisions of method and protocol, and the digest of the
package's sources, so that it can be checked without the git history. New rows have no commit, since
commits may change before they are merged; older rows have their commit if it is in the history.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from joblib import Parallel, delayed

from zslcore.datasets import ZSLDataset, load, read_xlsa17
from zslcore.evaluation.specs import revisions_of
from zslcore.methods import METHODS, get_method
from zslcore.version import read_stamped, sources_digest, version

RESULTS = Path(__file__).parent / "results"
#: Real features in the layout of the benchmark, with one folder per data set.
FOLDER = Path("../shared/data/xlsa17")
#: Data sets in :data:`FOLDER` by name: name in the papers, file and kind of features.
FEATURES = {
    "CUB-vgg_fc7": ("CUB", "vgg_fc7.mat", "CUB, VGG fc7 (trained on ImageNet-1K)"),
    "AWA1-lss": ("AWA1", "lss.mat", "AWA1, local self-similarity (hand-crafted)"),
    "AWA1-phog": ("AWA1", "phog.mat", "AWA1, PHOG (hand-crafted)"),
}
#: Data set and row of a table of results.
Part = tuple[str, str]


@lru_cache(maxsize=1)
def open_features(folder: Path, name: str) -> ZSLDataset:
    """Return a data set with real features from ``folder``; each process reads it once."""
    if name not in FEATURES:
        return load(name)
    benchmark, features, _ = FEATURES[name]
    return read_xlsa17(folder / benchmark, features=features)


# --- Times ----------------------------------------------------------------------------------------


def seconds(function: Callable[[], Any], repeats: int = 1) -> float:
    """Return the median wall time of ``function`` over ``repeats`` calls."""
    return statistics.median(_times(function, repeats, time.perf_counter))


def cpu_seconds(function: Callable[[], object], repeats: int = 2) -> float:
    """Return the minimum CPU seconds of ``function``, nearly independent of other load."""
    return min(_times(function, repeats, time.process_time))


def _times(
    function: Callable[[], object], repeats: int, clock: Callable[[], float]
) -> Iterator[float]:
    """Yield the time of each call, measured with ``clock``."""
    for _ in range(repeats):
        start = clock()
        function()
        yield clock() - start


def report(name: str, ours: float, plain: float, goal: float) -> None:
    """Print one line with both times, their ratio and the goal for the ratio."""
    ratio = plain / ours
    verdict = "reached" if ratio >= goal else "MISSED"
    print(
        f"{name}: {ours:.3g} s, plain {plain:.3g} s, ratio {ratio:.1f}x (goal {goal:g}x {verdict})"
    )


def check(name: str, value: float, unit: str, limit: float) -> bool:
    """Print a value and its upper limit in one line; return whether the limit holds."""
    verdict = "reached" if value <= limit else "MISSED"
    print(f"{name}: {value:.3g} {unit} (limit {limit:g} {unit} {verdict})")
    return value <= limit


def peak_mib() -> float:
    """Return the peak resident memory of this process, including libraries, in MiB."""
    # getrusage would include the memory of the parent process at the fork.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


# --- Files of results -----------------------------------------------------------------------------


def percent(value: float, sign: str = "") -> str:
    """Return a fraction in percent with one digit, never -0.0; "" for a missing value."""
    return "" if pd.isna(value) else f"{100 * value:{sign}z.1f}"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def release_and_sources() -> str:
    """Return the release and the digest of the sources, as the end of a sentence."""
    return f"release {version()}, sources {sources_digest()}"


def with_provenance(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with release and sources added to rows without them.

    Returns
    -------
    DataFrame
        With the columns ``version`` (the release), ``commit`` (empty except in older rows),
        ``revisions`` (JSON, empty without a method) and ``sources``.
    """
    if "sources" not in table:
        named = set(table.get("method", ())) & set(METHODS)
        revisions = {name: json.dumps(revisions_of(get_method(name)())) for name in named}
        revisions_of_rows = table["method"].map(revisions).fillna("") if "method" in table else ""
        return table.assign(
            version=version(), commit="", revisions=revisions_of_rows, sources=sources_digest()
        )
    has_sources = table["sources"].fillna("") != ""
    table = table.fillna(dict.fromkeys(("version", "commit", "revisions", "sources"), ""))
    release = table["version"].str.extract(r"^(\d+(?:\.\d+)*?)(?:\.dev|\+|$)")[0]
    return table.assign(
        version=table["version"].where(~has_sources, release),
        commit=table["commit"].where(~has_sources, ""),
    )


def describe_untraced_rows(table: pd.DataFrame | None) -> str:
    """Return a sentence on the rows without commit and sources; "" without such rows."""
    if table is None or "sources" not in table:
        return ""
    named = (table[["commit", "sources"]].fillna("") != "").any(axis=1)
    count = f"{(~named).sum():,} of {len(table):,} rows"
    return (
        "" if named.all() else f" {count} state neither the commit nor the sources of their code."
    )


def write_results(name: str, text: str, table: pd.DataFrame | None = None) -> None:
    """Write ``results/<name>.md`` and, for a table, ``results/<name>.csv``, with their origin."""
    RESULTS.mkdir(exist_ok=True)
    text = (
        f"{text.rstrip()}\n\nWritten by {release_and_sources()}.{describe_untraced_rows(table)}\n"
    )
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    if table is not None:
        with_provenance(table).to_csv(RESULTS / f"{name}.csv", index=False)


# --- Experiments of many parts --------------------------------------------------------------------


class Experiment(NamedTuple):
    """A table measured part by part; a later run continues with the missing parts.

    Attributes
    ----------
    name : name of the files in ``results/``
    columns : columns of the table that identify a part
    data : data sets, in the order of the table
    packaged : data sets of the package, which need no file
    rows : rows for each data set
    measure : function that returns the rows of a part, with a column "seconds"; other processes
        import it by name, so it must not be defined in ``__main__``
    markdown : function that returns the table as a Markdown page
    """

    name: str
    columns: tuple[str, str]
    data: Sequence[str]
    packaged: Sequence[str]
    rows: Sequence[str]
    measure: Callable[[Path, str, str], pd.DataFrame]
    markdown: Callable[[pd.DataFrame], str]

    def run(self, about: str) -> None:
        """Measure the selected parts that are missing in the file of results."""
        parser = argparse.ArgumentParser(description=about.split("\n")[0])
        parser.add_argument("folder", nargs="?", default=FOLDER, type=Path)
        parser.add_argument("--only", nargs="+", choices=self.data)
        parser.add_argument("--rows", nargs="+", default=self.rows, choices=self.rows)
        parser.add_argument("--jobs", type=int, default=2, help="number of parts at a time")
        parser.add_argument("--again", action="store_true", help="also run finished parts again")
        args = parser.parse_args()
        data = self.data if args.folder.is_dir() else self.packaged
        names = args.only or data
        done = self._done()
        todo = [p for p in product(names, args.rows) if args.again or p not in done]
        parallel = Parallel(args.jobs, return_as="generator", inner_max_num_threads=1)
        measure_part = partial(self.measure, args.folder)
        for part, rows in zip(
            todo, parallel(delayed(measure_part)(*part) for part in todo), strict=True
        ):
            sys.stderr.write(f"{', '.join(part)}: {rows['seconds'].iloc[0]:.0f} s\n")
            done[part] = rows
            order = dict.fromkeys([*product(self.data, self.rows), *done])
            table = pd.concat(done[key] for key in order if key in done)
            write_results(self.name, self.markdown(table), table)

    def _done(self) -> dict[Part, pd.DataFrame]:
        path = RESULTS / f"{self.name}.csv"
        if not path.exists():
            return {}
        parts = read_stamped(path).groupby(list(self.columns))
        return {(str(data), str(row)): rows for (data, row), rows in parts}
