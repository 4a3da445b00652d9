"""The claims ledger: whether statements of the papers hold, on their tables and on runs; findings.

Claims are data, ``data/claims.toml``: a row names its kind, a function of :class:`Evidence`, and
the arguments. "Undecided" is a verdict that states what is missing; figures of simulated data get
no verdict.

Findings on the field's own data, tables and practice are one line and one command each:
``python -m tools.findings`` writes ``data/findings.json``; a test computes each number again.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, Literal

import pandas as pd

from zslcore.analysis.papers.claims.evidence import (
    BODIES,
    FIGURES,
    METHOD_GROUPS,
    Body,
    Evidence,
    UndecidedError,
    evidence_from_rows,
    evidence_of,
    printed_evidence,
)
from zslcore.analysis.papers.claims.judging import (
    Judgment,
    Verdict,
    hand_crafted,
    join_names,
    with_scope,
)
from zslcore.analysis.papers.claims.kinds import KINDS, OF_SHARES
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import closest_name
from zslcore.storage.files import FACTS

SOURCE = FACTS / "claims.toml"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, in our own words, and what is computed to see whether it holds.

    ``spec`` are arguments of the ``kind``, ``printed`` those that differ for the printed
    ``tables``, named as "GBU 3". ``pretraining`` is the required training set of features, others
    are a control. ``printed_only`` and ``not_printed`` say why runs, and print, can never tell,
    ``table_alone`` why a printed table gives a figure of it and no verdict; each is empty where
    they can.
    """

    id: str
    paper: Literal["GBU", "CVPR", "CAL", "FAIR"]
    section: str
    statement: str
    computed: str
    kind: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    pretraining: str = ""
    printed_only: str = ""
    not_printed: str = ""
    table_alone: str = ""

    def judge(self, evidence: Evidence) -> Judgment:
        """Judge the claim on this evidence; "undecided" where something is missing."""
        printed = evidence.body == "printed"
        refused = self.not_printed if printed else self.printed_only
        if refused:
            return Judgment("undecided", refused)
        there = evidence.of_tables(self.tables).of_paper(self.paper, self.data)
        claim = replace(self, spec={**self.spec, **self.printed}) if printed else self
        try:
            if there.figures.empty and not printed:
                raise UndecidedError(f"There is no run on {join_names(self.data, 'or')} here.")
            if not printed:
                there = there.deep()
                if there.figures.empty:
                    return _not_comparable(there)
            if self.pretraining:
                there = there.trained_on(self.pretraining)
            found = KINDS[self.kind](there, claim)
        except UndecidedError as missing:
            return Judgment("undecided", str(missing))
        return self._with_verdict_of_body(found, there)

    def _with_verdict_of_body(self, found: Judgment, evidence: Evidence) -> Judgment:
        """Return a judgment with the verdict that its body of evidence allows."""
        if evidence.body == "printed":
            if not self.table_alone:
                return found
            sentence = f"{self.table_alone} {found.said}"
            return replace(found, verdict="undecided", said=sentence, exceptions="")
        if evidence.body == "simulated":
            sentence = f"{found.said} Data: {join_names(found.data)}."
            return replace(found, verdict="no verdict", said=sentence, exceptions="")
        share = self.spec.get("share", 1.0) if self.kind in OF_SHARES else None
        return with_scope(found, evidence, self.data, self.methods, share)


def _not_comparable(evidence: Evidence) -> Judgment:
    """Return the judgment where all features are hand-crafted and the paper's are deep."""
    data = tuple(hand_crafted(evidence))
    are = "has" if len(data) == 1 else "have"
    sentence = (
        f"{join_names(data)} {are} hand-crafted features, trained on nothing; the paper speaks of "
        "deep ones."
    )
    return Judgment("not comparable", sentence, data=data)


def read_claims(text: str) -> dict[str, Claim]:
    """Read claims from TOML; names of groups stand for their methods and data sets."""
    table = tomllib.loads(text)
    groups = {**METHOD_GROUPS, **table["methods"]}
    claims = [_claim(row, groups, table["data"]) for row in table["claim"]]
    return {claim.id: claim for claim in claims}


def _claim(
    row: Mapping[str, Any], groups: Mapping[str, Any], data: Mapping[str, list[str]]
) -> Claim:
    own = {name: row[name] for name in Claim.__dataclass_fields__ if name in row}
    spec = {name: value for name, value in row.items() if name not in own}
    if isinstance(spec.get("group"), str):
        spec["group"] = groups[spec["group"]]
    named = own.get("methods", ())
    own["methods"] = tuple(groups[named] if isinstance(named, str) else named)
    own["data"] = tuple(data[own["data"]])
    return Claim(**own | {"tables": tuple(own.get("tables", ()))}, spec=spec)


