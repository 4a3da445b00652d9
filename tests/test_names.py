import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslcore.datasets.facts import ACTION_SETS, action_facts, class_facts, fact_sources
from zslcore.names import class_key, class_keys

SPELLINGS = {
    "grizzly bear": ["grizzly+bear", "Grizzly_Bear", " grizzly bear ", "12.GrizzlyBear"],
    "Laysan Albatross": ["002.Laysan_Albatross", "002_laysan_albatross", "laysan albatross"],
    "Baseball Pitch": ["BaseballPitch", "baseball_pitch", "007.BaseballPitch"],
    "Rueppell's fox": ["rueppells fox", "Rueppell’s_fox"],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_of_a_class_have_one_key(name):
    assert {class_key(spelling) for spelling in SPELLINGS[name]} == {class_key(name)}


def test_different_classes_have_different_keys():
    names = [
        "C",
        "C++",
        "C#",
        "2D",
        "3D",
        "class 1",
        "class 11",
        "4",
        "14",
        "007",
        "zebra 2",
        "+",
        "_",
    ]
    assert len({*map(class_key, names)}) == len(names)
    assert class_keys(["1.a", "2.a", "b"]) == ("1.a", "2.a", "b")


def test_no_two_classes_of_a_published_set_have_one_key():
    sets = [list(map(str, class_facts(name).classes["class"])) for name in fact_sources()]
    for names in [*sets, *(action_facts(name).class_names for name in ACTION_SETS)]:
        assert len({*map(class_key, names)}) == len(names)


@given(st.text())
def test_the_key_of_any_name_is_its_own_key_regardless_of_case(name):
    assert class_key(name) or not name.strip()
    assert class_keys([name, name]) == (class_key(name),) * 2
