"""Lists of test classes in `check`: names, columns, and matches."""

import json

import numpy as np
import pytest

from tests.cards import cards_of_files
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import get_vocabulary
from zslcore.leakage.file_kinds import recognise_file
from zslcore.leakage.render import to_text

NAMES = ["zebra", "grey wolf", "ox"]


def card_of(path, *pretraining):
    (card,) = cards_of_files([path], list(pretraining) or None)
    return card


def marks(card):
    return {finding.check: finding.mark for finding in card.findings}


@pytest.fixture
def write(tmp_path):
    def write(name, *lines):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("case", "n"), [("C1_id_then_name", 6), ("C2_name_then_number", 6), ("D1_wordnet_ids", 3)]
)
def test_lists_of_other_people(case, n, shared):
    (path,) = (shared / "data" / "cases" / case).glob("*.txt")
    card = card_of(path)
    assert card.verdict == "unknown"
    assert f"{n} of {n} listed classes are in ImageNet-1K" in card.sentence
    assert ("Names are read from column" in card.sentence) == (n == 6)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.txt", ["zebra", "grey wolf", "ox"]),
        ("a.csv", ["name,index", "zebra,0", "grey wolf,1", "ox,2"]),
        ("a.tsv", ["0\tzebra", "1\tgrey wolf", "2\tox"]),
        ("a.txt", ["{0: 'zebra',", " 1: 'grey wolf',", " 2: 'ox'}"]),
        ("a.json", [json.dumps(NAMES)]),
        ("a.json", [json.dumps({name: k for k, name in enumerate(NAMES)})]),
        ("a.json", [json.dumps(dict(enumerate(NAMES)))]),
        ("a.txt", [f"n0000000{k},{name}" for k, name in enumerate(NAMES)]),
        *((f"a.{ending}", NAMES) for ending in ("dat", "classes", "md", "text")),
    ],
)
def test_a_class_list_is_recognised_in_every_text_format(write, name, lines):
    if lines[0].startswith("n0"):
        lines = ["n02391049,zebra", "n02114367,grey wolf", "n02403003,ox"]
    path = write(name, *lines)
    assert recognise_file(path).kind == "classes"
    assert "3 of 3 listed classes are in ImageNet-1K" in card_of(path).sentence


def test_an_array_of_names_is_a_class_list(tmp_path):
    np.save(tmp_path / "names.npy", np.array(NAMES))
    assert "3 of 3 listed classes" in card_of(tmp_path / "names.npy").sentence


@pytest.mark.parametrize(
    "lines",
    [
        ["label,zebra,ox", "zebra,0.2,0.8", "ox,0.1,0.9"],
        ["y_true,y_pred", "zebra,ox", "zebra,zebra"],
        ["0,1", "1,0", "0,0"],
    ],
)
def test_a_table_of_scores_or_predictions_is_not_a_class_list(write, lines):
    assert recognise_file(write("a.csv", *lines)).kind == "scores"


@pytest.mark.parametrize("name", ["a.txt", "a.dat", "a"])
@pytest.mark.parametrize("lines", [["0.1 0.9", "0.8 0.2"], ["y_true y_pred", "ox ox", "ox fox"]])
def test_a_text_with_scores_is_recognised_by_its_first_line(write, name, lines):
    assert recognise_file(write(name, *lines)).kind == "scores"


def test_other_json_is_not_a_class_list(write):
    path = write("a.json", json.dumps({"u": 45.1, "s": 60.2}))
    with pytest.raises(FileRefusedError):
        recognise_file(path)


def test_unknown_names_are_open_and_listed(write):
    card = card_of(write("a.txt", "xyzzy,0", "quux,1"))
    assert card.verdict == "unknown"
    assert "WordNet has none of the 2 names (quux, xyzzy)" in card.sentence.replace(
        "(xyzzy, quux)", "(quux, xyzzy)"
    )
    assert marks(card)["Names not in WordNet"] == "open"
    assert "unknown" in to_text(card).split("test classes in the pre-training set")[1][:20]
    assert "No listed class" not in card.sentence


def test_known_names_are_judged_and_unknown_names_listed(write):
    card = card_of(write("a.txt", "zebra", "dog", "quux"))
    assert "1 of 3 listed classes is in ImageNet-1K (zebra)" in card.sentence
    assert "1 of 3 listed classes is related to a class of ImageNet-1K (dog)" in card.sentence
    assert "1 of 3 names is not found in WordNet (quux): it is not compared" in card.sentence
    clean = card_of(write("b.txt", "unicorn", "quux"))
    assert "By name, none of the compared classes is in ImageNet-1K" in clean.sentence
    assert "(quux)" in clean.sentence


def test_ids_are_not_compared_with_names_alone(write):
    assert not get_vocabulary("kinetics-400").hierarchical
    card = card_of(write("a.txt", "n02391049", "n02403003"), "kinetics-400")
    assert "The list has WordNet ids, but Kinetics-400 has none" in card.sentence
    assert card.verdict == "unknown"


def test_ids_for_some_classes_only_are_refused(write):
    with pytest.raises(FileRefusedError, match="WordNet id for all classes or for none"):
        card_of(write("a.txt", "n02391049", "ox"))
