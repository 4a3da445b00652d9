"""The command check: cards, all findings, and the page on a submission."""

import json

import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets.files import with_type_code
from zslcore.__main__ import main
from zslcore.leakage import audit

Y = np.repeat(np.arange(4), 20)


@pytest.fixture
def split(tmp_path):
    parts = {"trainval": range(1, 46), "test_seen": range(41, 61), "test_unseen": range(61, 81)}
    lists = {f"{part}_loc": np.array(rows)[:, None] for part, rows in parts.items()}
    savemat(tmp_path / "mine.mat", lists | {"labels": Y[:, None] + 1})
    return tmp_path / "mine.mat"


def test_format_json_prints_cards_of_files_that_are_not_splits(split, capsys, printed):
    scores = split.with_name("scores.npz")
    np.savez(scores, scores=np.eye(4)[Y], labels=Y, unseen=[3])
    card = json.loads(printed("check", scores, "--format", "json", status=3))
    assert (card["kind"], card["verdict"]) == ("score matrix", "unknown")
    assert main(["check", str(split), str(scores), "--format", "json"]) == 1
    assert {card["kind"] for card in json.loads(capsys.readouterr().out)} >= {"score matrix"}


def test_a_file_that_crashes_its_reader_exits_with_2(tmp_path, printed):
    savemat(tmp_path / "crash.mat", {"att": np.arange(12.0).reshape(3, 4)})
    with_type_code(tmp_path / "crash.mat", 200)
    output = printed("check", "--format", "text", tmp_path / "crash.mat", status=2)
    assert output.startswith("zslcore: crash.mat")


def test_a_data_set_is_checked_by_name_with_several_splits_at_once(split, capsys, printed):
    assert main(["check", "digits", "--allow-incomplete"]) in (0, 1)
    assert "ZSL010" in capsys.readouterr().out
    other = split.with_name("other.mat")
    savemat(other, {"trainval_loc": [1, 2], "test_seen_loc": [2], "test_unseen_loc": [70]})
    assert printed("check", split, other, "--fail-on", "warning", status=1).count("ZSL010") == 2
    assert "expected one split" in printed("check", split, other, "--correct", "a.mat", status=2)


@pytest.mark.nightly
def test_page_writes_the_review_of_a_split_and_its_scores(split, tmp_path, capsys, printed):
    tested = Y[40:80]
    scores = np.random.default_rng(0).normal(size=(40, 4)) + 2 * np.eye(4)[tested]
    np.savez(tmp_path / "scores.npz", scores=scores, y=tested, unseen_classes=[3])
    files = [str(tmp_path / "scores.npz"), str(split)]
    page = tmp_path / "page.html"
    assert "LEAKS" in printed("check", *files, "--page", page, "--gamma-on", "validation", status=1)
    assert "<h1" in page.read_text()
    assert main(["check", *files, str(split), "--page", str(page)]) == 1
    (tmp_path / "names.txt").write_text("zebra\nskunk\n")
    assert "--page: expected one split, one score file or both" in printed(
        "check", str(tmp_path / "names.txt"), "--page", str(page), status=2
    )


@pytest.mark.parametrize(
    ("test", "labels", "leaks"),
    [
        ("test_unseen", [0, 0, 1, 1, 2, 2], True),
        ("test_unseen", [0, 0, 1, 2, 2, 2], False),
        # Row 3 has a training class, so it becomes a seen test row.
        ("test", [0, 0, 1, 1, 2, 2], False),
    ],
)
@pytest.mark.parametrize("separate", [False, True])
def test_rows_of_a_json_are_read_with_their_labels(tmp_path, capsys, test, labels, leaks, separate):
    path, file = tmp_path / "rows.json", tmp_path / "labels.npy"
    rows = {"train": [0, 1, 2], test: [3, 4, 5]}
    path.write_text(json.dumps(rows if separate else rows | {"labels": labels}))
    np.save(file, labels)
    files = [path, file] if separate else [path]
    assert main(["check", *map(str, files)]) == (1 if leaks else 3)
    assert ("LEAK     ZSL001" in capsys.readouterr().out) == leaks
    assert audit(path, labels=file if separate else None).mark("ZSL001") == (
        "leak" if leaks else "ok"
    )
