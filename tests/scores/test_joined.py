"""Split and scores together: scored rows, and metrics without leaking rows."""

import json

import numpy as np
import pytest
from scipy.io import savemat

from tests.cards import cards_of_files
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.leakage.file_kinds import group_files, recognise_file
from zslcore.leakage.render import reports_html, to_paragraph
from zslcore.metrics import harmonic_mean, mean_class_accuracy
from zslcore.scores.printed import read_printed

Y = np.repeat(np.arange(6), 20)
ROWS = np.arange(120)
TEST_SEEN, TEST_UNSEEN = ROWS[Y < 4][::4], ROWS[Y >= 4]
TRAINVAL = np.setdiff1d(ROWS[Y < 4], TEST_SEEN)
LEAKED = np.r_[TEST_SEEN[:3], TEST_SEEN[8:10]]
ORDERS = {
    "seen first": np.r_[TEST_SEEN, TEST_UNSEEN],
    "unseen first": np.r_[TEST_UNSEEN, TEST_SEEN],
}


@pytest.fixture
def folder(tmp_path):
    def split(name, trainval, test_seen=TEST_SEEN):
        parts = {"trainval": trainval, "test_seen": test_seen, "test_unseen": TEST_UNSEEN}
        lists = {f"{part}_loc": rows[:, None] + 1 for part, rows in parts.items()}
        names = np.array([f"thing {c}" for c in "abcdef"], dtype=object)[:, None]
        savemat(tmp_path / name, lists | {"labels": Y[:, None] + 1, "allclasses_names": names})

    split("clean.mat", TRAINVAL)
    split("leaking.mat", np.r_[TRAINVAL, LEAKED])
    split("other.mat", TRAINVAL, TEST_SEEN[:11])
    for name, rows in ORDERS.items():
        y, rng = Y[rows], np.random.default_rng(1)
        scores = rng.normal(size=(len(y), 6)) + 2 * np.eye(6)[y]
        content = {"scores": scores, "y": y}
        if name == "unseen first":  # with named columns in another order
            columns = np.array([2, 0, 1, 3, 4, 5])
            content = {"scores": scores[:, columns], "y": np.argsort(columns)[y]}
            content["class_names"] = np.array([f"thing {c}" for c in "abcdef"])[columns]
        np.savez(tmp_path / f"{name}.npz", **content, unseen_classes=[4, 5])
    return tmp_path


def by_hand(folder, order, gone):
    """Return u, s and H without some rows, in plain NumPy."""
    with np.load(folder / f"{order}.npz") as file:
        predicted, y = file["scores"].argmax(1), file["y"]
    is_kept = ~np.isin(ORDERS[order], gone)
    sides = (is_kept & (y >= 4), is_kept & (y < 4))
    u, s = (mean_class_accuracy(y[side], predicted[side]) for side in sides)
    return u, s, harmonic_mean(s, u)


@pytest.mark.nightly
@pytest.mark.parametrize("order", ORDERS)
def test_metrics_with_and_without_leaking_rows_equal_plain_numpy(folder, order):
    joined, *single_cards = cards_of_files(
        [folder / f"{order}.npz", folder / "leaking.mat"], ["none"]
    )
    assert [card.kind for card in single_cards] == ["score matrix", "split"]
    assert joined.verdict == "leaks"
    (finding,) = (p for p in joined.findings if p.title == "Metrics without leaking images")
    for gone in ((), LEAKED):
        u, s, h = by_hand(folder, order, gone)
        assert f"u {100 * u:.1f} %, s {100 * s:.1f} %, H {100 * h:.1f} %" in finding.sentence
    assert [metric.value for metric in joined.metrics] == [
        "5",
        *(f"{100 * by_hand(folder, order, gone)[2]:.1f} %" for gone in ((), LEAKED)),
    ]
    assert "trained on trainval alone" not in finding.sentence  # trainval has these rows


@pytest.mark.nightly
def test_a_clean_split_settles_the_finding_on_training_rows(folder):
    joined, *_ = cards_of_files([folder / "seen first.npz", folder / "clean.mat"], ["none"])
    assert joined.sentence.startswith("No scored image leaks")
    assert joined.verdict == "unknown"  # features were not compared
    assert not [p for p in joined.findings if "Training rows" in p.title]


@pytest.mark.nightly
def test_scores_of_other_images_contradict_the_split(folder, printed):
    files = [folder / "seen first.npz", folder / "other.mat"]
    joined, *_ = cards_of_files(files, ["none"])
    assert joined.verdict == "broken"
    assert joined.sentence == (
        "The scores belong to other images: they cover 60 images of 6 classes; this split tests 51 "
        "images of 5."
    )
    content = json.loads(printed("check", *map(str, files), "--json", status=2))
    assert content[0]["verdict"] == "broken"


