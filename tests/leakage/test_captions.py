"""Captions that name a class: counting, reading, and refusals."""

import gzip
import json
import random

import pytest

from tests.writing import write_file
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.captions import as_text, count_captions, names_of
from zslcore.untrusted import answers
from zslcore.untrusted.readers import captions as reader
from zslcore.untrusted.readers.captions import MAX_LINE
from zslcore.untrusted.worker import watch_calls

CAPTIONS = [
    "A photo of two zebras.",
    "Construction crane at night",
    "giant-panda eating; another giant panda",
    "ZEBRA CROSSING",
    "a red panda",
    "the lion, king of beasts",
    "",
]


def counts(captions, classes):
    result, n = reader.count(captions, [names_of(name) for name in classes])
    assert n == len(list(captions))
    return dict(zip(classes, result, strict=True))


def of_file(path, *classes):
    table, n = count_captions(path, classes)
    return dict(zip(table["class"], table["captions"], strict=True)), n


def test_a_caption_counts_once_for_each_class_it_names():
    assert counts(CAPTIONS, ["zebra", "crane", "giant_panda", "panda", "okapi"]) == {
        "zebra": 2,
        "crane": 1,
        "giant_panda": 1,
        "panda": 2,
        "okapi": 0,
    }


def test_every_synonym_counts_and_its_words_must_be_adjacent():
    result = counts(CAPTIONS, ["n02129165 lion, king of beasts", "panda giant", "crane (bird)"])
    assert list(result.values()) == [1, 0, 1]
    assert names_of("n02129165 lion, king of beasts") == (("lion",), ("king", "of", "beasts"))
    assert names_of("043.Yellow_bellied_Flycatcher") == (("yellow", "bellied", "flycatcher"),)


@pytest.mark.parametrize(
    ("caption", "name", "named"),
    [
        ("three foxes", "fox", 1),
        ("two puppies", "puppy", 1),
        ("stop signs", "stop sign", 1),
        ("stops sign", "stop sign", 0),
        ("a foxhole", "fox", 0),
        ("a firefox", "fox", 0),
        ("Persian-Cats!", "persian+cat", 1),
        ("HorseRacing", "HorseRace", 0),
        ("the fox's den", "fox", 1),
    ],
)
def test_captions_match_inflections_but_not_parts_of_words(caption, name, named):
    assert counts([caption], [name])[name] == named


def test_counts_are_those_of_a_plain_search():
    rng = random.Random(0)
    words = ["red", "fox", "foxes", "cat", "cats", "big", "sea", "lion", "lions"]
    captions = [" ".join(rng.choices(words, k=rng.randint(0, 8))) for _ in range(500)]
    classes = {
        "fox": ["fox", "foxes"],
        "sea lion": ["sea lion", "sea lions"],
        "cat": ["cat", "cats"],
    }
    expected = {
        name: sum(any(f" {form} " in f" {c} " for form in forms) for c in captions)
        for name, forms in classes.items()
    }
    assert counts(captions, list(classes)) == expected


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("ending", [".txt", ".csv", ".tsv"])
def test_caption_files_are_read_plain_and_compressed(tmp_path, ending, packed):
    mark = {".csv": ",", ".tsv": "\t"}.get(ending)
    lines = ["a fox", "two cats"]
    if mark:
        lines = [f"url{mark}TEXT", *(f"x{mark}{line}" for line in lines), "short"]
    data = ("\n".join(lines) + "\n").encode()
    path = tmp_path / f"shard{ending}{'.gz' * packed}"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert of_file(path, "fox", "cat", "owl") == ({"fox": 1, "cat": 1, "owl": 0}, 2)


def test_a_huge_line_of_captions_is_cut_in_bounded_memory(tmp_path):
    path = write_file(tmp_path / "long.txt", "fox " + "x" * (3 * MAX_LINE) + " cat\nowl\n")
    assert of_file(path, "fox", "cat", "owl") == ({"fox": 1, "cat": 0, "owl": 1}, 2)


