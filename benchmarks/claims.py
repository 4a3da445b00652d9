"""Whether the papers' statements hold, on their tables and on all runs that are at hand.

    python -m benchmarks.claims

Reads the runs that other benchmarks have written to ``results/`` and those of the run store, and
writes ``results/claims.md``: a row a claim, and below it how far our order of methods on real
features and the printed one of the same data sets agree. Nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from benchmarks.writing import RESULTS, keep, markdown_table
from zslcore.analysis.papers.claims import (
    BODIES,
    CLAIMS,
    VERDICTS,
    Body,
    Evidence,
    Judgment,
    judge_all,
    of_rows,
    printed_evidence,
)
from zslcore.analysis.papers.claims.evidence import UndecidedError, result_rows
from zslcore.analysis.papers.claims.judging import mean_ranks
from zslcore.analysis.ranking import agreement
from zslcore.results.store import ResultStore
from zslcore.version import read_stamped

GBU_DATA = CLAIMS["gbu-best-ps"].data
KEPT = {"real": "real_features", "simulated": "simulated_features"}
INTRO = """# Do the papers' statements hold?

`python -m benchmarks.claims` writes this file from the runs in `real_features.csv` and
`simulated_features.csv`{store}.

Each claim is a row of `data/claims.toml` and is judged on the printed tables and on
runs on real features (CUB VGG fc7, AWA1 local self-similarity and PHOG) of the data sets that it
speaks of.
Of a mean difference the whole 95 % t interval has to lie where the claim says; where it reaches
over the end, the claim stays open. Counts have their exact binomial interval. Runs on some of the
data sets or methods that a claim speaks of hold or fail *here*, with their scope, which neither
confirms nor refutes it. Of several features of one benchmark the first counts. PHOG is a control.
What simulated data give has no verdict.
"""


def evidence(of_store: pd.DataFrame) -> dict[Body, Evidence]:
    """Return the printed tables, and all runs there are on real and on simulated data."""
    bodies: dict[Body, Evidence] = {"printed": printed_evidence()}
    for body, name in KEPT.items():
        rows = read_stamped(RESULTS / f"{name}.csv").assign(created="")
        known = set(rows["digest"])
        more = of_store[of_store["digest"].isin(known)] if len(of_store) else of_store
        both = pd.concat([rows, more], ignore_index=True) if len(more) else rows
        both = both.drop(columns=["benchmark", "pretraining"], errors="ignore")
        bodies[body] = of_rows(both, simulated=body == "simulated")
    return bodies


def cell(judgment: Judgment) -> str:
    """Return a verdict with its number and interval."""
    if judgment.number is None:
        return judgment.verdict
    scale = 100 if judgment.unit in ("points", "share", "percent") else 1
    form = {"share": ".0f", "p": ".3f", "tau": ".2f"}.get(judgment.unit, ".1f")
    unit = {"points": " points", "share": " %", "place": " (mean rank)"}.get(judgment.unit, "")
    name = {"p": "p = ", "tau": "τ = "}.get(judgment.unit, "")
    text = f"{name}{scale * judgment.number:{form}}{unit}"
    if judgment.low is not None:
        text += f" ({scale * judgment.low:{form}} to {scale * judgment.high:{form}})"
    return f"**{judgment.words}**: {text.replace('-', '−')}"


def claims_table(judged: Mapping[str, Mapping[Body, Judgment]]) -> Iterator[str]:
    head = ["claim", "statement", *BODIES.values()]
    rows = (
        [f"`{id_}`", CLAIMS[id_].statement, *(cell(of[body]) for body in BODIES)]
        for id_, of in judged.items()
    )
    return markdown_table(head, rows)


def agreements(bodies: Mapping[Body, Evidence]) -> Iterator[str]:
    """Yield how far our mean ranks and the printed ones of the same data sets agree."""
    rows = []
    for figure in ("zsl", "u", "s", "H"):
        tables = ("GBU 3",) if figure == "zsl" else ("GBU 6",)
        real = bodies["real"].of_paper("GBU", GBU_DATA)
        try:
            ours = real.compared(figure)
        except UndecidedError:
            continue
        on = ours.index.get_level_values("data").map(
            dict(zip(real.figures["data"], real.figures["benchmark"], strict=True))
        )
        printed = bodies["printed"].of_tables(tables).compared(figure)
        printed = printed[printed.index.get_level_values("data").isin(on)]
        methods = ours.columns.intersection(printed.columns)
        found = agreement(-mean_ranks(ours)[methods], -mean_ranks(printed)[methods])
        interval = f"{found.low:.2f} to {found.high:.2f}"
        text = [f"{found.tau:.2f}", interval]
        names = [figure.upper() if figure == "zsl" else figure, ", ".join(on)]
        rows.append([*names, *(each.replace("-", "−") for each in text), str(found.methods)])
    return markdown_table(
        ["figure, PS", "data sets", "Kendall's τ", "95 % interval", "methods"], rows
    )


def verdict_counts(judged: Mapping[str, Mapping[Body, Judgment]]) -> list[str]:
    """Return how often each verdict was given, a line a body of evidence."""
    lines = []
    for body, title in BODIES.items():
        given = [of[body].verdict for of in judged.values()]
        there = [f"{given.count(v)} {word}" for v, word in VERDICTS.items() if v in given]
        lines.append(f"- {title}: {', '.join(there)}")
    return lines


def main() -> None:
    of_store = result_rows(ResultStore().results())
    bodies = evidence(of_store)
    judged = judge_all(evidence=bodies)
    counts = verdict_counts(judged)
    store = f" and from {len(of_store)} runs of the run store" if len(of_store) else ""
    lines = [
        INTRO.format(store=store),
        *counts,
        "",
        *claims_table(judged),
        "",
        "## Ranks, ours and printed",
        "",
    ]
    lines += [
        "Mean ranks over the same data sets, of the methods of table 3 that are on all of them, as",
        "the benchmark paper ran them. CUB has VGG fc7 here and AWA1 hand-crafted features, where",
        "the paper has ResNet-101.",
        "",
        *agreements(bodies),
    ]
    lines += ["", "## Why, in words", ""]
    for id_, of in judged.items():
        lines += [f"**`{id_}`** {CLAIMS[id_].statement}", ""]
        lines += [f"- {BODIES[body]}: {of[body].words}. {of[body].said}" for body in BODIES]
        lines.append("")
    keep("claims", "\n".join(lines))
    print("\n".join(counts))


if __name__ == "__main__":
    main()
