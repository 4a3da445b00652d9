"""The fairer evaluation's study of actions at its size: its time, and whether it says the truth.

    python -m benchmarks.actions [time] [coverage] [--draws 30] [--repetitions 200]

``time`` makes the study of 101 classes: four extractors, two kinds of prototypes, five methods with
the paper's parameters, 30 draws of OS1, as the app does, in a child process; then requests it
again from the store, and once more when only its fits are stored.

``coverage`` draws 200 worlds. In each, which classes overlap is drawn anew, with as many as in
Kinetics-400, so that easy classes are on either side by chance; known classes then have an
advantage, or none. Of 30 draws with a fast method it counts how many intervals over classes of the
gain minus the baseline's hold 0.

Writes ``benchmarks/results/actions.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import RESULTS, keep, markdown_table, percent
from zslcore import jobs
from zslcore.analysis import action_tables
from zslcore.analysis.action_fits import ActionStudy, stored_fit
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, PAPER, ActionSpec, simulated_sets
from zslcore.analysis.overlap import fair_draws, gain_difference, overlap_study
from zslcore.datasets import load
from zslcore.datasets.action_facts import action_facts
from zslcore.datasets.simulated_actions import EXTRACTORS, small_world
from zslcore.jobs.studies import result
from zslcore.methods import get_method

PARTS = ("time", "coverage")
#: Videos of each class in the worlds of coverage.
VIDEOS = 10
HEAD = """\
# The study of actions: time, and coverage of its intervals

`python -m benchmarks.actions` writes this file. All data are simulated.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--repetitions", type=int, default=200)
    args = parser.parse_args()
    made = {"time": lambda: _time(args.draws), "coverage": lambda: _coverage(args.repetitions)}
    written = _written()
    for part in args.parts:
        written[part] = "\n".join(made[part]())
        keep("actions", "\n".join([HEAD, *(written[name] for name in PARTS if name in written)]))


def _written() -> dict[str, str]:
    """Return the parts that an earlier call has left."""
    path = RESULTS / "actions.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    titles = {"time": "## Time", "coverage": "## Coverage"}
    found = {}
    for name, title in titles.items():
        if title in text:
            body = text[text.index(title) :]
            ends = [body.index(end, 3) for end in ("\n## ", "\nWritten by") if end in body[3:]]
            found[name] = body[: min(ends)].rstrip() + "\n"
    return found


# --- Time -----------------------------------------------------------------------------------------


