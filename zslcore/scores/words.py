"""The words of a field for the two sides: seen and unseen, base and new, known and unknown.

Sentences hold ``{seen}`` and ``{unseen}``, at their beginning ``{Seen}`` and ``{Unseen}``;
:meth:`Words.fill` writes them in the words of the reader.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from zslcore.exceptions import closest_name

#: "seen" or "unseen" as a word, perhaps with its article; not in a name such as unseen.npz.
_SIDE = re.compile(
    r"(?<![\w./-])(?:(?P<article>an?) )?(?P<side>unseen|seen)(?![\w-]|\.\w)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Words:
    """What a field calls the two sides.

    Attributes
    ----------
    seen : of classes with training images
    unseen : of classes without
    field : who says so
    """

    seen: str
    unseen: str
    field: str

    @property
    def name(self) -> str:
        """The name of the option."""
        return f"{self.seen}-{self.unseen}"

    def fill(self, text: str) -> str:
        """Return ``text`` in these words.

        Examples
        --------
        >>> WORDS["base-new"].fill("{Seen} images among {unseen} classes")
        'Base images among new classes'
        """
        return text.format(
            seen=self.seen,
            unseen=self.unseen,
            Seen=self.seen.capitalize(),
            Unseen=self.unseen.capitalize(),
        )

    def said(self, text: str) -> str:
        """Return a sentence that says seen and unseen in these words; names of files stay.

        Examples
        --------
        >>> WORDS["base-new"].said("An unseen class of unseen.npz: test seen")
        'A new class of unseen.npz: test base'
        """
        return _SIDE.sub(self._side, text) if self.seen != "seen" else text

    def _side(self, found: re.Match[str]) -> str:
        article, side = found["article"], found["side"]
        word = self.unseen if side.lower() == "unseen" else self.seen
        if not article:
            return word.capitalize() if side[0].isupper() else word
        right = "an" if word[0] in "aeiou" else "a"
        return f"{right.capitalize() if article[0].isupper() else right} {word}"


#: All words, by the name of the option.
WORDS: dict[str, Words] = {
    words.name: words
    for words in (
        Words("seen", "unseen", "zero-shot learning"),
        Words("base", "new", "prompt tuning"),
        Words("known", "unknown", "open-set recognition"),
    )
}


def words_of(name: str) -> Words:
    """Return the words of a name.

    Raises
    ------
    UnknownNameError
        Names the nearest one that there is.
    """
    if name not in WORDS:
        raise closest_name("words", name, WORDS)
    return WORDS[name]
