"""Findings on the field's own data, tables and practice, one line and one command each.

``python -m tools.findings`` writes ``data/findings.json``; a test computes each number again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from zslcore.storage.files import FACTS

SOURCE = FACTS / "findings.json"


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
FINDINGS = tuple(Finding(**row) for row in json.loads(SOURCE.read_text(encoding="utf-8")))


def markdown_list() -> str:
    """Return the findings as a list in Markdown, each with its command."""
    return "\n".join(f"- {finding.said} `{finding.command}`" for finding in FINDINGS)
