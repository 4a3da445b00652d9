"""A report as text of one format or another; one format, one file."""

from __future__ import annotations

from collections.abc import Callable

from zslcore.exceptions import closest_name
from zslcore.leakage.render.as_html import to_html
from zslcore.leakage.render.as_json import to_json
from zslcore.leakage.render.as_junit import to_junit
from zslcore.leakage.render.as_markdown import to_markdown
from zslcore.leakage.render.as_text import to_text
from zslcore.leakage.report import AuditReport

__all__ = ["FORMATS", "render", "to_html", "to_json", "to_junit", "to_markdown", "to_text"]

FORMATS: dict[str, Callable[[AuditReport], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
    "junit": to_junit,
}


def render(report: AuditReport, format: str = "text") -> str:  # noqa: A002 - the word for it
    """Return ``report`` in one of ``FORMATS``; a misspelt name gets the nearest one."""
    if format not in FORMATS:
        raise closest_name("report format", format, FORMATS)
    return FORMATS[format](report)