def _time(n_draws: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ZSL_DATA"] = folder
        spec = ActionSpec(
            "OS1", simulated_sets(CONFIGURATIONS["OS1"]), tuple(PAPER), n_draws=n_draws
        )
        work = ActionStudy.of(spec, {each.dataset: load(each.dataset) for each in spec.sets})
        first = _seconds(work)
        again = _seconds(work)
        began = time.perf_counter()
        study = result(work)
        gains = action_tables.action_gains(study, "idt", configuration="OS1")
        summary = time.perf_counter() - began
        digests = {each.dataset: load(each.dataset).digest for each in spec.sets}
        units = spec.with_digests(digests).units()
        cost = _cost(units)
        for path in (Path(folder) / "jobs").glob(work.key):
            for file in path.iterdir():
                file.unlink()
        from_fits = _seconds(work)
        jobs.close()
    yield "## Time\n"
    yield (
        f"OS1 on simulated UCF101: {len(spec.units()):,} fits on {os.cpu_count()} cores "
        f"(load at the end {os.getloadavg()[2]:.1f} over 15 minutes). Processor time of all fits: "
        f"{cost.sum():.0f} seconds, that is {cost.sum() / 2 / 60:.1f} minutes on two idle cores; a "
        "fit takes "
        + ", ".join(f"{s:.2f} ({name})" for name, s in cost.groupby(level=0).mean().items())
        + ".\n"
    )
    rows = [
        ("all fits", first),
        ("requested again, stored", again),
        ("its table read and summarised", summary),
        ("table lost, every fit stored", from_fits),
    ]
    yield from markdown_table(["what", "seconds"], [[name, f"{s:.1f}"] for name, s in rows])
    yield "\nGain minus that of IDT, percent; intervals 95 %, p adjusted after Holm.\n"
    yield from _gain_table(gains)
    yield ""


def _cost(units) -> pd.Series:
    """Return the processor time of every fit, by method."""
    return pd.Series([stored_fit(unit).seconds for unit in units], [unit.method for unit in units])


def _seconds(work) -> float:
    began = time.perf_counter()
    if jobs.finished(work) is None:
        jobs.submit(work)
        while (status := jobs.wait(work.key, 30)).active:
            sys.stderr.write(f"{status.done:.0f} of {status.total:.0f}, {status.message}\n")
    assert jobs.finished(work) is not None, jobs.status(work.key)
    return time.perf_counter() - began


def _gain_table(gains: pd.DataFrame) -> Iterator[str]:
    head = ["features", "prototypes", "method", "accuracy", "gain - IDT", "over classes",
            "over draws", "p, Holm", "printed"]  # fmt: skip
    rows = (
        [
            row.features,
            row.semantics,
            row.method,
            percent(row.all),
            percent(row.minus, "+"),
            f"{percent(row.minus_low, '+')} to {percent(row.minus_high, '+')}",
            f"{percent(row.draws_low, '+')} to {percent(row.draws_high, '+')}",
            f"{row.p_holm:.3g}",
            percent(row.printed, "+"),
        ]
        for row in gains.dropna(subset="minus").itertuples()
    )
    return markdown_table(head, rows)


# --- Coverage -------------------------------------------------------------------------------------


def _repetition(seed: int, planted: bool, n_draws: int = DRAWS) -> dict[str, float]:
    """Return the gain minus the baseline's in one world, with its interval over classes."""
    configuration = CONFIGURATIONS["OS1"]
    known = np.random.default_rng(seed).permutation(configuration.overlapping)
    kinetics = EXTRACTORS["kinetics"]
    facts = action_facts("UCF101")
    sets = {
        name: small_world(facts, extractor, known, videos=VIDEOS, seed=seed)
        for name, extractor in (
            ("baseline", EXTRACTORS["idt"]),
            ("trained", kinetics if planted else kinetics.unplanted),
        )
    }
    draws = fair_draws(known, n_ouc=25, n_tuc=25, n_train=51, n_draws=n_draws, seed=seed)
    study = overlap_study({"": get_method("LinearS2V")()}, sets, draws)
    parts = dict(list(study.groupby("features")))
    found = gain_difference(parts["trained"], parts["baseline"], n_resamples=1000, seed=seed)
    low, high = found.interval
    return {"minus": found.difference, "low": low, "high": high, "p": found.p}


def _coverage(repetitions: int) -> Iterator[str]:
    began = time.perf_counter()
    rows = []
    for planted in (False, True):
        found = pd.DataFrame([_repetition(seed, planted) for seed in range(repetitions)])
        holds = ((found["low"] <= 0) & (found["high"] >= 0)).mean()
        rows.append(
            [
                "planted" if planted else "none",
                str(repetitions),
                percent(found["minus"].mean(), "+"),
                percent(holds),
                percent((found["p"] < 0.05).mean()),
            ]
        )
        sys.stderr.write(f"{rows[-1]}, {time.perf_counter() - began:.0f} s\n")
    yield "## Coverage\n"
    yield (
        f"Worlds with {VIDEOS} videos a class, {DRAWS} draws each, LinearS2V; "
        f"{time.perf_counter() - began:.0f} seconds.\n"
    )
    head = ["effect", "worlds", "mean gain - baseline", "intervals that hold 0, %",
            "p below 0.05, %"]  # fmt: skip
    yield from markdown_table(head, rows)
    yield ""


if __name__ == "__main__":
    main()
