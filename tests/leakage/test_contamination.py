import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.writing import write_file
from tools import contamination as making
from tools.contamination import count_cell, countable, problems
from zslcore.__main__ import main
from zslcore.datasets.class_lists import parse_class_list
from zslcore.datasets.facts import benchmark_classes, unseen_classes
from zslcore.datasets.open_world import open_world_sets
from zslcore.exceptions import UnknownNameError
from zslcore.leakage import AuditContext, audit_context, contamination, get_vocabulary, reliability
from zslcore.leakage.contamination import (
    COUNTS,
    EXTRACTORS,
    SETS,
    OverlapCell,
    answer,
    cell_of,
    cells,
    contamination_table,
    find_extractor,
    find_test_set,
    own_test_set,
    printed_overlaps,
)
from zslcore.leakage.counts import find_trained_classes, overlaps
from zslcore.leakage.matching import match_names
from zslcore.leakage.reliability import LISTS, transfer_table
from zslcore.leakage.vocabularies import count_understood
from zslcore.storage.files import read_csv_rows

#: Pre-training sets and test sets with a fast class comparison.
CHEAP = {
    *((pretraining, None) for pretraining in ("imagenet-1k", "none")),
    *((pretraining, "aPY, PS") for pretraining in ("kinetics-400", "kinetics-700", "sports-1m")),
    ("kinetics-400", "HMDB51"),
}
AWA_SS, AWA_PS = ("AWA1 and AWA2", "SS"), ("AWA1 and AWA2", "PS")


def output(on, extractor):
    return answer(find_test_set(on), find_extractor(extractor))


# --- Tables ---------------------------------------------------------------------------------------


def test_contamination_tables_are_valid_and_their_counts_are_current():
    assert list(problems()) == []
    assert list(making.stale()) == []


def test_counting_again_gives_the_stored_counts():
    written = {(r["dataset"], r["split"], r["pretraining"]): r for r in read_csv_rows(COUNTS)}
    again = [c for c in countable() if CHEAP & {(c[1], None), (c[1], str(c[0]))}]
    assert len(again) > 20
    for tested, name, vocabulary in again:
        row = count_cell(tested, name, vocabulary)
        assert row == written[tested.dataset, tested.split, name]


def edit_last_row(path, tmp_path, **values):
    """Return a copy of a table with these values in its last row."""
    rows = read_csv_rows(path)
    copy = tmp_path / path.name
    with copy.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([*rows[:-1], rows[-1] | values])
    return copy


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"extractor": "CLIP"}, "a unique name; got 'CLIP'"),
        ({"extractor": ""}, "a unique name"),
        ({"pretraining": "imagenet1k"}, "did you mean 'imagenet-1k'"),
        ({"pretraining": "wit-400m, kinetics-400"}, "Unknown pre-training set"),
        ({"kind": "audio"}, "column 'kind': expected image or video; got 'audio'"),
        ({"labels": "yes"}, "expected classes or captions or none; got 'yes'"),
        ({"source": ""}, "expected a source"),
        ({"url": "http://x"}, "begins with https://; got 'http://x'"),
        ({"source": "A, 2020 "}, "column 'source': expected no space"),
    ],
)
def test_an_invalid_row_of_extractors_is_reported(tmp_path, values, sentence):
    (result,) = problems(edit_last_row(EXTRACTORS, tmp_path, **values))
    assert sentence in result
    assert f"line {len(read_csv_rows(EXTRACTORS)) + 1}" in result


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"list": "kinetics-500"}, "did you mean 'kinetics"),
        ({"list": "sports-1m", "classes": "400"}, "expected 487 classes, as in its list"),
        ({"list": "sports-1m", "classes": ""}, "expected 487 classes, as in its list"),
        ({"classes": "many"}, "expected a number of classes"),
    ],
)
def test_an_invalid_row_of_pretraining_sets_is_reported(tmp_path, values, sentence):
    (result,) = problems(sets_file=edit_last_row(SETS, tmp_path, **values))
    assert sentence in result