#: All claims, in the order of the papers.
CLAIMS: dict[str, Claim] = read_claims(SOURCE.read_text(encoding="utf-8"))


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
    "CVPR": "Xian, Schiele, Akata, CVPR 2017",
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
    """Return the counts of verdicts by body of evidence, and by paper where there are several."""
    table = as_table(judged)
    lines = []
    for body in dict.fromkeys(table["evidence"]):
        of_body = table[table["evidence"] == body]
        lines.append(f"{BODIES[body]}: {_numbered(of_body)}")
        papers = of_body.groupby("paper", sort=False)
        if len(papers) > 1:
            lines += [f"  {paper}: {_numbered(of_paper)}" for paper, of_paper in papers]
    return lines


def _numbered(table: pd.DataFrame) -> str:
    """Return how often each verdict is given."""
    counts = table["verdict"].value_counts(sort=False)
    return ", ".join(f"{n} {verdict}" for verdict, n in counts.items())


#: Columns that a printed figure and one of ours have in common.
_CELL = ["benchmark", "split", "method", "figure", "chosen_for"]


@dataclass(frozen=True, slots=True, eq=False)
class ReadCells:
    """The figures that a claim is judged on, once each, and other printed tables by name."""

    figures: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]

    def wide(self) -> pd.DataFrame:
        """Return the figures, a row a method and a column a data set, split and figure."""
        if self.figures.empty:
            return pd.DataFrame()
        return _to_wide(self.figures, self.figures)


def _to_wide(rows: pd.DataFrame, figures: pd.DataFrame) -> pd.DataFrame:
    """Return a row a method, a column a heading among all figures."""
    rows = rows.assign(column=[_heading(row, figures) for _, row in rows.iterrows()])
    return rows.pivot_table("value", "method", "column", sort=False, aggfunc="first")


def _heading(row: pd.Series, figures: pd.DataFrame) -> str:
    """Name a column by what distinguishes it from the others."""
    names = [str(row["data"])]
    for column in ("split", "figure", "chosen_for", "table"):
        if (figures[column] != row[column]).any():
            value = str(row[column])
            names.append(f"for {value.upper()}" if column == "chosen_for" else value)
    return ", ".join(names)


def cells_of(id_: str, evidence: Evidence) -> ReadCells:
    """Return the cells that the claim of this id is judged on."""
    read: list[pd.DataFrame | str] = []
    CLAIMS[id_].judge(replace(evidence, read=read))
    rows = [each for each in read if isinstance(each, pd.DataFrame)]
    figures = pd.concat(rows) if rows else pd.DataFrame(columns=list(FIGURES))
    tables = {name: evidence.tables[name] for name in read if isinstance(name, str)}
    return ReadCells(figures[~figures.index.duplicated()], tables)


def with_ours(id_: str, printed: Evidence, ours: Evidence) -> pd.DataFrame:
    """Return the printed cells of a claim, and ours of the same cell as "<column>, ours"."""
    claim, cells = CLAIMS[id_], cells_of(id_, printed)
    wide, figures = cells.wide(), cells.figures
    there = ours.of_paper(claim.paper, claim.data)
    found = [there.rows(figure) for figure in figures["figure"].unique() if there.has(figure)]
    if not found:
        return wide
    values = pd.concat(found).drop_duplicates(_CELL)[[*_CELL, "value"]]
    matched = figures.drop(columns="value").merge(values, on=_CELL)
    if matched.empty:
        return wide
    mine = _to_wide(matched, figures).reindex(wide.index).add_suffix(", ours")
    order = [name for column in wide for name in (column, f"{column}, ours")]
    joined = wide.join(mine)
    return joined[[name for name in order if name in joined]]


FINDINGS_FILE = FACTS / "findings.json"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact that contradicts an expectation, in released files, printed tables or runs.

    ``command`` shows it; FOLDER in it is the released archive.
    """

    id: str
    where: Literal["data", "tables", "runs"]
    said: str
    command: str


#: All findings, in the order in which they are listed.
FINDINGS = tuple(Finding(**row) for row in json.loads(FINDINGS_FILE.read_text(encoding="utf-8")))


def markdown_list() -> str:
    """Return the findings as a list in Markdown, each with its command."""
    return "\n".join(f"- {finding.said} `{finding.command}`" for finding in FINDINGS)
