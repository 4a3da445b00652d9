"""Which data sets make a study of actions: the stand-ins, or imported features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from zslcore.analysis.actions import (
    ON_RELEASED,
    Configuration,
    FeatureSet,
    Semantics,
    Splits,
    simulated_sets,
)
from zslcore.datasets import ZSLDataset
from zslcore.datasets.action_facts import recognise_actions
from zslcore.datasets.simulated_actions import EXTRACTORS, SIMULATED_ACTIONS
from zslcore.exceptions import DatasetError

#: What a study calls features that were trained on nothing.
BASELINE = "idt"
#: Methods that a study opens with: the quick ones.
USUAL_METHODS = ("CONSE", "SYNC ovo")
#: What was trained on -> what a study calls features that know nothing else.
_CALLED = {extractor.pretraining: extractor.key for extractor in EXTRACTORS.values()}


def title_of(features: str) -> str:
    """Return what the screen calls features; imported ones by their own name."""
    return EXTRACTORS[features].title if features in EXTRACTORS else features


def said_of_semantics(gains: pd.DataFrame, sets: Sequence[FeatureSet], pretraining: str) -> str:
    """Say whether known classes gain more with attributes than with word vectors, as FAIR found.

    Parameters
    ----------
    gains : of :func:`zslcore.analysis.action_tables.action_gains`
    sets : the features and prototypes of the study
    pretraining : of its configuration

    Returns
    -------
    Two sentences; empty for one kind of prototypes alone
    """
    others = [key for key, each in EXTRACTORS.items() if each.knows != pretraining]
    knowing = gains[~gains["features"].isin(others)].dropna(subset=["minus"])
    mean = knowing.groupby("semantics")["minus"].mean()
    if set(mean.index) != {"attributes", "word2vec"}:
        return ""
    more = mean["attributes"] > mean["word2vec"]
    so = "So do these" if more else "These do not"
    why = ""
    if not more and any(each.dataset in SIMULATED_ACTIONS for each in sets):
        why = ": the model gives known classes the same advantage with both"
    return (
        f"Above the baseline, known classes gain {100 * mean['attributes']:.1f} % with attributes "
        f"and {100 * mean['word2vec']:.1f} % with word vectors, on average over methods. The "
        f"paper's videos gain more with attributes. {so}{why}."
    )


def semantics_of(dataset: ZSLDataset) -> Semantics:
    """Tell attributes, which are 0 or 1, from word vectors."""
    return "attributes" if set(dataset.prototypes.ravel().tolist()) <= {0, 1} else "word2vec"


def paper_sets(configuration: Configuration, *, planted: bool = True) -> tuple[FeatureSet, ...]:
    """Return the stand-ins of the paper's features: the baseline, and those that know classes."""
    known = (BASELINE, *_knowing(configuration))
    return simulated_sets(configuration, known, planted=planted)


def usual_sets(configuration: Configuration, *, planted: bool = True) -> tuple[FeatureSet, ...]:
    """Return the stand-ins that a study opens with: a network that knows no actions, too."""
    others = [key for key, each in EXTRACTORS.items() if not each.knows]
    return simulated_sets(configuration, [*others, *_knowing(configuration)], planted=planted)


def _knowing(configuration: Configuration) -> list[str]:
    return [key for key, each in EXTRACTORS.items() if each.knows == configuration.pretraining]


def splits_of(methods: Collection[str]) -> tuple[Splits, ...]:
    """Return the splits of a study of these methods: released ones where a method has any."""
    both: tuple[Splits, ...] = ("controlled", "released")
    return both if set(methods) & set(ON_RELEASED) else both[:1]


def feature_sets(
    configuration: Configuration, datasets: Mapping[str, ZSLDataset]
) -> tuple[FeatureSet, ...]:
    """Return the features and prototypes of data sets, named by what the features were trained on.

    Two data sets of the same pre-training and kind of prototypes go by their own names.

    Parameters
    ----------
    configuration : whose classes they have
    datasets : by their names

    Raises
    ------
    DatasetError
        For other classes, and without features that were trained on nothing and others.
    """
    for name, data in datasets.items():
        if recognise_actions(data.class_names) != configuration.dataset:
            raise DatasetError(
                f"{configuration.name}: expected data with the classes of "
                f"{configuration.dataset}; {name} has others."
            )
    called = {name: _called(data) for name, data in datasets.items()}
    often = Counter((called[name], semantics_of(data)) for name, data in datasets.items())
    sets = tuple(
        FeatureSet(
            called[name] if often[called[name], semantics_of(data)] == 1 else name,
            semantics_of(data),
            name,
            data.digest,
        )
        for name, data in datasets.items()
    )
    baseline = baseline_of(sets)
    if all(each.features == baseline for each in sets):
        raise DatasetError(
            f"{configuration.name}: expected features of a network next to the baseline; got "
            f"{', '.join(datasets)}."
        )
    return sets


def _called(data: ZSLDataset) -> str:
    last = data.pretraining[-1] if data.pretraining else data.name  # what fine-tuned it
    return _CALLED.get(last, data.name)


def baseline_of(sets: Sequence[FeatureSet]) -> str:
    """Return the features that others are compared with: those that were trained on nothing.

    Raises
    ------
    DatasetError
        Without any.
    """
    if not any(each.features == BASELINE for each in sets):
        raise DatasetError(
            "Expected one data set of features that were trained on nothing, as the baseline; "
            "'zslcore import --pretraining none' declares it. Got "
            f"{', '.join(each.dataset for each in sets) or 'none'}."
        )
    return BASELINE
