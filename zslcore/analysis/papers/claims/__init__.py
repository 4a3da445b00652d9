"""Verdicts on statements of the papers, from their tables and from runs; and findings.

A claim has a text in ``data/claims.toml``, and a function of :class:`ClaimEvidence` in
:mod:`zslcore.analysis.papers.claims.statements`, under the same id. The verdict "undecided" states
the missing evidence; simulated data get no verdict.

A finding on the data, tables or practice of the field has one sentence and one command. ``python -m
tools.findings`` writes ``data/findings.json``, and a test computes each number again. ``python -m
tools.lint`` compares the printed tables with each other and with the released files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import pandas as pd

from zslcore.analysis.papers.claims.evidence import (
    BODIES,
    METHOD_GROUPS,
    Body,
    ClaimEvidence,
    ReadCells,
    UndecidedError,
    evidence_of,
    join_names,
    printed_evidence,
    to_wide,
)
from zslcore.analysis.papers.claims.judging import Judgment, add_scope, hand_crafted
from zslcore.analysis.papers.claims.statements import JUDGES
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import closest_name
from zslcore.numbers import counted
from zslcore.storage.files import FACTS


@dataclass(frozen=True, slots=True)
class Claim:
    """Statement of a paper in our own words, with the computation that tests it.

    ``data`` and ``methods`` are the data sets and methods of the claim; empty ``methods`` stands
    for all methods. ``tables`` are its printed tables, such as "GBU 3"; ``pretraining`` is the
    pre-training set that features must have. Three fields are reasons, or empty: ``printed_only``,
    why runs cannot decide the claim; ``not_printed``, why printed tables cannot; ``table_alone``,
    why a printed table gives a number but no verdict.
    """

    id: str
    paper: str
    section: str
    statement: str
    computed: str
    data: tuple[str, ...]
    methods: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    pretraining: str = ""
    printed_only: str = ""
    not_printed: str = ""
    table_alone: str = ""

    def judge(self, evidence: ClaimEvidence) -> Judgment:
        """Judge the claim on this evidence; it is "undecided" if evidence is missing."""
        printed, cells = evidence.body == "printed", ReadCells()
        if refused := self.not_printed if printed else self.printed_only:
            return Judgment("undecided", refused)
        claim_evidence = evidence.of_tables(self.tables).of_paper(self.paper, self.data)
        claim_evidence = replace(
            claim_evidence, benchmarks=self.data, methods=self.methods, cells=cells
        )
        try:
            if not printed:
                if claim_evidence.metrics.empty:
                    raise UndecidedError(f"No run on {join_names(self.data, 'or')} is available.")
                claim_evidence = claim_evidence.separate_controls()
                if claim_evidence.metrics.empty:
                    return _not_comparable(claim_evidence)
            if self.pretraining:
                claim_evidence = claim_evidence.select_pretraining(self.pretraining)
            judgment = self._limit_verdict(JUDGES[self.id](claim_evidence), claim_evidence)
        except UndecidedError as missing:
            judgment = Judgment("undecided", str(missing))
        return replace(judgment, cells=cells)

    def _limit_verdict(self, judgment: Judgment, evidence: ClaimEvidence) -> Judgment:
        """Limit a judgment to the verdict that its body of evidence allows."""
        if evidence.body == "printed":
            if not self.table_alone:
                return judgment
            sentence = f"{self.table_alone} {judgment.sentence}"
            return replace(judgment, verdict="undecided", sentence=sentence, exceptions="")
        if evidence.body == "simulated":
            sentence = f"{judgment.sentence} Data: {join_names(judgment.data)}."
            return replace(judgment, verdict="no verdict", sentence=sentence, exceptions="")
        return add_scope(judgment, evidence)


def _not_comparable(evidence: ClaimEvidence) -> Judgment:
    """Return the judgment for hand-crafted features, if the paper uses deep features."""
    data = tuple(hand_crafted(evidence))
    verb = "has" if len(data) == 1 else "have"
    sentence = (
        f"{join_names(data)} {verb} hand-crafted features without pre-training; the paper has "
        "deep features."
    )
    return Judgment("not comparable", sentence, data=data)


_TOML = tomllib.loads((FACTS / "claims.toml").read_text(encoding="utf-8"))
#: Short name of a paper -> its title.
PAPERS: Mapping[str, str] = {name: paper["title"] for name, paper in _TOML["paper"].items()}


def _read_claim(id_: str, row: Mapping[str, Any]) -> Claim:
    """Return a claim with its paper's defaults, and names for groups of methods and data sets."""
    paper = id_.partition("-")[0].upper()
    row = {**_TOML["paper"][paper], **row}
    del row["title"]
    groups = {**METHOD_GROUPS, **_TOML["methods"]}
    methods = row.pop("methods", ())
    return Claim(
        id=id_,
        paper=paper,
        data=tuple(_TOML["data"][row.pop("data")]),
        methods=tuple(groups[methods] if isinstance(methods, str) else methods),
        tables=tuple(row.pop("tables", ())),
        **row,
    )


