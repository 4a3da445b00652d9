"""The census of released code bases: file, rules, and counts."""

import csv
import json

import pytest

from tools import protocols as census
from zslcore.exceptions import UnknownNameError
from zslcore.leakage import released_codes
from zslcore.leakage.released_codes import CENSUS, HOW, all_choices, choices_of, codes, count_codes

LONG = "`" + 41 * "x" + "`"


def edit_census(tmp_path, values, at=0, drop=()):
    """Return a copy of the census with changed values in a row, and without some rows."""
    with CENSUS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[at] |= values
    copy = tmp_path / CENSUS.name
    with copy.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row for number, row in enumerate(rows) if number not in drop)
    return copy


def test_the_census_is_valid_and_has_at_least_twenty_code_bases():
    assert list(census.problems()) == []
    assert len(codes()) >= 20


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"how": "tset"}, "Unknown word for the epoch 'tset'; did you mean 'test'"),
        ({"how": "drawn"}, "Unknown word for the epoch 'drawn'"),
        ({"commit": "5b233ca"}, "expected a commit of 40 hexadecimal digits; got '5b233ca'"),
        ({"commit": 40 * "g"}, "expected a commit of 40 hexadecimal digits"),
        ({"repository": "mine"}, "expected a repository as owner/name; got 'mine'"),
        ({"file": "", "lines": ""}, "expected the file that shows 'each'; got none"),
        ({"file": "/etc/passwd"}, "expected a path inside the repository"),
        ({"file": "a/../b.py"}, "expected a path inside the repository"),
        ({"file": "a b.py"}, "expected a path inside the repository"),
        (
            {"lines": ""},
            "expected lines such as 112 or 112-115 with a file, else none; got ''",
        ),
        (
            {"lines": "L12"},
            "expected lines such as 112 or 112-115 with a file, else none; got 'L12'",
        ),
        ({"lines": "0"}, "expected lines such as 112 or 112-115"),
        ({"lines": "9-8"}, "expected the first line before the last; got '9-8'"),
        (
            {"read": "23.11.2026"},
            "expected the day of reading, such as 2026-11-23; got '23.11.2026'",
        ),
        ({"read": "2026-13-01"}, "expected the day of reading"),
        ({"says": ""}, "column 'says': expected a text; got none"),
        ({"says": "two "}, "column 'says': expected no space at the start or end"),
        ({"says": 241 * "x"}, "expected at most 240 characters; got 241"),
        (
            {"trained_on": "trainval"},
            "expected a list for choice 'split' only; got 'trainval'",
        ),
        ({"says": LONG}, "expected at most 40 characters of code"),
        ({"choice": "epochs"}, "Unknown choice 'epochs'; did you mean 'epoch'"),
        ({"choice": "seed"}, "DEM: expected each of epoch, seed, parameters, gamma, split once"),
        ({"paper": "A. Author, 2000"}, "DEM: expected one paper; got A. Author, 2000 and L. Zhang"),
        ({"repository": "a/b"}, "DEM: expected one repository; got a/b and lzrobots"),
    ],
)
def test_an_invalid_row_of_the_census_is_refused(tmp_path, values, sentence):
    problems = list(census.problems(edit_census(tmp_path, values)))
    lines = [problem for problem in problems if sentence in problem]
    assert lines, problems
    assert "line 2: " in lines[0] or sentence.startswith(("DEM: ", "Unknown choice"))


def test_missing_choices_wrong_columns_and_unreadable_files_are_refused(tmp_path):
    (result,) = census.problems(edit_census(tmp_path, {}, drop=[1]))
    assert "DEM: expected each of" in result
    assert "got epoch, parameters, gamma, split" in result
    other = tmp_path / "other.csv"
    other.write_text("code,paper\nmine,2026\n")
    assert "expected the columns code, paper, repository" in next(census.problems(other))
    other.write_bytes(b"\xff\xfe\x00")
    assert "could not be read" in next(census.problems(other))
    assert "could not be read" in next(census.problems(tmp_path / "none.csv"))


def test_every_term_has_a_meaning_and_counts_cover_all_code_bases():
    for choice, words in HOW.items():
        assert sum(count_codes(choice).values()) == len(codes())
        assert set(count_codes(choice)) <= set(words)
    chosen = [row.code for row in all_choices() if (row.choice, row.how) == ("epoch", "test")]
    sentence = f"{len(chosen)} of {len(codes())} code bases select the epoch on test images."
    assert released_codes.headline() == sentence


def test_code_bases_are_counted_by_training_list(tmp_path):
    result = released_codes.codes_by_training_list()
    with CENSUS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["choice"] == "split"]
    assert result["train"] == ["GDAN"]
    assert result["trainval"] == [r["code"] for r in rows if r["trained_on"] == "trainval"]
    assert released_codes.trained_in_words() == (
        f"{len(result['trainval'])} of the {len(result['trainval']) + 1} released code bases with "
        "a known training list (GDAN uses train)"
    )
    assert any("`train_loc`" in r["says"] for r in rows if r["trained_on"] == "train")
    at = 4  # the split of the first code base
    (result,) = census.problems(edit_census(tmp_path, {"trained_on": "trainvale"}, at))
    assert "did you mean 'trainval'" in result


def test_urls_point_to_the_lines_at_the_commit():
    row = next(row for row in choices_of("CE-GZSL") if row.choice == "epoch")
    assert row.url == (
        "https://github.com/Hanzy1996/CE-GZSL/blob/3b44bb68ea663ce43cf44d1a79d564f21ac80737/"
        "classifier_embed_contras.py#L100-L103"
    )
    gamma = next(row for row in choices_of("CE-GZSL") if row.choice == "gamma")
    assert gamma.url.endswith("/tree/3b44bb68ea663ce43cf44d1a79d564f21ac80737")
    with pytest.raises(UnknownNameError, match="did you mean 'TF-VAEGAN'"):
        choices_of("TFVAEGAN")


def test_the_command_lists_all_code_bases_and_shows_one(capsys, printed):
    listed = printed("protocols")
    assert all(code in listed for code in codes())
    assert released_codes.headline() in listed
    assert "epoch: validation classes." in printed("protocols", "GDAN")
    assert [row["choice"] for row in json.loads(printed("protocols", "GDAN", "--json"))] == list(
        HOW
    )


def test_the_tool_prints_errors_by_line(capsys, monkeypatch, tmp_path):
    assert census.main() == 0
    assert "no errors" in capsys.readouterr().out
    broken = edit_census(tmp_path, {"commit": "main"})
    monkeypatch.setattr(census.problems, "__defaults__", (broken,))
    assert census.main() == 1
    assert "40 hexadecimal digits; got 'main'" in capsys.readouterr().out
