"""The claims of the papers, read from ``data/claims.toml``: one row a claim, judged by its kind."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zslcore.analysis.papers.claims.evidence import (
    METHOD_GROUPS,
    Evidence,
    UndecidedError,
)
from zslcore.analysis.papers.claims.judging import Judgment, join_names, with_scope
from zslcore.analysis.papers.claims.kinds import KINDS, OF_SHARES
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
    paper: Literal["GBU", "CAL", "FAIR"]
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
            if self.pretraining:
                there = there.trained_on(self.pretraining)
            elif not printed:
                there = there.without_controls()
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
