"""A review for a terminal: verdict first, every statement, the commands last."""

from __future__ import annotations

import textwrap

from zslcore.scores.review.stating import MARKS, Review, Statement

WIDTH, INDENT = 96, 8


def to_text(review: Review) -> str:
    """Return a review as lines; figures are those of the command ``zslcore score``."""
    lines = [review.verdict.upper(), "", *textwrap.wrap(review.sentence, WIDTH), ""]
    for figure in review.figures:
        note = f"  ({figure.note})" if figure.note else ""
        lines.append(f"  {figure.label}: {figure.value}{note}")
    for section in review.sections:
        lines += ["", section.title]
        for statement in section.of("leak", "warning", "open", "ok"):
            lines += _lines(statement)
    lines += ["", "What was read"]
    lines += [f"  {role}: {name}, SHA-256 {sha}" for role, name, _, sha in review.files]
    lines += ["", "Commands that repeat it", *(f"  {line}" for line in review.commands)]
    return "\n".join(lines) + "\n"


def _lines(statement: Statement) -> list[str]:
    first, rest = f"{MARKS[statement.mark].upper():<{INDENT}}", " " * INDENT
    said = f"{statement.title}. {statement.text}"
    found = textwrap.wrap(said, WIDTH, initial_indent=first, subsequent_indent=rest)
    if statement.advice:
        said = f"-> {statement.advice}"
        found += textwrap.wrap(said, WIDTH, initial_indent=rest, subsequent_indent=rest)
    return found
