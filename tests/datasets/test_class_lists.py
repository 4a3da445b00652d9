import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.writing import write_file
from zslcore.datasets.class_json import is_class_json
from zslcore.datasets.class_lists import ClassList, parse_class_list, read_class_list
from zslcore.datasets.class_rows import is_class_table
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.file_kinds import recognise_file

NAMES = ["chimpanzee", "grey wolf", "zebra", "otter", "persian cat", "ox"]
IDS = ["n02481823", "n02114367", "n02391049", "n02444819", "n02123394", "n02403003"]


def lines_of(form):
    """One line per class; {i} is its number, {id} its WordNet id, {_} its name with underscores."""
    return [
        form.format(
            n, i=i, j=i + 1, id=IDS[i], _=n.replace(" ", "_"), an="an" if n == "ox" else "a"
        )
        for i, n in enumerate(NAMES)
    ]


@pytest.mark.parametrize(
    ("form", "column"),
    [
        ("{0}", ""),
        ("{0}\r", ""),
        ('"{0}"', ""),
        ("'{0}',", ""),
        ("\u201c{0}\u201d", ""),
        ("- {0}", ""),
        ("{_}.n.01", ""),
        ("{j}. {0}", ""),
        ("{j}) {0}", ""),
        ("{0},{i}", "column 1 of 2"),
        ("{i},{0}", "column 2 of 2"),
        ('"{0}",{i}', "column 1 of 2"),
        ('{i},"{0}, Latin name {i}",mammal', "column 2 of 3"),
        ("Label_A_{j:02}, {0}", "column 2 of 2"),
        ("{i}\t{0}", "column 2 of 2"),
        ("{0};{i}", "column 1 of 2"),
        ("| {i} | {0} |", "column 2 of 2"),
        ("{i} {0}", "column 2 of 2"),
        ("{0} {i}", "column 1 of 2"),
        ("{i} {0} 17{i}", "column 2 of 3"),
        ("{0}_{i}", "column 1 of 2"),
        ("{0} (1{i})", "column 1 of 2"),
        ("{0} [12]", "column 1 of 2"),
        ("{0}-{i}", "column 1 of 2"),
        ("{i}: {0}", "column 2 of 2"),
        ("{0}: {i}", "column 1 of 2"),
        ("{0} -> {i}", "column 1 of 2"),
        ("  {i}: '{0}, Latin name {i}',", "column 2 of 2"),
        ('"{0}": {i},', "column 1 of 2"),
        ("{0},mammal", "column 1 of 2"),
        ("({i}, '{0}'),", "column 2 of 2"),
        ("['{0}', {i}],", "column 1 of 2"),
        ("{{'id': {i}, 'name': '{0}'}},", "column 2 of 2 ('name')"),
        ("class_{i} {0}", "column 2 of 2"),
        ("C{j:02}_{0}", "column 2 of 2"),
        ("{0} 0.25 -1 3e-2", "column 1 of 4"),
        ("{0}, 0.25, 1.5", "column 1 of 3"),
        ("{0} ({j}5 images)", "column 1 of 2"),
        ("- [{0}](https://example.org/{_})", ""),
        ("<class id='{i}'>{0}</class>", ""),
        ("data/train/{0}/", "the last part of each path"),
        ("a photo of {an} {0}.", "the prompt 'a photo of a ...'"),
        ("{i},a photo of {an} {0}", "the prompt 'a photo of a ...' in column 2 of 2"),
        ("This is a picture of the {0} in the wild.", "the prompt"),
    ],
)
def test_names_can_be_anywhere_in_a_line(form, column):
    result = parse_class_list(lines_of(form))
    assert [name.replace("_", " ") for name in result.names] == NAMES
    assert result.column.startswith(column)
    assert bool(result.column) == bool(column)


@pytest.mark.parametrize("form", ["{j:03}.{_}", "{j} {j:03}.{_}"])
def test_numbered_folders_keep_the_words_of_their_names(form):
    result = parse_class_list(lines_of(form)).names
    assert [name.split(".")[-1].replace("_", " ") for name in result] == NAMES


@pytest.mark.parametrize(
    "form", ["{id} {0}", "{id},{0}", "{0},{id}", "{id}_{0}", '{i}: ["{id}", "{0}"],']
)
def test_a_wordnet_id_stays_with_its_name(form):
    result = parse_class_list(lines_of(form))
    assert list(result.names) == [f"{i} {name}" for i, name in zip(IDS, NAMES, strict=True)]


