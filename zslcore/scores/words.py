"""The words of a field for the two sides: seen and unseen, base and new, known and unknown.

Sentences hold ``{seen}`` and ``{unseen}``, at their beginning ``{Seen}`` and ``{Unseen}``;
:meth:`Words.fill` writes them in the words of the reader.
"""

from __future__ import annotations

from dataclasses import dataclass

from zslcore.exceptions import closest_name

__all__ = ["WORDS", "Words", "words_of"]


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