def test_wrong_columns_and_unreadable_files_are_reported(tmp_path):
    other = write_file(tmp_path / "contamination.csv", "extractor,kind\nmine,image\n")
    assert "expected the columns extractor, kind, pretraining" in next(problems(other))
    assert "could not be read" in next(problems(write_file(other, b"\xff\xfe\x00")))
    assert "could not be read" in next(problems(tmp_path / "none.csv"))


# --- Map ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dataset", "split", "pretraining", "state", "printed"),
    [
        (*AWA_SS, "imagenet-1k", "overlap", 6),
        (*AWA_PS, "imagenet-1k", "possible", 0),
        ("CUB", "SS", "imagenet-1k", "overlap", 1),
        ("CUB", "PS", "imagenet-1k", "none", 0),
        ("SUN", "SS", "imagenet-1k", "overlap", 6),
        ("aPY", "SS", "imagenet-1k", "overlap", 7),
        ("UCF101", "", "kinetics-400", "overlap", 61),
        ("UCF101", "", "sports-1m", "overlap", 36),
        ("HMDB51", "", "kinetics-400", "overlap", 28),
        ("HMDB51", "", "sports-1m", "overlap", 17),
        ("HMDB51", "", "kinetics-664", "none", 0),
        ("UCF101", "", "kinetics-700", "overlap", None),
        ("CUB", "PS", "wit-400m", "unknown", None),
        ("CUB", "PS", "none", "none", None),
        ("ImageNet", "21K", "imagenet-21k", "overlap", None),
        ("ImageNet", "21K", "imagenet-1k", "possible", None),
        ("ImageNet", "21K", "kinetics-400", "unknown", None),
    ],
)
def test_a_cell_has_its_state_and_the_papers_count(dataset, split, pretraining, state, printed):
    cell = cells()[dataset, split, pretraining]
    assert cell.state == state
    assert (None if cell.printed is None else len(cell.printed)) == printed


def test_certain_matches_are_in_the_complete_lists_of_papers():
    for cell in cells().values():
        if cell.printed and cell.certain:
            extra = set(cell.certain) - set(cell.printed)
            assert len(extra) <= 0.1 * len(cell.certain), (cell, extra)


@pytest.mark.parametrize(
    ("certain", "possible", "printed", "state"),
    [
        (("a",), (), None, "overlap"),
        ((), ("a",), ("a",), "overlap"),
        ((), ("a",), (), "possible"),
        ((), (), None, "none"),
        (None, None, None, "unknown"),
        (None, None, (), "none"),
        (None, None, ("a",), "overlap"),
    ],
)
def test_the_state_of_a_cell_follows_from_lists_and_papers(certain, possible, printed, state):
    n, m = len(certain or ()), len(possible or ())
    assert OverlapCell("d", "s", "p", 3, certain, possible, n, m, printed).state == state


def test_the_map_has_every_test_set_with_every_pretraining_set():
    table = contamination_table()
    assert len(table) == len(contamination.test_sets()) * len(contamination.pretraining_sets())
    web = table[table["pretraining"].isin(["wit-400m", "laion-2b", "webli"])]
    assert (web["state"] == "unknown").all()
    assert (table["in_set"].dropna() <= table["classes"][table["in_set"].notna()]).all()


def test_the_map_counts_the_classes_that_the_answer_counts():
    table = contamination_table().set_index(["dataset", "split", "pretraining"])
    pretraining = {
        e.pretraining[0]: e for e in contamination.extractors().values() if len(e.pretraining) == 1
    }
    n_compared = 0
    for (dataset, split, name), row in table[table["state"] == "overlap"].iterrows():
        if name not in pretraining or dataset == "ImageNet":
            continue
        tested = find_test_set(f"{dataset}, {split}" if split else dataset)
        result = answer(tested, pretraining[name])
        counts = (row["in_set"], row["related"])
        assert counts == (len(result.certain), len(result.possible)), (dataset, split, name)
        assert f"on {row['in_set']} of the {row['classes']}" in result.headline
        shown = contamination.evidence(tested, name)["overlap"]
        assert (shown != "possible").sum() == row["in_set"]
        assert row["text"].startswith(f"{row['in_set']}+{row['related']}/{row['classes']}")
        n_compared += 1
    assert n_compared > 10