@pytest.mark.parametrize("form", ["{id}", "{i},{id}"])
def test_wordnet_ids_without_names_are_the_names(form):
    assert list(parse_class_list(lines_of(form)).names) == IDS


@pytest.mark.parametrize("spell", [str.upper, lambda i: f"{i[1:]}-n"])
def test_a_wordnet_id_has_other_spellings(spell):
    assert list(parse_class_list([*map(spell, IDS)]).names) == IDS


@pytest.mark.parametrize(
    ("before", "form", "after", "column"),
    [
        (["id\tname"], "{i}\t{0}", [], "column 2 of 2 ('name')"),
        (["name,index"], "{0},{i}", [], "column 1 of 2 ('name')"),
        (["class_name,superclass"], "{0},mammal", [], "column 1 of 2 ('class_name')"),
        (["| id | class |", "|---|---|"], "| {i} | {0} |", [], "column 2 of 2 ('class')"),
        (["label"], "{0}", [], ""),
        (["# of our data"], "{0}", [], ""),
        (["names:"], "  - {0}", [], ""),
        (["names:"], "  {i}: {0}", [], "column 2 of 2"),
        (["classes = ["], "    '{0}',", ["]"], ""),
        (["{"], "{i}: '{0}',", ["}"], "column 2 of 2"),
        (["classes = {"], '    "{0}": {i},', ["}"], "column 1 of 2"),
        (["\ufeffname"], "{0}", [], ""),
    ],
)
def test_titles_and_brackets_are_not_names(before, form, after, column):
    result = parse_class_list([*before, *lines_of(form), *after])
    assert result == ClassList(tuple(NAMES), column)


def test_names_on_one_line_are_separate_classes():
    assert parse_class_list([", ".join(NAMES)]).names == tuple(NAMES)
    assert parse_class_list([repr(NAMES)]).names == tuple(NAMES)
    assert parse_class_list([repr(dict(enumerate(NAMES)))]).names == tuple(NAMES)
    assert parse_class_list([repr([*enumerate(NAMES)])]).names == tuple(NAMES)
    assert parse_class_list(["dog (12), cat (3), ox (4)"]).names == ("dog", "cat", "ox")
    assert parse_class_list(["dog"]).names == ("dog",)
    assert parse_class_list(["a photo of a dog."]).names == ("dog",)


@pytest.mark.parametrize(
    "lines",
    [
        ["carpenter's plane", "potter's wheel", "yellow lady's slipper"],
        ["Acura TL Sedan 2012", "Audi A5 Coupe 2012", "BMW M3 2010"],
        ["747-100", "747-200", "A320"],
        ["person riding a bike", "person riding a horse"],
        ["class_0", "class_1", "class_2"],
        ["playing guitar", "playing drums"],
    ],
)
def test_names_with_separators_stay_whole(lines):
    assert parse_class_list(lines) == ClassList(tuple(lines))


def test_the_text_column_with_words_of_the_dictionary_has_the_names():
    lines = ["Zebra,stripes", "Fuchs,fox"]
    assert parse_class_list(lines).names == ("Zebra", "Fuchs")
    dictionary = {"stripes", "fox"}
    result = parse_class_list(lines, lambda names: len(dictionary & set(names)))
    assert result == ClassList(("stripes", "fox"), "column 2 of 2")


def test_words_of_one_line_are_names_if_a_dictionary_has_them():
    def dictionary_of(names):
        return len({"dog", "cat", "killer_whale", "killer whale"} & {*names})

    assert (
        parse_class_list(["dog cat killer_whale"], dictionary_of).column == "the words of the line"
    )
    assert parse_class_list(["killer whale"], dictionary_of).names == ("killer whale",)


