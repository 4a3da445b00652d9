"""Findings on the field's own data, tables and practice, one line and one command each.

``python -m tools.findings`` writes them into ``data/findings.json``; a test computes each number
again, from ``data/`` or from released files.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from zslcore.storage.files import FACTS

SOURCE = FACTS / "findings.json"
#: Where the guide has the list.
MARKS = ("<!-- findings -->", "<!-- /findings -->")


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact that contradicts a statement or an expectation.

    Attributes
    ----------
    where : "data" (released files), "tables" (what papers print) or "runs" (of this package)
    said : one sentence with the numbers
    command : shows it; FOLDER is the released archive
    """

    id: str
    where: Literal["data", "tables", "runs"]
    said: str
    command: str


#: All findings, in the order in which they are listed.
FINDINGS = tuple(Finding(**row) for row in json.loads(SOURCE.read_text(encoding="utf-8")))


def markdown_list() -> str:
    """Return the findings as the guide lists them."""
    return "\n".join(f"- {finding.said} `{finding.command}`" for finding in FINDINGS)
