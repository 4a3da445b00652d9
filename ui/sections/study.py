"""Data of Overlap gain: test classes, which are in the pre-training set, and accuracies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pandas as pd

from ui import cache, decisions, waiting
from zslcore.analysis import overlap_tables
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import accuracies, run
from zslcore.leakage import AuditContext, get_vocabulary

__all__ = ["STRENGTHS", "Accuracies", "Study", "accuracies_on", "matches_of"]

#: Method -> class -> accuracy among the unseen classes of a split.
Accuracies = Mapping[str, Mapping[int, float]]

#: Words on screen -> strengths of a match that count until a person says otherwise.
STRENGTHS = {"certain matches": ("strong",), "certain and possible ones": ("strong", "weak")}


@dataclass(frozen=True, eq=False)
class Study:
    """Accuracies of the test classes of a split, and which of these are in the pre-training set.

    Attributes
    ----------
    dataset, split : whose unseen classes are tested
    vocabulary : name of the list of classes that the extractor was trained on
    strength : of ``STRENGTHS``
    methods : names of methods of this package
    shown : the one of them, or of ``own``, that is drawn
    given : whether parameters are the methods' defaults; chosen on the folds otherwise
    every : all classes of the data set with their best match, see :func:`matches_of`
    accuracies : see :func:`accuracies_on`
    own : the same of scores that the visitor has brought, of this split alone
    """

    dataset: ZSLDataset
    split: Split
    vocabulary: str
    strength: str
    methods: tuple[str, ...]
    shown: str
    given: bool
    every: pd.DataFrame
    accuracies: Accuracies
    own: Accuracies = field(default_factory=dict)

    @cached_property
    def matches(self) -> pd.DataFrame:
        """The test classes with their best match."""
        tested = self.every["number"].isin(self.split.unseen_classes)
        return self.every[tested].reset_index(drop=True)

    @cached_property
    def overlapping(self) -> set[int]:
        """All classes that count as overlapping; what was decided by hand goes first."""
        decision = self.every["decision"]
        counts = self.every["strength"].isin(STRENGTHS[self.strength]) & (decision != "rejected")
        return set(self.every.loc[counts | (decision == "confirmed"), "number"])

    @cached_property
    def known(self) -> set[int]:
        """The test classes that count as overlapping."""
        return self.known_of(self.split)

    @cached_property
    def images(self) -> dict[int, int]:
        """Test images of every test class."""
        return overlap_tables.test_images(self.dataset, self.split)

    @cached_property
    def all_accuracies(self) -> Accuracies:
        """The accuracies of methods, then those of the visitor's own scores."""
        return {**self.accuracies, **self.own}

    @cached_property
    def gains(self) -> pd.DataFrame | None:
        """One row per method; None where test classes of one kind are missing."""
        if not 0 < len(self.known) < len(self.matches):
            return None
        return cache.method_gains(self.all_accuracies, frozenset(self.known))

    @property
    def gain(self) -> pd.Series | None:
        """The row of the method that is drawn."""
        if self.gains is None:
            return None
        row = self.gains.set_index("method").loc[self.shown]
        assert isinstance(row, pd.Series)  # every method has one row
        return row

    @cached_property
    def table(self) -> pd.DataFrame:
        """The test classes under the method that is drawn, best first."""
        return overlap_tables.class_accuracies(
            self.all_accuracies[self.shown],
            self.known,
            self.images,
            dict(enumerate(self.dataset.class_names)),
        )

    def known_of(self, split: Split) -> set[int]:
        """Return the test classes of a split that count as overlapping."""
        return self.overlapping & set(split.unseen_classes.tolist())

    def accuracies_on(self, dataset: ZSLDataset, split: Split) -> Accuracies:
        """Return the accuracies of the same methods on another split, or with other features."""
        return accuracies_on(dataset, split, self.methods, given=self.given)


def matches_of(dataset: ZSLDataset, split: Split, vocabulary: str) -> pd.DataFrame:
    """Return all classes with their best match, and what was decided about them."""
    said = decisions.decisions_on(dataset.name)
    return cache.overlaps(
        cache.split_key(dataset, split),
        vocabulary,
        repr(said),
        replace(AuditContext.of_dataset(dataset, split), decisions=said),
        get_vocabulary(vocabulary),
        every_class=True,
    )


def accuracies_on(
    dataset: ZSLDataset, split: Split, methods: Sequence[str], *, given: bool
) -> Accuracies:
    """Return the accuracies of methods on a split; what takes long is waited for.

    Parameters are chosen on the folds, where there are any, unless they are ``given``.
    """
    validated = bool(split.folds) and not given
    specs = [RunSpec.among_unseen(dataset, split.name, m, validated=validated) for m in methods]
    if not specs:
        return {}
    return waiting.finished_or_made(
        accuracies.ask(specs),
        all(run.is_quick(spec, dataset) for spec in specs),
        lambda: {spec.method: cache.class_accuracy(spec) for spec in specs},
        "Fitting …",
    )