def test_a_long_cell_does_not_swallow_the_next_row(tmp_path):
    (tmp_path / "a.csv").write_text(f'caption\n"fox {"x" * (MAX_LINE + 9)}"\n"cat"\nowl\n')
    assert of_file(tmp_path / "a.csv", "cat", "owl") == ({"cat": 1, "owl": 1}, 3)


def test_a_class_name_without_latin_letters_is_refused(tmp_path):
    with pytest.raises(FileRefusedError, match="expected a class name in Latin letters"):
        of_file(tmp_path / "none.txt", "fox", "\u72ac")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.parquet", b"PAR1", "a.parquet: expected captions as .txt"),
        ("a.csv", b"url,label\nx,y\n", "a.csv: expected a column caption, text or title"),
        ("a.csv", b"", "expected a column"),
        ("a.csv", b'caption\n"' + b"x\n" * 600_000, r"could not be read to its end \(Error\)"),
        ("a.txt.gz", gzip.compress(b"fox\n" * 999, mtime=0)[:-20], "could not be read to its end"),
        ("a.txt.gz", b"\x1f\x8b\x08\x00" + bytes(6) + b"\xff" * 40, r"to its end \(error\)"),
        ("a.csv", b'caption\n"' + b'abcd\n","' * 300_000, r"to its end \(Error\)"),
    ],
)
def test_unreadable_records_are_refused_in_one_sentence(tmp_path, name, data, message):
    with pytest.raises(FileRefusedError, match=message):
        of_file(write_file(tmp_path / name, data), "fox")


def test_captions_are_read_in_a_worker_that_reports_progress(tmp_path, monkeypatch):
    # The worker has the original function, as it is another process.
    monkeypatch.setattr(reader, "_text", None)
    (tmp_path / "a.txt").write_text("a fox\n" * 100_000)
    shares = []
    with watch_calls(shares.append):
        assert of_file(tmp_path / "a.txt", "fox") == ({"fox": 100_000}, 100_000)
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1


@pytest.mark.parametrize(
    "answer",
    [{"captions": 2, "counts": [3]}, {"captions": 2, "counts": []}, {"captions": "x"}, [1]],
)
def test_an_invalid_result_of_the_worker_refuses_the_file(tmp_path, monkeypatch, answer):
    monkeypatch.setattr(answers, "call_reader", lambda *_, **__: answer)
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        of_file(write_file(tmp_path / "a.txt", "a fox\n"), "fox")


def test_a_missing_caption_file_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(FileRefusedError, match="found none"):
        of_file(tmp_path / "none.txt", "fox")


def test_counts_are_printed_most_frequent_first_with_classes_in_no_caption(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join([*CAPTIONS, "owl"]))
    text = as_text(*count_captions(tmp_path / "a.txt", ["zebra", "panda", "okapi"]))
    assert text.startswith("2 of the 3 test classes are named in 8 captions")
    assert text.index("zebra") < text.index("panda")
    assert "in no caption: okapi" in text


@pytest.mark.nightly
def test_the_command_counts_for_classes_of_a_file_and_of_the_map(tmp_path, capsys, printed):
    (tmp_path / "c.txt").write_text("\n".join(["a pug", "pugs and a leonberger", "a cat"]))
    request = ["contamination", "--captions", str(tmp_path / "c.txt")]
    content = json.loads(printed(*request, "--on", "oxford_pets, new", "--json"))
    captions_of = {row["class"]: row["captions"] for row in content["classes"]}
    assert (content["captions"], len(captions_of)) == (3, 18)
    assert (captions_of["Pug"], captions_of["Leonberger"], captions_of["Samoyed"]) == (2, 1, 0)
    assert "2 of the 2 test classes are named in 3 captions" in printed(
        *request, "--classes", str(write_file(tmp_path / "classes.txt", "cat\npug\n"))
    )
    assert "--captions: expected test classes as well" in printed(*request, status=2)
