"""Count captions that name a class, for pre-training sets without a list of classes.

A caption names a class if it contains the words of one of the names of the class in sequence; the
last word may be in the plural. A match is not proof: the crane of a caption may be the machine, and
an image may show a class that its caption does not name. Captions are read line by line in a worker
process: memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from zslcore.exceptions import FileRefusedError
from zslcore.leakage.vocabularies import id_of
from zslcore.names import dictionary_form
from zslcore.numbers import counted
from zslcore.texts import clean_text, listed, refusal_of
from zslcore.untrusted.client import count_captions_of

#: Reason why a count is not proof.
NOT_PROOF = (
    "A match is not proof: the word may have another sense, and an image may show a class that its "
    "caption does not name."
)


def names_of(title: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of a class as words: "n02129165 lion, king of beasts" has two."""
    words = title.strip().removeprefix(id_of(title)).replace("(", ",(")
    names = (dictionary_form(part) for part in words.split(",") if not part.startswith("("))
    return tuple(dict.fromkeys(tuple(name.split()) for name in names if name))


def count_captions(path: Path, classes: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Count how many captions of a file name each class.

    ``path`` is a text file with one caption per line, or a ``.csv`` or ``.tsv`` file with a column
    caption, text or title; each may be compressed as ``.gz``. ``classes`` are titles in the format
    that :func:`names_of` accepts. Returns a table with one row per class, and the number of
    captions. Raises FileRefusedError for any other file, and for a class name without
    Latin letters and digits: no caption can be compared with it.
    """
    if unreadable := [title for title in classes if not names_of(title)]:
        raise FileRefusedError(
            f"{clean_text(unreadable[0])}: expected a class name in Latin letters, to find it in "
            "captions."
        )
    name = clean_text(path.name)
    endings = [ending.lower() for ending in path.suffixes if ending.lower() != ".gz"]
    kind = endings[-1] if endings else ".txt"
    if not path.is_file():
        raise FileRefusedError(f"{name}: expected a caption file; found none.")
    if kind not in (".txt", ".csv", ".tsv"):
        raise refusal_of(name, "captions as .txt (one per line), .csv or .tsv, also with .gz", kind)
    counts, n = count_captions_of(path, kind, [names_of(title) for title in classes])
    table = pd.DataFrame({"class": list(classes), "captions": counts})
    return table.assign(share=table["captions"] / max(n, 1)), n


# --- As text --------------------------------------------------------------------------------------


def captions_in_words(table: pd.DataFrame, n: int) -> str:
    """Return the number of classes that captions name, as a sentence."""
    named = (table["captions"] > 0).sum()
    classes = counted(len(table), "test class", "test classes")
    verb = "is" if named == 1 else "are"
    return f"{named:,} of the {classes} {verb} named in {counted(n, 'caption')}."


def as_text(table: pd.DataFrame, n: int, max_lines: int = 40) -> str:
    """Format the counts as lines of text, the most frequent class first."""
    ordered = table.sort_values("captions", ascending=False, kind="stable")
    none = ordered[ordered["captions"] == 0]["class"].tolist()
    named = ordered[ordered["captions"] > 0]
    lines = [captions_in_words(table, n).rstrip(".")]
    lines += [
        f"  {row['captions']:>9,}  {1e6 * row['share']:>9,.1f} per million  {row['class']}"
        for row in named.head(max_lines).to_dict("records")
    ]
    if len(named) > max_lines:
        lines.append(f"  and {len(named) - max_lines:,} more; --json has them all")
    if none:
        lines.append(f"in no caption: {listed(none, max_lines)}")
    lines.append(NOT_PROOF)
    return "\n".join(lines)
