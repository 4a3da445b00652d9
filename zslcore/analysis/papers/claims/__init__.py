"""The claims ledger: whether statements of the papers hold, on their tables and on runs.

Claims are data, ``data/claims.toml``: a row names its kind, a function of :class:`Evidence`, and
the arguments. "Undecided" is a verdict that states what is missing; figures of simulated data get
no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import pandas as pd

from zslcore.analysis.papers.claims.evidence import (
    BODIES,
    Body,
    Evidence,
    evidence_from_rows,
    evidence_of,
    printed_evidence,
)
from zslcore.analysis.papers.claims.judging import Judgment, Verdict
from zslcore.analysis.papers.claims.ledger import CLAIMS, Claim
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
    "evidence_from_rows",
    "evidence_of",
    "get_claims",
    "judge_all",
    "judged_as_printed",
    "printed_evidence",
]

PAPERS = {
    "GBU": "Xian, Lampert, Schiele, Akata, TPAMI 2019",
    "CAL": "Le Cacheux, Le Borgne, Crucianu, MMM 2019",
    "FAIR": "Huang, Delany, McKeever, VISAPP 2021",
}
#: Fields of a claim in its record.
_OF_RECORD = ("id", "paper", "section", "statement", "computed", "kind")
Judged = Mapping[str, Mapping[Body, Judgment]]


def get_claims(ids: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims with these ids, by default all; refuse an unknown id."""
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
    """Judge claims, by default all, on all evidence: claim id -> body of evidence -> Judgment."""
    bodies: Mapping[Body, Evidence] = (
        {"printed": printed_evidence(), **evidence_of(results)} if evidence is None else evidence
    )
    return {
        claim.id: {body: claim.judge(each) for body, each in bodies.items()}
        for claim in get_claims(ids)
    }


@cache
def judged_as_printed() -> Mapping[str, Judgment]:
    """Return every claim, judged on the printed tables alone."""
    found = judge_all(evidence={"printed": printed_evidence()})
    return {id_: of_bodies["printed"] for id_, of_bodies in found.items()}


def as_records(judged: Judged) -> list[dict[str, Any]]:
    """Return judged claims as plain values, for JSON."""
    return [
        {
            **{name: getattr(CLAIMS[id_], name) for name in _OF_RECORD},
            "judgments": {body: asdict(judgment) for body, judgment in of.items()},
        }
        for id_, of in judged.items()
    ]


def as_table(judged: Judged) -> pd.DataFrame:
    """Return a row a claim and body of evidence: the claim's fields, then the judgment's."""
    rows = []
    for record in as_records(judged):
        judgments = record.pop("judgments")
        rows += [record | {"evidence": body} | of for body, of in judgments.items()]
    return pd.DataFrame(rows)


def as_text(judged: Judged) -> str:
    """Return judged claims and counts of verdicts; evidence that decides none has one line."""
    silent = _undecided_bodies(judged) if len(judged) > 1 else []
    judged = {id_: {b: j for b, j in of.items() if b not in silent} for id_, of in judged.items()}
    lines = []
    for id_, of in judged.items():
        claim = CLAIMS[id_]
        lines += [f"{id_}  ({claim.paper}, {claim.section})", f"  {claim.statement}"]
        for body, judgment in of.items():
            sentence = f"{judgment.said} {judgment.scope}".strip()
            lines.append(f"  {BODIES[body]}: {_verdict_in_capitals(judgment)}. {sentence}")
        lines.append("")
    unused = ", ".join(BODIES[body] for body in silent)
    return "\n".join([*lines, *_counts(judged), *[f"Deciding no claim: {unused}."] * bool(silent)])


def _undecided_bodies(judged: Judged) -> list[Body]:
    """Return the bodies of evidence by which every claim is undecided."""
    return [
        body
        for body in BODIES
        if all(of[body].verdict == "undecided" for of in judged.values() if body in of)
    ]


def _verdict_in_capitals(judgment: Judgment) -> str:
    return judgment.words.replace(judgment.verdict, judgment.verdict.upper(), 1)


def _counts(judged: Judged) -> list[str]:
    found = as_table(judged).groupby(["evidence", "verdict"], sort=False).size()
    return [
        f"{BODIES[body]}: " + ", ".join(f"{n} {verdict}" for verdict, n in found[body].items())
        for body in dict.fromkeys(found.index.get_level_values(0))
    ]
