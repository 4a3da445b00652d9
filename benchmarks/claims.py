"""Whether the papers' statements hold, on their tables and on all runs that are at hand.

    python -m benchmarks.claims

Reads the runs that other benchmarks have written to ``results/`` and those of the run store, and
writes ``results/claims.md``: a row a claim, and below it how far our order of methods and the
printed one agree. Nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from benchmarks.writing import RESULTS, keep, markdown_table
from zslcore.analysis.claims import (
    BODIES,
    CLAIMS,
    Body,
    Evidence,
    Judgment,
    judge_all,
    of_rows,
    printed_evidence,
)
from zslcore.analysis.claims.evidence import CannotTellError, kept_rows
from zslcore.analysis.claims.judging import mean_ranks
from zslcore.analysis.comparison import LEAST_IN_ORDER
from zslcore.analysis.ranking import agreement
from zslcore.runs import RunStore
from zslcore.version import read_stamped

KEPT = {"real": "real_features", "simulated": "simulated_features"}
INTRO = """# Do the papers' statements hold?

`python -m benchmarks.claims` writes this file from the runs in `real_features.csv` and
`simulated_features.csv` and from the run store.

Each claim is code (`zslcore/analysis/claims/`) and is judged on the printed tables, on runs on real
features (CUB VGG fc7, AWA1 local self-similarity and PHOG) and on runs on simulated data. Of a mean
difference the whole 95 % t interval has to lie where the claim says; where it reaches over the end,
nothing can be told. Counts have their exact binomial interval. The AWA1 features are hand-crafted,
and all methods lie close together on them.
"""


def evidence() -> dict[Body, Evidence]:
    """Return the printed tables, and all runs there are on real and on simulated data."""
    of_store = kept_rows(RunStore().results())
    bodies: dict[Body, Evidence] = {"printed": printed_evidence()}
    for body, name in KEPT.items():
        rows = read_stamped(RESULTS / f"{name}.csv").assign(created="")
        known = set(rows["digest"])
        more = of_store[of_store["digest"].isin(known)] if len(of_store) else of_store
        both = pd.concat([rows, more], ignore_index=True) if len(more) else rows
        both = both.drop(columns="benchmark", errors="ignore")
        bodies[body] = of_rows(both, simulated=body == "simulated")
    return bodies


def cell(judgment: Judgment) -> str:
    """Return a verdict with its number and interval."""
    if judgment.number is None:
        return judgment.verdict
    scale = 100 if judgment.unit in ("points", "share", "percent") else 1
    form = ".0f" if judgment.unit == "share" else ".3f" if judgment.unit == "p" else ".1f"
    unit = {"points": " points", "share": " %", "place": " (mean rank)"}.get(judgment.unit, "")
    name = {"p": "p = ", "tau": "τ = "}.get(judgment.unit, "")
    text = f"{name}{scale * judgment.number:{form}}{unit}"
    if judgment.low is not None:
        text += f" ({scale * judgment.low:{form}} to {scale * judgment.high:{form}})"
    return f"**{judgment.verdict}**: {text}".replace("-", "−")


def claims_table(judged: Mapping[str, Mapping[Body, Judgment]]) -> Iterator[str]:
    head = ["claim", "statement", *BODIES.values()]
    rows = (
        [f"`{id_}`", CLAIMS[id_].statement, *(cell(of[body]) for body in BODIES)]
        for id_, of in judged.items()
    )
    return markdown_table(head, rows)


def agreements(bodies: Mapping[Body, Evidence]) -> Iterator[str]:
    """Yield how far our mean ranks on real features and the printed ones agree, by figure."""
    rows = []
    for figure in ("zsl", "u", "s", "H"):
        tables = ("GBU 3",) if figure == "zsl" else ("GBU 6",)
        printed = mean_ranks(bodies["printed"].of_tables(tables).compared(figure))
        try:
            ours = mean_ranks(bodies["real"].compared(figure)).reindex(printed.index)
        except CannotTellError:
            continue
        if ours.notna().sum() < LEAST_IN_ORDER:
            continue
        found = agreement(-ours, -np.asarray(printed))
        interval = f"{found.low:.2f} to {found.high:.2f}"
        text = [f"{found.tau:.2f}", interval, str(found.methods)]
        rows.append([figure, *(each.replace("-", "−") for each in text)])
    return markdown_table(["figure, PS", "Kendall's τ", "95 % interval", "methods"], rows)


def main() -> None:
    bodies = evidence()
    judged = judge_all(evidence=bodies)
    counts = [
        f"- {BODIES[body]}: "
        + ", ".join(
            f"{sum(of[body].verdict == verdict for of in judged.values())} {words}"
            for verdict, words in (
                ("holds", "hold"),
                ("does not hold", "do not"),
                ("cannot be told", "cannot be told"),
            )
        )
        for body in BODIES
    ]
    lines = [INTRO, *counts, "", *claims_table(judged), "", "## Ranks, ours and printed", ""]
    lines += [
        "Mean ranks over data sets of real features, of the methods of table 3 that are on all of "
        "them.",
        "",
        *agreements(bodies),
    ]
    lines += ["", "## Why, in words", ""]
    for id_, of in judged.items():
        lines += [f"**`{id_}`** {CLAIMS[id_].statement}", ""]
        lines += [f"- {BODIES[body]}: {of[body].verdict}. {of[body].said}" for body in BODIES]
        lines.append("")
    keep("claims", "\n".join(lines))
    print("\n".join(counts))


if __name__ == "__main__":
    main()