def test_imagenet_is_counted_by_its_ids():
    tested = find_test_set("ImageNet, 21K")
    vocabulary = {entry.synset for entry in get_vocabulary("imagenet-1k").entries}
    assert not vocabulary & set(tested.synsets)
    certain, possible = contamination.find_overlapping_classes(
        tested, get_vocabulary("imagenet-1k")
    )
    assert not certain
    assert "dog" in possible  # breeds of dogs are among the 1,000 classes


# --- Answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on", "extractor", "verdict"),
    [
        ("AWA2, SS", "ResNet-101", "Leaks"),
        ("AWA2, PS", "ResNet-101", "Unknown"),
        ("CUB, PS", "ResNet-101", "Clean"),
        ("CUB, PS", "CLIP", "Unknown"),
        ("CUB, PS", "ViT-B/16 and ViT-L/16", "Leaks"),
        ("UCF101", "IDT", "Clean"),
        ("UCF101", "C3D", "Leaks"),
        ("UCF101", "R(2+1)D of E2E", "Clean"),
        ("UCF101", "ActionCLIP", "Leaks"),
        ("CUB, PS", "ActionCLIP", "Unknown"),
        ("ImageNet, 21K", "ResNet-101", "Unknown"),
    ],
)
def test_the_zero_shot_verdict_of_an_extractor_on_a_test_set(on, extractor, verdict):
    assert output(on, extractor).verdict == verdict


def test_an_overlapping_answer_has_counts_names_and_advice():
    no = output("AWA2, SS", "ResNet-101")
    assert "6 of the 10 test classes" in no.sentence
    assert "giant panda" in no.sentence
    assert "labelled classes" in no.sentence
    assert no.advice.startswith("Also report the other 4 separately")
    assert "without labels" in output("AWA2, SS", "DINO").sentence


@pytest.mark.parametrize(
    ("on", "extractor", "n_open", "rest"),
    [
        ("AWA2, SS", "ResNet-101", 1, 4),
        ("CUB, PS", "ViT-B/16 and ViT-L/16", 30, 31),
        ("aPY, SS", "ResNet-101", 1, 5),
        ("SUN, SS", "ResNet-101", 5, 66),
        ("SUN, SS", "I3D", 12, 66),  # some classes are related only to classes of the second set
        ("AWA2, SS", "BiT-M", 0, 0),
    ],
)
def test_other_classes_are_not_called_clean_while_some_are_open(on, extractor, n_open, rest):
    no = output(on, extractor)
    tested = find_test_set(on)
    assert no.verdict == "Leaks"
    assert len(no.possible) == n_open
    assert len(tested.classes) - len(no.certain) == rest
    related = "related class overlaps," if n_open == 1 else f"{n_open} related classes overlap,"
    assert (f"after deciding whether the {related}" in no.advice) == bool(n_open)


def test_an_extractor_of_two_sets_was_trained_on_the_classes_of_both():
    both = output("UCF101", "I3D")
    parts = [set(output("UCF101", name).certain) for name in ("GoogLeNet", "3D-ResNet")]
    assert set(both.certain) == parts[0] | parts[1]
    assert "Kinetics-400" in both.sentence
    animals = output("AWA2, SS", "TimeSformer")
    assert set(animals.certain) == set(output("AWA2, SS", "BiT-M").certain) != set()


def test_the_answer_names_only_the_sets_that_decide():
    assert "WIT-400M" not in output("UCF101", "ActionCLIP").sentence


def test_a_list_is_searched_for_codes_once(monkeypatch):
    """Once per name took minutes for the classes of ImageNet-21K."""
    lists = []
    monkeypatch.setattr(contamination, "are_codes", lists.append)
    own_test_set("mine", ["zebra", "giant panda", "unicorn"])
    assert lists == [("zebra", "giant panda", "unicorn")]


def test_own_classes_are_compared_with_the_lists():
    tested = own_test_set("mine", ["zebra", "giant panda", "unicorn"])
    result = answer(tested, find_extractor("ResNet-101"))
    assert (result.verdict, result.certain) == ("Leaks", ("zebra", "giant panda"))
    assert answer(tested, find_extractor("CLIP")).state == "unknown"
    assert answer(own_test_set("x", ["unicorn"]), find_extractor("ResNet-101")).verdict == "Clean"


