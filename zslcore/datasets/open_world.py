r"""Base-to-new tests and transfer between data sets: class lists and prompt templates.

Both are protocols of prompt tuning (CoOp, CoCoOp). A base-to-new test trains on the first half of
the classes of a data set, *base*, and tests on both halves: with n classes in the order of their
labels,

.. math::
    \mathrm{base} = \{ 0, \dots, \lceil n / 2 \rceil - 1 \}, \qquad
    \mathrm{new} = \{ \lceil n / 2 \rceil, \dots, n - 1 \}

The order of the labels is taken from the released split file. If that file was not available, the
list here follows the rule of the released code: :attr:`OpenWorldSet.order_checked` is False. The
transfer trains on ImageNet-1K and tests on the ten other sets.

References
----------
K. Zhou, J. Yang, C. Loy, Z. Liu, "Conditional prompt learning for vision-language models", CVPR
2022. A. Radford et al., "Learning transferable visual models from natural language supervision",
ICML 2021 (ensembles of templates).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from zslcore.datasets.facts import action_facts
from zslcore.exceptions import DatasetError, closest_name, require_known
from zslcore.names import spaced_name
from zslcore.storage.files import FACTS, read_csv_rows

FOLDER = FACTS / "open_world"
#: Value of an argument for unseen classes: RULE, or RULE:NAME for the new classes of a named set.
RULE = "base-to-new"
#: Name of the set that takes its classes from a pre-training vocabulary.
_IMAGENET = "imagenet"
#: Start of a word inside a class name of UCF101.
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def n_base(n: int) -> int:
    """Return the number of base classes among ``n`` classes.

    Examples
    --------
    >>> n_base(37), 37 - n_base(37)
    (19, 18)
    """
    return -(-n // 2)


@dataclass(frozen=True, slots=True)
class OpenWorldSet:
    """Data set of base-to-new tests.

    ``name`` and ``title`` are, for example, "oxford_pets" and "Oxford-IIIT Pets". ``classes`` has
    one tuple per class in the order of the labels: its name, then other names. ``order`` describes
    the order of the labels; ``order_checked`` is True if it was checked in a released split file,
    False if it follows from the rule of the released code. ``template`` is CoOp's prompt for a
    class; ``source`` and ``url`` document the names and the rule of their order.
    """

    name: str
    title: str
    classes: tuple[tuple[str, ...], ...]
    order: str
    order_checked: bool
    template: str
    source: str
    url: str

    @property
    def class_names(self) -> tuple[str, ...]:
        """The first name of each class."""
        return tuple(names[0] for names in self.classes)

    @property
    def base(self) -> tuple[str, ...]:
        """Names of the base classes."""
        return self.class_names[: n_base(len(self.classes))]

    @property
    def new(self) -> tuple[str, ...]:
        """Names of the new classes."""
        return self.class_names[n_base(len(self.classes)) :]

    @property
    def state(self) -> str:
        """Evidence for the order of the labels, in words."""
        return "order as in the split file" if self.order_checked else "by rule, order not checked"

    def labels_of(self, class_names: Sequence[str]) -> list[int]:
        """Return the labels of class names.

        The words of a name may be joined ("ApplyEyeMakeup") or in another order ("2012 Acura RL
        Sedan"). Raises an UnknownNameError, with the nearest name, for a name that is not a class
        of the set, and a DatasetError for two names of one class or one name of two classes.
        """
        labels: dict[str, set[int]] = {}
        for k, names in enumerate(self.classes):
            for key in {key for name in names for key in _keys(name)}:
                labels.setdefault(key, set()).add(k)
        name_of: dict[int, str] = {}
        for name in class_names:
            label_set = next((labels[key] for key in _keys(name) if key in labels), set())
            if not label_set:
                raise closest_name(f"class of {self.title}", name, self.class_names)
            if len(label_set) > 1:
                raise DatasetError(
                    f"{self.title}: expected names of one class each, or WordNet ids; {name!r} is "
                    f"a name of {len(label_set)} classes."
                )
            (k,) = label_set
            if k in name_of:
                raise DatasetError(
                    f"{self.title}: expected one class {self.class_names[k]!r}; got {name_of[k]!r} "
                    f"and {name!r}."
                )
            name_of[k] = name
        return list(name_of)


@cache
def open_world_sets() -> Mapping[str, OpenWorldSet]:
    """Return the eleven sets by name, ImageNet-1K first."""
    return MappingProxyType(
        {
            row["name"]: OpenWorldSet(
                name=row["name"],
                title=row["title"],
                classes=_classes(row["name"], row["list"]),
                order=row["order"],
                order_checked=row["order_seen"] == "yes",
                template=row["template"],
                source=row["source"],
                url=row["url"],
            )
            for row in read_csv_rows(FOLDER / "sets.csv")
        }
    )


def open_world_set(name: str) -> OpenWorldSet:
    """Return a set by name; the error for a misspelt name suggests the nearest one."""
    sets = open_world_sets()
    require_known("base-to-new set", name, sets)
    return sets[name]


def _classes(name: str, source: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of each class, from the set's list or a vocabulary of the package."""
    if name == _IMAGENET:
        lines = (FACTS / "vocabularies" / f"{source}.txt").read_text(encoding="utf-8").splitlines()
        parts = sorted(line.split(" ", 1) for line in lines if line.startswith("n"))
        return tuple((*_split(names)[:1], synset, *_split(names)[1:]) for synset, names in parts)
    if source:
        return tuple((_CAPITAL.sub(" ", name), name) for name in action_facts(source).class_names)
    lines = (FOLDER / "classes" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(_split(line) for line in lines if not line.startswith("#"))


def _split(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split(","))


def _keys(name: str) -> tuple[str, str]:
    """Return two keys of a name: joined words, and sorted words."""
    words = [word for word in re.split(r"[^\w.]+", spaced_name(name).lower()) if word]
    return "".join(words), " ".join(sorted(words))


# --- Unseen classes by the rule -------------------------------------------------------------------


def is_rule(unseen: Sequence[str | int]) -> bool:
    """Whether a list of unseen classes is the rule instead of names."""
    return len(unseen) == 1 and str(unseen[0]).partition(":")[0] == RULE


def rule_in_words(rule: str) -> str:
    """Describe the unseen classes of the rule, with the evidence for their order."""
    _, _, name = rule.partition(":")
    if not name:
        return "the second half of the classes, in the order of the file"
    return f"the new classes of {open_world_set(name).title} ({open_world_set(name).state})"


def new_classes(rule: str, class_names: Sequence[str]) -> list[int]:
    """Return the new classes of a data set as increasing positions in ``class_names``.

    ``rule`` is :data:`RULE` for the second half of the data set's classes in order, or RULE:NAME
    for the new classes of a named set, in any order. Raises an UnknownNameError or a DatasetError
    if the classes differ from those of the named set.
    """
    _, _, name = rule.partition(":")
    if not name:
        return list(range(n_base(len(class_names)), len(class_names)))
    named_set = open_world_set(name)
    labels = named_set.labels_of(class_names)
    if len(labels) != len(named_set.classes):
        missing = next(c for k, c in enumerate(named_set.class_names) if k not in set(labels))
        raise DatasetError(
            f"{named_set.title}: expected its {len(named_set.classes)} classes; got {len(labels)}, "
            f"without {missing!r}."
        )
    return [
        position for position, label in enumerate(labels) if label >= n_base(len(named_set.classes))
    ]


# --- Templates ------------------------------------------------------------------------------------


@cache
def _ensembles() -> Mapping[str, tuple[str, ...]]:
    """Return the templates of each ensemble; for the name of a set, CoOp's template of this set."""
    text = (FOLDER / "templates.toml").read_text(encoding="utf-8")
    ensembles = {
        name: tuple(ensemble["templates"]) for name, ensemble in tomllib.loads(text).items()
    }
    return MappingProxyType(ensembles | {s.name: (s.template,) for s in open_world_sets().values()})


def templates_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return templates; replace names of ensembles by their templates.

    ``words`` are templates with a "{}", names of ensembles such as "imagenet-80", or names of sets.
    Raises an UnknownNameError, with the nearest name, for any other word.
    """
    templates: list[str] = []
    for word in words:
        if "{}" not in word and word not in _ensembles():
            raise closest_name("template ensemble", word, _ensembles())
        templates += [word] if "{}" in word else _ensembles()[word]
    return tuple(dict.fromkeys(templates))