@pytest.mark.nightly
def test_scores_with_rows_in_another_order_are_not_matched(folder):
    with np.load(folder / "seen first.npz") as file:
        mixed = np.random.default_rng(0).permutation(len(file["y"]))
        arrays = {"scores": file["scores"][mixed], "y": file["y"][mixed]}
    np.savez(folder / "mixed.npz", **arrays, unseen_classes=[4, 5])
    joined, *_ = cards_of_files([folder / "mixed.npz", folder / "leaking.mat"], ["none"])
    assert joined.metrics[2].value == "unknown"
    assert "in a different order" in str(joined.findings)
    images = {"features": np.random.default_rng(2).normal(size=(40, 120)), "labels": Y[:, None] + 1}
    images["image_files"] = np.array([f"{row:03}.jpg" for row in ROWS], dtype=object)[:, None]
    savemat(folder / "features.mat", images)
    names = ("mixed.npz", "clean.mat", "features.mat")
    joined, *_ = cards_of_files([folder / name for name in names], ["none"])
    assert joined.verdict == "unknown"
    assert joined.sentence.endswith(next(p.sentence for p in joined.findings if p.mark == "open"))


@pytest.mark.nightly
def test_printed_metrics_are_reproduced_or_reported(folder):
    order = "seen first"
    _, _, h = by_hand(folder, order, ())
    files = [folder / f"{order}.npz", folder / "clean.mat"]
    right, *_ = cards_of_files(files, ["none"], read_printed(f"H {100 * h:.1f}"))
    assert right.sentence.startswith(
        f"Printed H {100 * h:.1f}: reproduced by joint label space, gamma = 0"
    )
    assert [p.mark for p in right.findings if p.title.startswith("Printed ")] == ["ok"]
    wrong, *_ = cards_of_files(files, ["none"], read_printed("H 12.3, u 1"))
    assert wrong.verdict == "broken"
    assert f"not reproduced by any protocol; the scores give {100 * h:.1f} %" in wrong.sentence
    alone = cards_of_files(files[:1], ["none"], read_printed("H 12.3"))
    assert [card.verdict for card in alone] == ["broken"]
    assert len(to_paragraph(right).split()) <= 160
    page = reports_html(right, *cards_of_files(files, ["none"])[1:])
    assert page.count("<h1") == 3


@pytest.mark.nightly
def test_the_best_gamma_on_the_test_images_is_an_oracle(folder):
    from zslcore.scores.sandboxed import ScoreRequest, judge_in_worker

    report = judge_in_worker(ScoreRequest(folder / "seen first.npz"), memory=1 << 30, origin="here")
    best, plain = report.metrics["best_harmonic"], report.metrics["plain_harmonic"]
    assert round(100 * best, 2) != round(100 * plain, 2)
    printed = read_printed(f"H {100 * best:.2f}")
    joined, *_ = cards_of_files([folder / "seen first.npz", folder / "clean.mat"], [], printed)
    assert joined.verdict == "leaks"


@pytest.mark.parametrize("text", ["H", "F1 3", "H 101", "H 49.8 or so"])
def test_invalid_printed_values_are_refused_in_one_sentence(text):
    with pytest.raises(ParameterError, match=r"expected u, s, H, ZSL, AUSUC .*got"):
        read_printed(text)


def test_labels_are_grouped_with_scores_without_labels(folder):
    with np.load(folder / "seen first.npz") as file:
        np.save(folder / "alone.npy", file["scores"])
        (folder / "y.txt").write_text("\n".join(map(str, file["y"])))
    files = [recognise_file(folder / name) for name in ("clean.mat", "y.txt", "alone.npy")]
    result = {
        group.main.name: [file.name for file in group.companions] for group in group_files(files)
    }
    assert result == {"clean.mat": [], "alone.npy": ["y.txt"]}
    with pytest.raises(FileRefusedError, match=r"y\.txt: expected"):
        cards_of_files([folder / "leaking.mat", folder / "clean.mat", folder / "y.txt"])


@pytest.mark.nightly
def test_real_scores_of_cub_belong_to_its_splits_and_to_no_other(shared):
    scores = shared / "data/gzsl_scores/CUB_XianGAN.npz"
    result = {
        name: cards_of_files([shared / "data/xlsa17" / name, scores], ["none"])[0]
        for name in ("CUB/att_splits.mat", "CUB/att_splits_v1.mat", "SUN/att_splits.mat")
    }
    clean, first, other = result.values()
    assert [metric.value for metric in clean.metrics] == ["0", "49.8 %", "49.8 %"]
    assert [metric.value for metric in first.metrics] == ["1,764", "49.8 %", "none left"]
    assert "trained on trainval alone was trained on none" in first.sentence
    assert "without seen images, H is undefined" in first.sentence
    assert {bar.label: bar.marked for bar in first.picture.bars}["test_seen"] == 1764
    assert other.sentence == (
        "The scores belong to another data set: they cover CUB PS, 4,731 images of 200 classes; "
        "SUN PS 2.0 tests 4,020 images of 717."
    )