def test_classes_by_wordnet_id_are_found_in_lists_of_ids():
    """Files of ImageNet's zero-shot splits name classes by these ids."""
    listed = get_vocabulary("imagenet-21k").entries
    ids = [entry.synset for entry in listed if entry.names[0] in ("dress", "mechanism", "ship")]
    tested = own_test_set("2-hops.txt", ids)
    assert {name.split(" ", 1)[0] for name in tested.classes} == set(ids)
    of_21k = answer(tested, find_extractor("BiT-M"))
    assert (of_21k.verdict, len(of_21k.certain)) == ("Leaks", 3)
    assert "mechanism" in of_21k.sentence
    of_1k = answer(tested, find_extractor("ResNet-101"))
    assert (of_1k.verdict, len(of_1k.possible)) == ("Unknown", 3)  # the set has kinds of each class
    no_ids = answer(tested, find_extractor("3D-ResNet"))
    assert (no_ids.verdict, no_ids.certain) == ("Unknown", ())
    assert "its classes have not been compared with these" in no_ids.sentence


def test_classes_by_wordnet_id_are_related_as_their_names_are():
    """The classes are the unseen classes of AWA; a bobcat is a kind of lynx."""
    names = find_test_set("AWA2, PS").classes
    # Among several meanings of a name, the animal has the lowest id.
    entries = reversed(get_vocabulary("imagenet-21k").entries)
    listed = {entry.names[0]: entry.synset for entry in entries}
    ids = own_test_set("ids", [listed[name] for name in names if name in listed])
    assert len(ids.classes) == len(names)
    by_name, by_id = (
        contamination.find_overlapping_classes(tested, get_vocabulary("imagenet-1k"))
        for tested in (find_test_set("AWA2, PS"), ids)
    )
    assert by_id[0] == by_name[0] == ()
    assert {name.split(" ", 1)[1] for name in by_id[1]} == set(by_name[1])
    assert "bobcat" in by_name[1]


def test_classes_by_id_and_by_name_are_not_mixed(tmp_path, printed):
    (tmp_path / "mine.txt").write_text("n02391049\nunicorn\nn02411705 sheep\n")
    output = printed("contamination", "--classes", tmp_path / "mine.txt", status=2)
    assert "expected a WordNet id for all classes or for none; got 2 of 3." in output


@pytest.mark.parametrize(
    ("on", "extractor", "by"),
    [
        (
            "SUN, SS",
            "ResNet-101",
            "All 6 are labelled classes of ImageNet-1K, 5 of them "
            "according to Xian et al. 2019 only: ",
        ),
        (
            "HMDB51",
            "C3D",
            "All 17 are labelled classes of Sports-1M, 10 of them "
            "according to Huang et al. 2021 only: ",
        ),
        ("AWA2, SS", "ResNet-101", "All 6 are labelled classes of ImageNet-1K: "),
        ("ImageNet, 21K", "BiT-M", "All 20,844 are labelled classes of ImageNet-21K"),
    ],
)
def test_classes_listed_only_by_a_paper_are_credited_to_it(on, extractor, by):
    assert output(on, extractor).evidence.startswith(by)


def test_an_absence_is_stated_as_one_by_name():
    assert output("CUB, PS", "ResNet-101").sentence == (
        "By name and by WordNet, none of the 50 test classes is in ImageNet-1K."
    )
    assert output("UCF101", "R(2+1)D of E2E").sentence.endswith(
        "is in Kinetics-664, according to Brattoli et al. 2020; its list of classes is not public."
    )


def test_sentences_use_the_singular_for_one_class():
    assert output("HMDB51", "ResNet-101").advice == (
        "Decide whether it is the same class. If not, the result may be reported as zero-shot."
    )
    map_answer = answer(own_test_set("mine", ["zebra", "sheep"]), find_extractor("ResNet-101"))
    assert map_answer.advice.startswith(
        "Also report the other class separately, after deciding whether it overlaps, or"
    )


