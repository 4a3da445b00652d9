"""The claims ledger: whether statements of the papers hold, on their tables and on runs.

Every :class:`Claim` is a function of :class:`Evidence` and of nothing else. The ledger judges each
on the printed tables and on the runs on real features of the data sets that the claim speaks of.
"Cannot be told" is a verdict too, and says what is missing. What simulated data give is shown
without a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from zslcore.analysis.papers.claims import action_paper, benchmark_paper, calibration_paper
from zslcore.analysis.papers.claims.evidence import (
    BODIES,
    Body,
    Evidence,
    evidence_of,
    of_rows,
    printed_evidence,
)
from zslcore.analysis.papers.claims.judging import Claim, Judgment, Verdict
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import closest_name

__all__ = [
    "BODIES",
    "CLAIMS",
    "PAPERS",
    "Body",
    "Claim",
    "Evidence",
    "Judgment",
    "Verdict",
    "as_records",
    "as_table",
    "as_text",
    "evidence_of",
    "get_claims",
    "judge_all",
    "of_rows",
    "printed_evidence",
]

#: All claims, in the order of the papers.
CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for paper in (benchmark_paper, calibration_paper, action_paper)
    for claim in paper.CLAIMS
}
PAPERS = {
    "GBU": "Xian, Lampert, Schiele, Akata, TPAMI 2019",
    "CAL": "Le Cacheux, Le Borgne, Crucianu, MMM 2019",
    "FAIR": "Huang, Delany, McKeever, VISAPP 2021",
}
Judged = Mapping[str, Mapping[Body, Judgment]]


def get_claims(ids: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims with these ids, all without any.

    Raises
    ------
    UnknownNameError
        For an id that is none; names the nearest one.
    """
    for name in ids:
        if name not in CLAIMS:
            raise closest_name("claim", name, CLAIMS)
    return tuple(CLAIMS[name] for name in ids or CLAIMS)


def judge_all(
    results: Iterable[RunResult] = (),
    ids: Sequence[str] = (),
    *,
    evidence: Mapping[Body, Evidence] | None = None,
) -> dict[str, dict[Body, Judgment]]:
    """Judge claims on all bodies of evidence.

    Parameters
    ----------
    results : kept results, see :meth:`zslcore.evaluation.store.RunStore.results`
    ids : of claims; all by default
    evidence : in place of the printed tables and these results

    Returns
    -------
    dict, claim id -> body of evidence -> Judgment
    """
    bodies: Mapping[Body, Evidence] = (
        {"printed": printed_evidence(), **evidence_of(results)} if evidence is None else evidence
    )
    return {
        claim.id: {body: claim.judged(each) for body, each in bodies.items()}
        for claim in get_claims(ids)
    }


def as_records(judged: Judged) -> list[dict[str, Any]]:
    """Return judged claims as plain values, for JSON."""
    return [
        {
            "id": id_,
            "paper": CLAIMS[id_].paper,
            "section": CLAIMS[id_].section,
            "statement": CLAIMS[id_].statement,
            "computed": CLAIMS[id_].computed,
            "judgments": {body: asdict(judgment) for body, judgment in of.items()},
        }
        for id_, of in judged.items()
    ]


def as_table(judged: Judged) -> pd.DataFrame:
    """Return one tidy row a claim and body of evidence: id, paper, section, ..., verdict, said."""
    rows = []
    for record in as_records(judged):
        judgments = record.pop("judgments")
        rows += [record | {"evidence": body} | of for body, of in judgments.items()]
    return pd.DataFrame(rows)


def as_text(judged: Judged) -> str:
    """Return judged claims for the terminal, and how often each verdict was given."""
    lines = []
    for id_, of in judged.items():
        claim = CLAIMS[id_]
        lines += [f"{id_}  ({claim.paper}, {claim.section})", f"  {claim.statement}"]
        for body, judgment in of.items():
            lines.append(f"  {BODIES[body]}: {_loud(judgment)}. {judgment.said}")
        lines.append("")
    return "\n".join([*lines, *_counts(judged)])


def _loud(judgment: Judgment) -> str:
    return judgment.words.replace(judgment.verdict, judgment.verdict.upper(), 1)


def _counts(judged: Judged) -> list[str]:
    found = as_table(judged).groupby(["evidence", "verdict"], sort=False).size()
    return [
        f"{BODIES[body]}: " + ", ".join(f"{n} {verdict}" for verdict, n in found[body].items())
        for body in dict.fromkeys(found.index.get_level_values(0))
    ]
