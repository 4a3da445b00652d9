"""The checks of an audit, in the order of their ids; a new one is named in ``CHECKS``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from zslcore.exceptions import ZSLError
from zslcore.leakage.checks.balance import few_test_images
from zslcore.leakage.checks.classes import fold_classes, seen_and_unseen
from zslcore.leakage.checks.features import identical_features, near_duplicates
from zslcore.leakage.checks.identity import known_split
from zslcore.leakage.checks.photographs import same_photograph
from zslcore.leakage.checks.pretraining import overlap_effect, pretrained_classes
from zslcore.leakage.checks.prototypes import side_information
from zslcore.leakage.checks.rows import shared_rows
from zslcore.leakage.checks.selection import how_chosen
from zslcore.leakage.context import AuditContext
from zslcore.leakage.report import Finding, Severity
from zslcore.leakage.words import how

__all__ = ["CHECKS", "Check", "run_check"]


@dataclass(frozen=True, slots=True)
class Check:
    """One question to a split.

    Attributes
    ----------
    id : stable identifier
    title : what is looked for
    passes : what is true when nothing was found, one sentence
    run : finds it
    needs : attributes of the context without which it cannot run, and how to provide them
    """

    id: str
    title: str
    passes: str
    run: Callable[[AuditContext], Iterable[Finding]]
    needs: tuple[tuple[str, str], ...] = ()


_LABELS = ("labels", f"the class of every image {how('labels')}")
_CLASSES = ("unseen_classes", f"labels or lists of the classes {how('labels')}")
_FEATURES = ("features", f"the features {how('features')}")
_PROTOTYPES = ("prototypes", "the prototypes (att)")
_NAMES = ("class_names", "the names of the classes")
_PHOTOGRAPHS = (
    "photographs",
    f"the names of the image files, or which rows belong together {how('groups')}",
)
_VOCABULARIES = ("vocabularies", f"the extractor's classes {how('vocabularies')}")

CHECKS: tuple[Check, ...] = (
    Check(
        "ZSL001",
        "A class both seen and unseen",
        "No class has both training rows and unseen test rows.",
        seen_and_unseen,
        (_CLASSES,),
    ),
    Check(
        "ZSL002",
        "Validation classes among test or training classes",
        "Every fold validates on classes that it neither trains on nor tests.",
        fold_classes,
        (_CLASSES,),
    ),
    Check(
        "ZSL003",
        "A row in two parts, or out of range",
        "Every row is in one part, once, and exists.",
        shared_rows,
    ),
    Check(
        "ZSL004",
        "Identical feature rows across the parts",
        "No test image has exactly the features of a training image.",
        identical_features,
        (_FEATURES,),
    ),
    Check(
        "ZSL005",
        "Near-duplicates across the parts",
        "No test image is suspiciously close to a training image.",
        near_duplicates,
        (_FEATURES,),
    ),
    Check(
        "ZSL006",
        "Test classes in a pre-training vocabulary",
        "No test class was found among the extractor's classes.",
        pretrained_classes,
        (_VOCABULARIES, _NAMES, _CLASSES),
    ),
    Check(
        "ZSL007",
        "Effect of those classes on accuracy",
        "Test classes that the extractor knew are not answered better than the others.",
        overlap_effect,
        (_VOCABULARIES, _NAMES, _CLASSES),
    ),
    Check(
        "ZSL008",
        "How hyper-parameters, epochs and gamma were chosen",
        "Nothing was chosen on the test set.",
        how_chosen,
    ),
    Check(
        "ZSL009",
        "Side information",
        "Prototypes are complete and distinct, and made without test images.",
        side_information,
        (_PROTOTYPES,),
    ),
    Check("ZSL010", "Identity", "A known split, as published.", known_split),
    Check(
        "ZSL011",
        "Too few test images",
        "Every test class has enough images for an accuracy of its own.",
        few_test_images,
        (_LABELS,),
    ),
    Check(
        "ZSL012",
        "The same photograph on both sides",
        "No photograph is on both sides.",
        same_photograph,
        (_PHOTOGRAPHS,),
    ),
)


def run_check(check: Check, context: AuditContext) -> tuple[Finding, ...]:
    """Return what a check finds; that it passed or could not run is a finding, too."""
    missing = [how for name, how in check.needs if not _known(getattr(context, name))]
    if missing:
        return (_did_not_run(check, f"Did not run: needs {' and '.join(missing)}."),)
    try:
        found = tuple(check.run(context))
    except ZSLError as error:
        return (_did_not_run(check, f"Did not run: {error}"),)
    return found or (Finding(check.id, Severity.PASS, check.passes),)


def _known(value: object) -> bool:
    return value is not None and (not isinstance(value, tuple) or bool(value))


def _did_not_run(check: Check, why: str) -> Finding:
    return Finding(check.id, Severity.DID_NOT_RUN, why)
