"""Coverage of the intervals in the study of actions.

    python -m benchmarks.actions [--repetitions 200]

In each of 200 simulated worlds, as many classes of UCF101 overlap as are in Kinetics-400. They are
drawn at random, so easy classes overlap only by chance. Each world is used twice: overlapping
classes have an advantage in the second run only. In each run, a fast method is fitted
on 30 draws, and an interval over classes is computed for the difference between the gain of the
pre-trained features and that of the baseline features. The printed table has the share of intervals
that contain 0; it is in ``benchmarks/results/actions.md`` under Coverage. The rest of that file is
the study itself, computed by ``zslcore reproduce fair:figure2``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.measuring import markdown_table, percent
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS
from zslcore.analysis.overlap import fair_draws, overlap_study, study_summary
from zslcore.datasets.facts import action_facts
from zslcore.datasets.simulated_actions import EXTRACTORS, small_world
from zslcore.methods import get_method

#: Videos per class in each world.
VIDEOS = 10


def _repetition(seed: int, planted: bool, n_draws: int = DRAWS) -> dict[str, float]:
    """Return the gain minus the baseline's gain in one world, with its interval over classes."""
    configuration = CONFIGURATIONS["OS1"]
    overlapping = np.random.default_rng(seed).permutation(configuration.overlapping)
    kinetics = EXTRACTORS["kinetics"]
    facts = action_facts("UCF101")
    sets = {
        name: small_world(facts, extractor, overlapping, videos=VIDEOS, seed=seed)
        for name, extractor in (
            ("baseline", EXTRACTORS["idt"]),
            ("trained", kinetics if planted else kinetics.unplanted),
        )
    }
    draws = fair_draws(overlapping, n_ouc=25, n_tuc=25, n_train=51, n_draws=n_draws, seed=seed)
    study = overlap_study({"": get_method("LinearS2V")()}, sets, draws)
    table = study_summary(study, baseline="baseline", n_resamples=1000, seed=seed)
    gain = table.set_index("features").loc["trained"]
    columns = {"gain_minus_baseline": "minus", "minus_low": "low", "minus_high": "high"}
    return gain.rename(columns | {"minus_p": "p"})[["minus", "low", "high", "p"]].to_dict()


def coverage(repetitions: int) -> Iterator[str]:
    start = time.perf_counter()
    rows = []
    for planted in (False, True):
        table = pd.DataFrame([_repetition(seed, planted) for seed in range(repetitions)])
        holds = ((table["low"] <= 0) & (table["high"] >= 0)).mean()
        rows.append(
            [
                "planted" if planted else "none",
                str(repetitions),
                percent(table["minus"].mean(), "+"),
                percent(holds),
                percent((table["p"] < 0.05).mean()),
            ]
        )
        sys.stderr.write(f"{rows[-1]}, {time.perf_counter() - start:.0f} s\n")
    yield (
        f"Worlds with {VIDEOS} videos per class, {DRAWS} draws each, LinearS2V; "
        f"{time.perf_counter() - start:.0f} seconds.\n"
    )
    head = [
        "effect",
        "worlds",
        "mean gain - baseline",
        "intervals that contain 0, %",
        "p below 0.05, %",
    ]
    yield from markdown_table(head, rows)
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200)
    print("\n".join(coverage(parser.parse_args().repetitions)))


if __name__ == "__main__":
    main()