@pytest.mark.parametrize(
    "value",
    [
        NAMES,
        dict(enumerate(NAMES)),
        [{"id": i, "name": name} for i, name in enumerate(NAMES)],
        [{"class": name, "images": 10} for name in NAMES],
        {"info": {"year": 2020}, "categories": [{"id": i, "name": n} for i, n in enumerate(NAMES)]},
        {"names": dict(enumerate(NAMES)), "nc": 6},
        {"classes": NAMES, "version": "1"},
        {"layers": ["a"], "id2label": dict(enumerate(NAMES)), "label2id": {"zebra": 2}},
        {name: [f"the fur of a {name} is soft", "four legs"] for name in NAMES},
        {name: ["fur", "four legs"] for name in NAMES},
        {name: f"a photo of a {name}." for name in NAMES},
        {"monkeys": NAMES[:1], "other mammals": NAMES[1:]},
        [[i, name] for i, name in enumerate(NAMES)],
        {name: [f"c{i % 2}", i] for i, name in enumerate(NAMES)},
        {i: {"class_name": name, "attributes": ["fur"]} for i, name in enumerate(NAMES)},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_lists_classes_in_records_or_under_a_title(tmp_path, value, indent):
    path = write_file(tmp_path / "classes.json", json.dumps(value, indent=indent))
    assert is_class_json(json.loads(path.read_text()))
    assert list(read_class_list(path).names) == NAMES


@pytest.mark.parametrize(
    "value",
    [
        [{"image": "a.jpg", "label": "dog"}, {"image": "b.jpg", "label": "cat"}],
        [{"name": "dog"}, {"name": "dog"}],
        {"names": ["dog"], "labels": ["cat"]},
        {"accuracy": 0.5},
        {"image": ["a.jpg", "b.jpg"], "caption": ["a dog", "a cat"]},
        {"y_true": ["dog", "cat"], "y_pred": ["cat", "dog"]},
        {"dog": "mammal", "crow": "bird"},
        {"dog": ["fur"]},
        [{"name": 1}],
        [["a", "dog"], ["b", "cat"]],
        {"n02481823": [0.5, 0.1], "n02114367": [0.2, 0.7]},
        {"dog": [0, 1, 1], "cat": [1, 0, 1]},
    ],
)
def test_other_json_is_not_a_list_of_classes(value):
    assert not is_class_json(value)


@pytest.mark.parametrize(
    "names", ["\n".join(f"  {i}: {n}" for i, n in enumerate(NAMES)), f" {NAMES}"]
)
def test_the_yaml_of_a_detector_lists_its_classes_under_a_title(tmp_path, names):
    path = tmp_path / "data.yaml"
    line = "" if names.startswith(" [") else "\n"
    path.write_text(f"path: ../data\ntrain: images/train\nnc: 6\nnames:{line}{names}\n")
    assert list(read_class_list(path).names) == NAMES


@given(st.lists(st.text(max_size=40), max_size=8))
@example(['"a"\rb'])
@example(['a,"b\nc', "d,e"])
def test_any_text_is_read(lines):
    result = parse_class_list(lines)
    assert len(set(result.names)) == len(result.names)
    assert all(result.names)


@pytest.mark.parametrize(
    "separator", ["\r", "\n", "\r\n", "\x0b", "\x0c", "\x1e", "\x85", "\u2028"]
)
def test_every_line_separator_ends_a_line(separator):
    lines = ['0,"grey wolf"', '1,"red fox"', '2,"ox"']
    assert parse_class_list([separator.join(lines)]) == parse_class_list(lines)
    assert is_class_table([separator.join(lines)])


def test_a_table_of_classes_may_have_many_columns():
    rows = [f"{i},{n},mammal,family {i % 2},order,{i}00" for i, n in enumerate(NAMES)]
    assert is_class_table(["id,name,super,family,order,count", *rows])
    scores = [f"{n},{i},{i + 1},{i + 2},{i + 3}" for i, n in enumerate(NAMES)]
    assert not is_class_table(["name,ox,cat,dog,hen", *scores])


@given(st.lists(st.text(alphabet='a1," \r\n\x0b\u2028', max_size=20), max_size=5))
@example(['a,"b"\rc', "d,e"])
def test_any_text_is_read_or_refused(lines):
    assert is_class_table(lines) in (True, False)


def test_a_file_without_names_is_refused(tmp_path):
    (tmp_path / "none.txt").write_text("# nothing\n\n")
    with pytest.raises(FileRefusedError, match=r"none\.txt: expected class names; got none"):
        read_class_list(tmp_path / "none.txt")
    (tmp_path / "a.txt").write_text("0\tdog\n1\tcat\n")
    assert read_class_list(tmp_path / "a.txt").names == ("dog", "cat")


@pytest.mark.parametrize(
    "value",
    [
        {k: [wnid, name] for k, (wnid, name) in enumerate(zip(IDS, NAMES, strict=True))},
        [*zip(IDS, NAMES, strict=True)],
        {n: {"wnid": i, "idx": k} for k, (i, n) in enumerate(zip(IDS, NAMES, strict=True))},
        dict(zip(IDS, NAMES, strict=True)),
        dict(zip(NAMES, IDS, strict=True)),
    ],
)
def test_json_with_ids_of_wordnet_has_an_id_and_a_name_per_class(tmp_path, value):
    path = write_file(tmp_path / "imagenet_class_index.json", json.dumps(value))
    assert is_class_json(json.loads(path.read_text()))
    assert [*read_class_list(path).names] == [" ".join(p) for p in zip(IDS, NAMES, strict=True)]


def test_code_has_one_list_of_classes(tmp_path):
    path = tmp_path / "names.py"
    templates = "templates = [\n    'a photo of a {}.',\n]\n"
    for code in (
        f"import clip\nawa_classes = {NAMES}\n{templates}",
        f"META = {{'classes': {NAMES}}}",
    ):
        assert [*read_class_list(write_file(path, code)).names] == NAMES
        assert recognise_file(path).kind == "classes"
    for code in (templates, f"a_classes = {NAMES}\nb_classes = {NAMES}\n", "classes = ['ox'"):
        with pytest.raises(FileRefusedError, match="without exactly one list of classes"):
            recognise_file(write_file(path, code))


def test_an_id_and_a_number_may_precede_each_name():
    lines = ["n01440764 1 tench", "n01484850 2 great_white_shark", "n01494475 3 hammerhead"]
    ids = ("n01440764 tench", "n01484850 great_white_shark", "n01494475 hammerhead")
    assert parse_class_list(lines).names == ids


@pytest.mark.parametrize("number", ["", " {}"])
def test_a_path_is_reduced_to_the_folder_of_its_class(number):
    paths = ("/a/abbey", "/b/barn/outdoor", "/l/library/indoor", "/l/library/outdoor")
    lines = [path + number.format(k) for k, path in enumerate(paths)]
    ends = ("abbey", "barn outdoor", "library indoor", "library outdoor")
    assert parse_class_list(lines).names == ends
    assert parse_class_list(lines[:3]).names == ("abbey", "outdoor", "indoor")


def test_utf_16_text_is_read_and_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("dog\nfox\n", encoding="utf-16")
    assert read_class_list(path).names == ("dog", "fox")
    with pytest.raises(FileRefusedError, match=r"a\.txt: expected a text file; got a binary"):
        read_class_list(write_file(path, b"\x93NUMPY\x01\x00d\x00o\x00g\x00"))


def test_text_in_windows_1252_is_read(tmp_path):
    path = write_file(tmp_path / "names.txt", "B\u00e4r\nL\u00f6we\n".encode("cp1252"))
    assert read_class_list(path).names == ("B\u00e4r", "L\u00f6we")
    path.write_bytes("caf\u00e9\nBar".encode() + b"\xe4\n")  # the last byte is not valid UTF-8
    assert read_class_list(path).names == ("caf\u00e9", "Bar\ufffd")


@pytest.mark.parametrize("run", [" ", "_", "\t", "1"])
def test_long_runs_of_one_character_take_no_more_time_than_words(run):
    """A search over every start and every end in a line would take seconds per line."""

    def seconds(line):
        start = time.process_time()
        parse_class_list([f"{line}b{k}" for k in range(20)])
        return time.process_time() - start

    words = seconds(("word " * 400)[:1990])
    assert seconds(f"a{run * 1990}"[:1990]) < 10 * max(words, 0.02)


def test_names_before_many_spaces_and_a_number_are_read():
    assert parse_class_list([f"dog{' ' * 40}1", f"cat{' ' * 40}2"]).names == ("dog", "cat")


def test_a_name_before_two_or_more_numbers_is_split_off():
    read = parse_class_list(["sea lion 1 2.5 -3", "fox,\t0 1e5 2", "owl2 4;5 6"])
    assert read.names == ("sea lion", "fox", "owl2")


def test_many_letters_before_numbers_do_not_take_cubic_time():
    """Trying every letter as the end of the name would take an hour."""
    assert parse_class_list(["a-" * 900 + f"{k}" for k in range(400)]).names