#: All claims, in the order of the papers.
CLAIMS: Mapping[str, Claim] = {id_: _read_claim(id_, row) for id_, row in _TOML["claim"].items()}

#: Fields of claims, and of judgments, in records.
_CLAIM_FIELDS = ("id", "paper", "section", "statement", "computed")
_JUDGMENT_FIELDS = (
    *("verdict", "sentence", "number", "low", "high", "unit", "data", "methods", "exceptions"),
    *("where", "scope", "comparison"),
)
Judgments = Mapping[str, Mapping[Body, Judgment]]


def get_claims(ids: Sequence[str] = ()) -> tuple[Claim, ...]:
    """Return the claims with these ids, by default all; refuse unknown ids."""
    for name in ids:
        if name not in CLAIMS:
            raise closest_name("claim", name, CLAIMS)
    return tuple(CLAIMS[name] for name in ids or CLAIMS)


def judge_all(
    results: Iterable[RunResult] = (),
    ids: Sequence[str] = (),
    *,
    evidence: Mapping[Body, ClaimEvidence] | None = None,
) -> dict[str, dict[Body, Judgment]]:
    """Judge claims, by default all, on each body of evidence: id -> body -> Judgment."""
    bodies: Mapping[Body, ClaimEvidence] = (
        {"printed": printed_evidence(), **evidence_of(results)} if evidence is None else evidence
    )
    return {
        claim.id: {body: claim.judge(evidence) for body, evidence in bodies.items()}
        for claim in get_claims(ids)
    }


@cache
def judge_on_printed_tables() -> Mapping[str, Judgment]:
    """Judge all claims on the printed tables only."""
    judged = judge_all(evidence={"printed": printed_evidence()})
    return {id_: of_bodies["printed"] for id_, of_bodies in judged.items()}


def as_records(judged: Judgments) -> list[dict[str, Any]]:
    """Return judged claims as JSON values."""
    return [
        {
            **{name: getattr(CLAIMS[id_], name) for name in _CLAIM_FIELDS},
            "judgments": {
                body: {name: getattr(judgment, name) for name in _JUDGMENT_FIELDS}
                for body, judgment in judgments.items()
            },
        }
        for id_, judgments in judged.items()
    ]


def judgment_table(judged: Judgments) -> pd.DataFrame:
    """Return one row per claim and body of evidence, with the judgment."""
    rows = []
    for record in as_records(judged):
        judgments = record.pop("judgments")
        rows += [record | {"evidence": body} | judgment for body, judgment in judgments.items()]
    return pd.DataFrame(rows)


