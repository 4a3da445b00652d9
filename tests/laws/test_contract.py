"""Laws that hold for every zero-shot method."""

from functools import cache
from typing import Literal, get_args, get_origin

import pytest

from zslcore.evaluation.contract import (
    CONTRACT,
    ContractError,
    MethodUnderTest,
    a_sweep_equals_separate_fits,
)
from zslcore.methods import METHODS, GenerativeZSL

#: Laws that are false for generators, with the reason; no other law has exceptions.
FALSE_FOR_GENERATORS = {
    "score_of_a_class_does_not_depend_on_the_other_candidates": "one softmax is trained for the "
    "candidates together, seen ones included",
    "unseen_scores_do_not_depend_on_seen_candidates": "among themselves, the "
    "softmax of unseen classes has no seen ones to tell them from",
}
#: The data of the laws have eighty images: with batches of 128, an epoch would be a single step.
SMALL_BATCHES = {"batch_size": 8}


@cache
def case_of(method):
    return MethodUnderTest(method, SMALL_BATCHES if issubclass(method, GenerativeZSL) else {})


@pytest.mark.parametrize("law", CONTRACT, ids=lambda law: law.name)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_law(method, law):
    if issubclass(method, GenerativeZSL) and law.name in FALSE_FOR_GENERATORS:
        assert method.card.depends_on_candidates
        with pytest.raises(ContractError, match="expected the s"):
            law.check(case_of(method))
        return
    law.check(case_of(method))


@pytest.mark.parametrize(
    ("method", "variant"),
    [
        (method, {name: choice})
        for method in METHODS.values()
        for name, kind in method.hints().items()
        if get_origin(kind) is Literal and name != "device"
        for choice in get_args(kind)
    ],
    ids=str,
)
def test_a_sweep_of_every_variant_equals_separate_fits(method, variant):
    a_sweep_equals_separate_fits(MethodUnderTest(method, variant))


def test_every_exception_for_generators_is_a_law():
    assert set(FALSE_FOR_GENERATORS) <= {law.name for law in CONTRACT if law.is_waivable}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_docstring_names_the_paper(method):
    assert "References" in method.__doc__
    assert ".. math::" in method.__doc__
    assert method.card.url.startswith("https://")


def test_every_law_has_its_own_sentence():
    sentences = [law.sentence for law in CONTRACT]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len(set(sentences)) == len(sentences)