def test_misspelt_extractors_and_test_sets_get_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'ResNet-101'"):
        find_extractor("resnet-1001")
    with pytest.raises(UnknownNameError, match="did you mean 'CUB, PS'"):
        find_test_set("CUB PS")


# --- Command --------------------------------------------------------------------------------------


def test_the_command_prints_the_map(printed):
    out = printed("contamination")
    assert "6+1/10 {6}" in out
    assert "unknown on every test set" in out
    assert "wit-400m" in out


def test_the_command_judges_a_file_of_classes(tmp_path, capsys, printed):
    file = write_file(tmp_path / "mine.txt", "zebra\nunicorn\n")
    assert main(["contamination", "--classes", str(file), "--extractor", "ResNet-101"]) == 0
    assert (
        "1 of the 2 test classes. It is a labelled class of ImageNet-1K: zebra."
        in capsys.readouterr().out
    )
    assert '"verdict": "Unknown"' in printed(
        "contamination", "--on", "CUB, PS", "--extractor", "CLIP", "--json"
    )


@pytest.mark.parametrize(
    ("extractor", "sentence"),
    [
        ("VGG-16 and VGG-19", "Unknown. WordNet has none of the 3 names (7, 8, 9)"),
        ("IDT", "Clean. These features are hand-crafted"),
    ],
)
def test_the_command_judges_a_data_set(extractor, sentence, printed):
    request = ["contamination", "--dataset", "digits", "--extractor", extractor]
    assert sentence in printed(*request)


def answer_on_lines(lines, extractor="ResNet-101"):
    listed = parse_class_list(lines, count_understood)
    return answer(own_test_set("mine", listed), find_extractor(extractor))


@pytest.mark.parametrize(
    "lines",
    [
        ["xyzzy", "quux"],
        ["unicorn", "quux"],  # WordNet has unicorn, but not quux
        ["xx_1,foo", "xx_2,quux"],
        ["label_01", "label_02"],
        ["class 1", "class 2", "class 3"],
        ["0", "1", "2"],
        ["n99999999"],
        ["Sch\u00e4ferhund", "\u72ac"],
        ["747-100", "A320"],
    ],
)
def test_unknown_names_never_give_a_clean_answer(lines):
    result = answer_on_lines(lines)
    assert (result.state, result.verdict) == ("unknown", "Unknown")
    assert "not compared" in result.sentence


def test_unknown_names_are_reported_next_to_the_known_ones():
    assert answer_on_lines(["unicorn", "centaur"]).verdict == "Clean"
    result = answer_on_lines(["dog", "quux"])
    assert result.verdict == "Unknown"
    assert "1 of 2 names is not found in WordNet (quux)" in result.sentence
    result = answer_on_lines(["zebra", "quux", "xyzzy"])
    assert result.verdict == "Leaks"
    assert "2 of 3 names are not found in WordNet (quux, xyzzy)" in result.sentence
    assert answer_on_lines(["zumba", "quux"], "I3D").certain == ("zumba",)
    assert "(quux)" in answer_on_lines(["zumba", "quux"], "I3D").sentence
    # IDT features have no pre-training set.
    assert answer_on_lines(["quux"], "IDT").verdict == "Clean"


@pytest.mark.parametrize(
    "fixture", ["C1_id_then_name", "C2_name_then_number", "C6_contamination_says_yes"]
)
def test_class_lists_of_other_projects_are_read(fixture, shared, printed):
    path = shared / "data" / "cases" / fixture / "labels.txt"
    out = printed("contamination", "--classes", path, "--extractor", "ResNet-101")
    assert "6 of the 6 test classes" in out
    assert "Names are read from column" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--extractor", "CLIP"], "--extractor: expected test classes as well"),
        (["--split", "PS"], "expected --dataset"),
        (["--on", "UCF-101"], "did you mean 'UCF101'"),
        (["--classes", "/nowhere/list.txt"], "expected a file; found none"),
    ],
)
def test_invalid_options_are_refused_in_one_sentence(options, sentence, printed):
    assert sentence in printed("contamination", *options, status=2)