def as_text(judged: Judgments) -> str:
    """Return judgments and counts of verdicts as text; one line for bodies without a verdict."""
    unused_bodies = [
        body
        for body in BODIES
        if len(judged) > 1
        and all(
            judgments[body].verdict == "undecided"
            for judgments in judged.values()
            if body in judgments
        )
    ]
    judged = {
        id_: {b: j for b, j in judgments.items() if b not in unused_bodies}
        for id_, judgments in judged.items()
    }
    lines = []
    for id_, judgments in judged.items():
        claim = CLAIMS[id_]
        lines += [f"{id_}  ({claim.paper}, {claim.section})", f"  {claim.statement}"]
        for body, judgment in judgments.items():
            sentence = f"{judgment.sentence} {judgment.scope}".strip()
            verdict = judgment.words.replace(judgment.verdict, judgment.verdict.upper(), 1)
            lines.append(f"  {BODIES[body]}: {verdict}. {sentence}")
        lines.append("")
    unused = ", ".join(BODIES[body] for body in unused_bodies)
    return ("\n").join(
        [*lines, *_counts(judged), *[f"No claim is decided by: {unused}."] * bool(unused_bodies)]
    )


def _counts(judged: Judgments) -> list[str]:
    """Return lines with the counts of verdicts by body of evidence and paper."""
    table = judgment_table(judged)
    lines = []
    for body in dict.fromkeys(table["evidence"]):
        of_body = table[table["evidence"] == body]
        lines.append(f"{BODIES[body]}: {_count_text(of_body)}")
        papers = of_body.groupby("paper", sort=False)
        if len(papers) > 1:
            lines += [f"  {paper}: {_count_text(of_paper)}" for paper, of_paper in papers]
    return lines


def _count_text(table: pd.DataFrame) -> str:
    """Return the counts of verdicts as text."""
    counts = table["verdict"].value_counts(sort=False)
    return ", ".join(f"{verdict} {n}" for verdict, n in counts.items())


#: Columns that identify a cell in printed and in our results.
_CELL = ["benchmark", "split", "method", "metric", "chosen_for"]


def add_own_results(id_: str, printed: ReadCells, ours: ClaimEvidence) -> pd.DataFrame:
    """Return the printed cells of a claim, with our results in columns "<column>, ours"."""
    claim, wide, metrics = CLAIMS[id_], printed.wide(), printed.metrics
    our_evidence = ours.of_paper(claim.paper, claim.data)
    rows = [
        our_evidence.rows(metric)
        for metric in metrics["metric"].unique()
        if our_evidence.has(metric)
    ]
    if not rows:
        return wide
    values = pd.concat(rows).drop_duplicates(_CELL)[[*_CELL, "value"]]
    matched = metrics.drop(columns="value").merge(values, on=_CELL)
    if matched.empty:
        return wide
    our_cells = to_wide(matched, metrics).reindex(wide.index).add_suffix(", ours")
    order = [name for column in wide for name in (column, f"{column}, ours")]
    joined = wide.join(our_cells)
    return joined[[name for name in order if name in joined]]


FINDINGS_FILE, LINT_FILE = FACTS / "findings.json", FACTS / "lint.json"


@dataclass(frozen=True, slots=True)
class PaperFinding:
    """Unexpected fact in released files, printed tables or runs.

    ``command`` shows the fact; FOLDER in it stands for the released archive.
    """

    id: str
    where: Literal["data", "tables", "runs"]
    sentence: str
    command: str


#: All findings, in order of display.
FINDINGS = tuple(
    PaperFinding(**row) for row in json.loads(FINDINGS_FILE.read_text(encoding="utf-8"))
)


def markdown_list() -> str:
    """Return the findings as a Markdown list, each with its command."""
    return "\n".join(f"- {finding.sentence} `{finding.command}`" for finding in FINDINGS)


@dataclass(frozen=True, slots=True)
class LintRule:
    """Result of a rule on printed tables: number of comparisons, and a line per disagreement."""

    name: str
    checks: str
    checked: int
    disagreements: tuple[str, ...]

    def __str__(self) -> str:
        head = (
            f"{self.name}: {self.checked} checked, "
            f"{counted(len(self.disagreements), 'disagreement')}. {self.checks}"
        )
        return "\n".join([head, *(f"  {line}" for line in self.disagreements)])


def read_lint() -> list[LintRule]:
    """Return the rules that ``python -m tools.lint`` applied to the printed tables."""
    rows = json.loads(LINT_FILE.read_text(encoding="utf-8"))
    return [LintRule(**row | {"disagreements": tuple(row["disagreements"])}) for row in rows]
