"""The claims ledger: whether statements of the papers hold, on their tables and on runs.

Claims are data, ``data/claims.toml``: a row names the kind of judging and its arguments, and a
kind is a function of :class:`Evidence`. The ledger judges each claim on the printed tables, and on
runs on real features of the data sets that it speaks of, with their scope. "Undecided" is a
verdict too, and states what is missing. Figures of simulated data get no verdict.
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
    evidence_of,
    of_rows,
    printed_evidence,
)
from zslcore.analysis.papers.claims.judging import VERDICTS, Judgment, Verdict
from zslcore.analysis.papers.claims.ledger import CLAIMS, Claim
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import closest_name

__all__ = [
    "BODIES",
    "CLAIMS",
    "PAPERS",
    "VERDICTS",
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
    "judged_as_printed",
    "of_rows",
    "printed_evidence",
]

PAPERS = {
    "GBU": "Xian, Lampert, Schiele, Akata, TPAMI 2019",
    "CAL": "Le Cacheux, Le Borgne, Crucianu, MMM 2019",
    "FAIR": "Huang, Delany, McKeever, VISAPP 2021",
}
Judged = Mapping[str, Mapping[Body, Judgment]]


def get_claims(ids: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims with these ids, all without any.

    Raises UnknownNameError for an unknown id; names the nearest one.
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
    results : stored results, see :meth:`zslcore.results.store.ResultStore.results`
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


@cache
def judged_as_printed() -> Mapping[str, Judgment]:
    """Return every claim, judged on the printed tables alone."""
    found = judge_all(evidence={"printed": printed_evidence()})
    return {id_: of_bodies["printed"] for id_, of_bodies in found.items()}


def as_records(judged: Judged) -> list[dict[str, Any]]:
    """Return judged claims as plain values, for JSON."""
    return [
        {
            "id": id_,
            "paper": CLAIMS[id_].paper,
            "section": CLAIMS[id_].section,
            "statement": CLAIMS[id_].statement,
            "computed": CLAIMS[id_].computed,
            "kind": CLAIMS[id_].kind,
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
    """Return judged claims for the terminal, and how often each verdict was given.

    Of several claims, evidence that decides none of them has one line.
    """
    silent = _decides_nothing(judged) if len(judged) > 1 else []
    judged = {id_: {b: j for b, j in of.items() if b not in silent} for id_, of in judged.items()}
    lines = []
    for id_, of in judged.items():
        claim = CLAIMS[id_]
        lines += [f"{id_}  ({claim.paper}, {claim.section})", f"  {claim.statement}"]
        for body, judgment in of.items():
            sentence = f"{judgment.said} {judgment.scope}".strip()
            lines.append(f"  {BODIES[body]}: {_loud(judgment)}. {sentence}")
        lines.append("")
    unused = ", ".join(BODIES[body] for body in silent)
    return "\n".join([*lines, *_counts(judged), *[f"Deciding no claim: {unused}."] * bool(silent)])


def _decides_nothing(judged: Judged) -> list[Body]:
    """Return the bodies of evidence by which every claim is undecided."""
    return [
        body
        for body in BODIES
        if all(of[body].verdict == "undecided" for of in judged.values() if body in of)
    ]


def _loud(judgment: Judgment) -> str:
    return judgment.words.replace(judgment.verdict, judgment.verdict.upper(), 1)


def _counts(judged: Judged) -> list[str]:
    found = as_table(judged).groupby(["evidence", "verdict"], sort=False).size()
    return [
        f"{BODIES[body]}: " + ", ".join(f"{n} {verdict}" for verdict, n in found[body].items())
        for body in dict.fromkeys(found.index.get_level_values(0))
    ]