def test_an_empty_list_is_refused(tmp_path, printed):
    assert "expected class names; got none" in printed(
        "contamination", "--classes", str(write_file(tmp_path / "none.txt", "\n")), status=2
    )


def test_tools_contamination_reports_errors_by_line(capsys, monkeypatch):
    assert making.main([]) == 0
    assert "no errors" in capsys.readouterr().out
    monkeypatch.setattr(making, "problems", lambda: ["contamination.csv, line 3: no."])
    assert making.main([]) == 1
    assert "line 3" in capsys.readouterr().out


# --- Accuracy of the matching ---------------------------------------------------------------------


def test_matching_is_precise_and_complete_on_held_out_labelled_pairs():
    result = making.measure()
    assert [row.part for row in result] == ["tuned", "held_out"]
    for row in result:
        assert row.precision["certain"] >= 0.98, row
        assert row.recall["certain or possible"] >= 0.95, row
    assert sum(row.pairs for row in result) >= 400
    assert min(row.pairs for row in result) >= 300
    assert result == reliability.stored_reliability()  # as printed on the page
    assert (
        f"On {result[1].pairs} labelled pairs of a class of ImageNet-1K and"
        in reliability.describe_reliability()
    )
    assert reliability.PRETRAINING_LIST == "imagenet-1k"
    guide = Path("docs/guide/right.md").read_text(encoding="utf-8")
    pairs = sum(row.pairs for row in result)
    assert f"{pairs} labelled pairs measure" in guide
    assert f"the {result[1].pairs} held-out pairs" in guide


def test_every_certain_match_of_the_labelled_lists_has_a_label():
    assert not list(making.unlabelled())


def test_every_target_has_thirty_labelled_pairs_with_precise_matches():
    table = transfer_table().set_index("name")
    assert (table["pairs"] >= 30).all()
    expected = pd.Series([p.list for p in reliability.pairs()]).value_counts()
    assert table["pairs"].tolist() == [expected[LISTS[name]] for name in table.index]
    assert (table["pairs_right"] == table["pairs_certain"]).all()
    with_certain = {"caltech101", "oxford_pets", "flowers102", "food101", "sun397"}
    assert set(table.index[table["pairs_certain"] > 0]) == with_certain


def test_labelled_pairs_are_unique_and_from_lists_outside_the_image_benchmarks():
    labelled = reliability.pairs()
    assert {pair.label for pair in labelled} == {"same", "part or kind", "different"}
    entries = {entry.names[0] for entry in get_vocabulary("imagenet-1k").entries}
    assert {pair.pretraining_class for pair in labelled} <= entries
    assert len({(p.list, p.name, p.pretraining_class) for p in labelled}) == len(labelled)
    datasets = {tested.dataset for tested in contamination.test_sets()}
    assert {pair.list for pair in labelled} & datasets == {"UCF101"}  # UCF101 is also a test set


def test_overlaps_of_the_kinetics_600_test_are_counted_on_demand():
    tested = find_test_set("Kinetics-600, ZSL220 2")
    assert (len(tested.classes), len(tested.context)) == (160, 220)
    assert contamination.cell_of(tested, "kinetics-400").n_certain == 0
    assert contamination.cell_of(tested, "kinetics-600").n_certain == 160
    assert answer(tested, find_extractor("SlowFast (Kinetics-600)")).verdict == "Leaks"
    assert len(find_test_set("Kinetics-600, ZSL220").classes) == 220


def test_no_action_matches_a_class_of_imagenet_for_certain():
    for dataset in ("UCF101", "HMDB51"):
        result = cells()[dataset, "", "imagenet-1k"]
        assert (result.certain, output(dataset, "ResNet-101").verdict) == ((), "Unknown")


def test_tools_contamination_reports_outdated_measurements_of_pairs(monkeypatch, capsys):
    monkeypatch.setattr(making, "stored_reliability", lambda: ())
    assert making.main([]) == 1
    assert "matching_measured.csv: expected results for the current" in capsys.readouterr().out


def test_an_extractor_of_two_networks_takes_the_plural():
    assert output("AWA2, SS", "VGG-16 and VGG-19").sentence.startswith("VGG-16 and VGG-19 were ")
    assert output("CUB, PS", "CLIP").sentence.startswith("CLIP was trained on ")


