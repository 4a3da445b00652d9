"""Laws that hold for every zero-shot method, whatever its mathematics."""

from functools import cache

import pytest

from zslcore.evaluation.laws import LAWS, Case
from zslcore.methods import METHODS

#: The laws are checked strictly: nothing is waived for a method of the package.
case_of = cache(Case)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_law(method, law):
    law.check(case_of(method))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_docstring_names_the_paper(method):
    assert "References" in method.__doc__
    assert ".. math::" in method.__doc__
    assert method.card.url.startswith("https://")


def test_every_law_is_a_sentence_of_its_own():
    sentences = [law.sentence for law in LAWS]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert len(set(sentences)) == len(sentences)
