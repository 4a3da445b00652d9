"""Text on screen: the glossary, and escaping of untrusted text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zslcore.numbers import counted

AUSUC = "AUSUC"
#: Name of a part of a split in files -> its name on pages.
PART_LABELS = {"test_seen": "test seen", "test_unseen": "test unseen"}

_BOUND = "Chosen on the test set (oracle): an upper bound, never a result."


@dataclass(frozen=True, slots=True)
class Term:
    """Term of the glossary: its meaning in one sentence, formula and other names (``also``)."""

    name: str
    says: str
    formula: str = ""
    also: tuple[str, ...] = ()

    def in_markdown(self) -> str:
        """Return the sentence and, below it, the formula."""
        return f"{self.says}\n\n${self.formula}$" if self.formula else self.says

    def search_text(self) -> str:
        """Return the text that a search looks through, in lower case."""
        return " ".join((self.name, *self.also, self.says)).lower()


def _read() -> dict[str, Term]:
    with Path(__file__).with_name("glossary.toml").open("rb") as file:
        rows = tomllib.load(file)["term"]
    return {
        row["name"]: Term(
            row["name"],
            f"{row['says']} {_BOUND}" if row.get("bound") else row["says"],
            row.get("formula", ""),
            tuple(row.get("also", ())),
        )
        for row in rows
    }


#: Every term, in the order of the glossary.
TERMS = _read()
#: Term -> its meaning, shown as help text on every page.
GLOSSARY = {name: term.in_markdown() for name, term in TERMS.items()}


def _key(words: str) -> str:
    """Return words in lower case; a single letter keeps its case, since H and h differ."""
    return words.casefold() if len(words) > 1 else words


_BY_WORDS = {_key(words): term for term in TERMS.values() for words in (term.name, *term.also)}
#: Parts of a label around its term, such as "folds: " before it or " at γ" after it.
_AROUND = tuple(map(re.compile, (r"^folds: ", r", [^,]*$", r" for G?ZSL$", r" at γ$")))


def term_of(label: str) -> Term | None:
    """Return the glossary term in the label of a heading, a figure or a control.

    The label is as on screen and may have more words, such as "top-5" or "p, Holm". Returns None
    for a label without a term of the glossary.

    Examples
    --------
    >>> term_of("u at γ").name, term_of("p, Holm").name, term_of("top-5").name
    ('Unseen accuracy u', 'p-value', 'Top-k accuracy')
    >>> term_of("γ of ESZSL") is None
    True
    """
    words = label.strip()
    if term := _BY_WORDS.get(_key(words)):
        return term
    words = re.sub(r"γ = [\d.e−+-]+$", "γ", re.sub(r"(?<=top-)\d+", "k", words))
    while words:
        if term := _BY_WORDS.get(_key(words)):
            return term
        words = next((s for a in _AROUND if (s := a.sub("", words)) != words), "")
    return None


#: Argument or option named in a message of the package -> words for the control of a page.
_ON_A_PAGE = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"(, given)? with prototypes= \(--prototypes\)", ", uploaded together with the first"),
        (
            r"unseen classes by unseen= \(--unseen\), such as random:10; got neither",
            "unseen classes; got neither. Name the unseen classes, or enter random:10",
        ),
        (r" \(--groups\)", " under “More”"),
        (r"\((labels|features)=, --\w+\)", r"(upload a second file with \1, such as res101.mat)"),
        (r"\((?:groups|provenance)=, [^)]*\)", "(under “More”)"),
        (r"\(pretraining=, [^)]*\)", "(menu “Extractor trained on”, above)"),
        (r"\(runs= or accuracies=, [^)]*\)", "(switch on the measurement under “More”)"),
        (r"; --unseen all\)", ")"),
        (r"keep (?:it|them) with as-is \(--fix as-is\)", "confirm that the file is correct"),
        (r"say which( with --[\w-]+ FILE:NAME|( array is which)? with --[\w-]+)", "choose which"),
        (r"; add the file, or say which with --[\w-]+ FILE:NAME", "; add the file, or choose one"),
        (r"say which file to read with \w+= \(--\w+\)", "leave one such file in the folder"),
        (r" \(\w*(?:Error|File|Exception|Warning|Exit)\)", ""),
        (r", as `zslcore [^`]*` prints", ", as this app and the command line export it"),
    )
)


def page_sentence(message: str) -> str:
    """Return a sentence of the package for a page: without options and names of errors.

    Examples
    --------
    >>> page_sentence("could not be read (BadZipFile)")
    'could not be read'
    """
    for pattern, words in _ON_A_PAGE:
        message = pattern.sub(words, message)
    return message


def on_screen(message: str) -> str:
    """Return :func:`page_sentence` of a message, escaped for Markdown."""
    return plain(page_sentence(message))


def names_in_words(names: Sequence[str], most: int = 3) -> str:
    """Return names escaped for Markdown: "A", "A and B", "A, B, C and 2 others"."""
    words = [plain(name) for name in names[:most]]
    if others := len(names) - len(words):
        words.append(counted(others, "other"))
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|~$:<>&"})
#: Positions where Streamlit turns even escaped text into a link, an icon, an arrow or a dash; an
#: invisible character is inserted there.
_AUTOMATIC_MARKUP = re.compile(
    r"(?<=:)(?=//|[\w/+-]+:)|(?<=www)(?=\.)|(?<=@)(?=[\w-])|(?<=[-<>=~])(?=[-<>=~])", re.IGNORECASE
)
_JOINER = "\N{WORD JOINER}"


def plain(words: str) -> str:
    """Escape text from a file or an address for elements that read Markdown.

    Components, options of select boxes and cells of data frames do not read Markdown.
    """
    return _AUTOMATIC_MARKUP.sub(_JOINER, words).translate(_MARKS)