def test_transfer_counts_equal_the_labels_and_the_comparison(printed):
    table = transfer_table().set_index("name")
    sets = open_world_sets()
    assert list(table.index) == [name for name in sets if name != "imagenet"]
    for name, list_ in LISTS.items():
        labelled = [pair for pair in reliability.pairs() if pair.list == list_]
        same = {pair.name for pair in labelled if pair.label == "same"}
        assert table.loc[name, "same"] == len(set(sets[name].labels_of(sorted(same))))
    matched = match_names(sets["oxford_pets"].class_names, get_vocabulary("imagenet-1k"))
    strong = {match.class_name for match in matched if match.strength == "strong"}
    assert table.loc["oxford_pets", "certain"] == len(strong)
    (line,) = [
        t for t in printed("base-to-new", "--transfer").splitlines() if t.startswith("Oxford-IIIT")
    ]
    values = [str(v) for v in table.loc["oxford_pets"].iloc[1:7]]
    assert line.split()[-9:-3] == values
    assert line.endswith("19 of 19")
    assert len(json.loads(printed("base-to-new", "--transfer", "--json"))) == len(table)


def test_an_unknown_answer_has_the_finding_of_the_paper_and_advice(capsys):
    clip = answer(find_test_set("oxford_pets, new"), find_extractor("CLIP"))
    assert clip.verdict == "Unknown"
    assert "21.5 % on Country211" in clip.sentence
    assert " 0.0 %" not in clip.sentence
    assert "count those that name your classes" in clip.advice
    dino = answer(find_test_set("oxford_pets, new"), find_extractor("DINOv2"))
    assert "Its paper" not in dino.sentence
    assert "captions" not in dino.advice
    for name in ("MetaCLIP", "EVA-CLIP-18B"):
        assert answer(find_test_set("CUB, PS"), find_extractor(name)).verdict == "Unknown"
    printed = printed_overlaps("wit-400m")
    assert {row.dataset: row.gain for row in printed}["Birdsnap"] == pytest.approx(0.006)
    assert all(0 <= row.share < 1 and row.url.startswith("https://") for row in printed)


@pytest.mark.parametrize("split", ["SS", "PS"])
@pytest.mark.parametrize("benchmark", ["AWA1", "AWA2", "CUB", "SUN", "aPY"])
def test_map_audit_and_card_count_the_same_classes_in_the_set(benchmark, split):
    names, unseen = benchmark_classes(benchmark), unseen_classes(benchmark, split)
    vocabulary = get_vocabulary("imagenet-1k")
    cell = cell_of(find_test_set(f"{benchmark}, {split}"), vocabulary.name)
    rows = np.flatnonzero(np.isin(names, unseen))
    context = AuditContext(
        *("lists", {}), class_names=names, class_lists={"unseen": rows}, vocabularies=(vocabulary,)
    )
    audited = [f for f in audit_context(context).of("ZSL006") if f.mark == "leak"]
    on_card = find_trained_classes(unseen, [vocabulary], names)
    assert {name for finding in audited for name in finding.classes} == {*cell.in_set}
    assert set(on_card.classes) == {*cell.in_set}
    assert on_card.numbers["related"] == cell.n_related
    n_listed = len({*cell.in_set} - {*cell.certain})
    clause = f"{n_listed} of them according to Xian et al. 2019 only" if n_listed else ""
    assert all(clause in finding.sentence for finding in (*audited, on_card) if cell.in_set)


def test_a_class_listed_by_a_paper_can_be_rejected():
    names = benchmark_classes("aPY")
    counted = {
        row.class_name: row
        for row in overlaps(names, get_vocabulary("imagenet-1k"), names, {"wolf": "rejected"})
    }
    assert counted["monkey"].counts
    assert "listed by Xian et al. 2019" in counted["monkey"].row[5]
    assert not counted["wolf"].counts
    assert not counted["wolf"].open
    assert not overlaps(["monkey"], get_vocabulary("imagenet-1k"), names[1:])[0].counts
