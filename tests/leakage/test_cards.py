"""One card for all checked files; unknown is never clean."""

import hashlib
import json
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.cards import cards_of_files
from zslcore.__main__ import main
from zslcore.board.card import card_of_result
from zslcore.datasets import load
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.leakage import AuditContext, audit_context
from zslcore.leakage.file_kinds import recognise_file
from zslcore.leakage.render import read_report, reports_html, to_json, to_paragraph
from zslcore.leakage.split_card import card_of_split
from zslcore.storage.files import FACTS

pytestmark = pytest.mark.usefixtures("in_process")
N, CLASSES = 120, ("horse", "seal", "tiger", "otter", "zebra", "skunk")


@pytest.fixture
def folder(tmp_path):
    """Files of a split without a leak: classes 0 to 3 are seen, 4 and 5 are not."""
    y = np.repeat(np.arange(6), N // 6)
    rows = np.arange(N)
    seen = rows[y < 4]
    test_seen = seen[::4]
    trainval = np.setdiff1d(seen, test_seen)
    parts = {"trainval": trainval, "test_seen": test_seen, "test_unseen": rows[y >= 4]}
    write_split(tmp_path / "split.mat", parts)
    leaking = parts | {"trainval": np.concatenate([trainval, test_seen[:7]])}
    write_split(tmp_path / "leaking.mat", leaking)
    X = np.random.default_rng(0).normal(size=(N, 40))
    names = np.array([f"{i:03}.jpg" for i in rows], dtype=object)[:, None]
    images = {"features": X.T, "labels": y[:, None] + 1, "image_files": names}
    savemat(tmp_path / "res101.mat", images)
    savemat(tmp_path / "labels.mat", {"labels": y[:, None] + 1})
    scores = np.random.default_rng(1).normal(size=(N, 6)) + 3 * np.eye(6)[y]
    np.savez(tmp_path / "scores.npz", scores=scores, y=y, unseen_classes=np.array([4, 5]))
    np.save(tmp_path / "alone.npy", scores)
    (tmp_path / "y.txt").write_text("\n".join(map(str, y)))
    (tmp_path / "unseen.txt").write_text("zebra\nskunk\n")
    return tmp_path


def write_split(
    path, parts, pretraining_free=("horse", "seal", "lynx", "otter", "quagga", "okapi")
):
    names = np.array(pretraining_free, dtype=object)[:, None]
    S = np.random.default_rng(2).uniform(size=(6, 9))
    rows = {f"{part}_loc": values[:, None] + 1 for part, values in parts.items()}
    savemat(path, rows | {"att": S.T, "original_att": S.T, "allclasses_names": names})


def card(folder, *names, pretraining=None):
    return cards_of_files([folder / name for name in names], pretraining)[0]


# --- Kind of a file -------------------------------------------------------------------------------


def test_each_kind_of_file_is_recognised_by_content_not_by_name(folder):
    (folder / "scores.npz").rename(folder / "split.json")
    kinds = {"split.mat": "split", "split.json": "scores", "alone.npy": "scores", "y.txt": "labels"}
    kinds |= {"res101.mat": "features", "labels.mat": "labels", "unseen.txt": "classes"}
    np.savez(folder / "true.npz", true_labels=np.arange(3))
    # As in the command score, an array with labels is read as scores.
    np.savez(folder / "both.npz", array=np.eye(3), y=np.arange(3))
    kinds |= {"true.npz": "labels", "both.npz": "scores"}
    assert {name: recognise_file(folder / name).kind for name in kinds} == kinds


@pytest.mark.parametrize("order", [1, -1])
def test_split_and_labels_are_grouped_in_any_order_and_duplicates_count_once(folder, order):
    names = ["split.mat", "res101.mat", "split.mat"][::order]
    (folder / "again").mkdir()
    (folder / "again" / "split.mat").write_bytes((folder / "split.mat").read_bytes())
    actual = card(folder, *names, "again/split.mat", pretraining=["none"])
    assert [name for name, _ in actual.files] == ["split.mat", "res101.mat"]
    digest = hashlib.sha256((folder / "split.mat").read_bytes()).hexdigest()
    assert actual.files[0][1] == digest


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("res101.mat",), "got res101.mat (features) alone"),
        (
            ("split.mat", "res101.mat", "labels.mat"),
            "expected the split split.mat with at most one",
        ),
    ],
)
def test_files_that_do_not_belong_together_are_refused_in_one_sentence(folder, names, message):
    with pytest.raises(FileRefusedError) as caught:
        card(folder, *names)
    assert message in str(caught.value)
    assert str(caught.value).count(". ") <= 1


def test_class_lists_given_together_are_checked_as_one_split(tmp_path):
    lists = {"train": "zebra\npig\n", "val": "seal\nrat\n", "test": "seal\nrat\n"}
    for part, names in lists.items():
        (tmp_path / f"{part}classes.txt").write_text(names)
    actual = card(tmp_path, *(f"{part}classes.txt" for part in lists))
    assert actual.verdict == "leaks"
    assert [name for name, _ in actual.files] == [f"{part}classes.txt" for part in lists]
    assert "Fold 1 validates on test classes: seal, rat." in to_paragraph(actual)


class Hurts:
    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def hostile(folder):
    """Write damaged and hostile files; return their paths."""
    honest = (folder / "split.mat").read_bytes()
    archive = (folder / "scores.npz").read_bytes()
    Hurts.path = folder / "hurt"
    content = {
        "half.mat": honest[: len(honest) // 2],
        "head.mat": honest[:130],
        "half.npz": archive[: len(archive) // 2],
        "half.parquet": b"PAR1" + b"\0" * 40 + b"PAR1",
        "pickle.npz": pickle.dumps(Hurts()),
        "pickle.txt": pickle.dumps(Hurts(), protocol=0),
        "empty.json": b"",
        "deep.json": b"[" * 100_000,
        "other.json": b'{"schema": {"a": 1}}',
        "result.json": b'{"spec": 1, "evaluation": 2}',
        "board.json": b'{"schema": "zslcore-board/1", "figures": {"H": NaN}}',
        "text.mat": b"not a matrix at all",
        "mine.json": b'{"schema": "mine"}',
        "noise.h5": b"\x89HDF\r\n\x1a\n" + bytes(range(256)) * 9,
        "binary.txt": bytes(range(256)),
        "long.txt": (b"a" * 99 + b"\n") * 12_000,
    }
    for name, parts in {
        "texts.json": '{"trainval": ["x"]}',
        "ragged.json": '{"trainval": [[1], [2, 3]]}',
        "infinite.json": '{"trainval": [1e400]}',
        "list.json": "[1]",
        "large.json": '{"trainval": [99999999999999999999]}',
    }.items():
        content[name] = f'{{"schema": "zslcore-split/1", "parts": {parts}}}'.encode()
    for name, value in content.items():
        (folder / name).write_bytes(value)
    savemat(folder / "fractions.mat", {"trainval_loc": np.array([[1.5], [2.0]])})
    savemat(folder / "unrelated.mat", {"unrelated": np.zeros(3)})
    np.savez(folder / "object.npz", scores=np.array([{"a": 1}], dtype=object))
    np.savez(folder / "far.npz", trainval_loc=np.array([1e300]), test_unseen_loc=np.array([1]))
    others = ("object.npz", "far.npz", "fractions.mat", "unrelated.mat")
    return [folder / name for name in (*content, *others)]


def test_a_damaged_or_hostile_file_is_refused_in_one_sentence_and_runs_no_code(folder):
    for path in hostile(folder):
        with pytest.raises(FileRefusedError) as caught:
            cards_of_files([path])
        sentence = str(caught.value)
        assert sentence.startswith(path.name), sentence
        assert "\n" not in sentence
        assert sentence.endswith(".")
    assert not (folder / "hurt").exists()


# --- Verdict --------------------------------------------------------------------------------------


def test_a_split_is_clean_only_if_every_deciding_check_ran(folder):
    alone, whole = (
        card(folder, *names, pretraining=["none"])
        for names in (("split.mat",), ("split.mat", "res101.mat"))
    )
    assert alone.verdict == "unknown"
    assert alone.sentence == (
        "No test image was trained on (0 of 60, by row number). Not checked: identical feature "
        "rows across the parts, near-duplicates across the parts."
    )
    assert whole.verdict == "clean"
    assert whole.sentence.startswith("No test image was trained on (0 of 60). ")
    assert whole.metrics[0].value == "0"


def test_rows_in_training_and_test_leak_and_are_counted(folder):
    actual = card(folder, "leaking.mat", "res101.mat", pretraining=["none"])
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", "7")
    assert actual.picture.bars[0].marked == 7


def test_a_test_class_in_an_assumed_set_is_unknown_and_in_a_declared_set_leaks(folder):
    y = np.repeat(np.arange(6), N // 6)
    rows = np.arange(N)
    parts = {"trainval": rows[y < 4], "test_unseen": rows[y >= 4]}
    write_split(folder / "known.mat", parts, CLASSES)
    actual = card(folder, "known.mat", "res101.mat")
    assert actual.verdict == "unknown"
    assert not actual.select_findings("leak")
    assert actual.sentence.startswith(
        "No test image was trained on (0 of 40). "
        "This would leak if the features were trained on ImageNet-1K: 2 of 2 test classes"
    )
    assert actual.metrics[1].value == "2 of 2"
    assert "ImageNet-1K (assumed)" in actual.metrics[1].note
    declared = card(folder, "known.mat", "res101.mat", pretraining=["imagenet-1k"])
    assert (declared.verdict, declared.metrics[1].value) == ("leaks", "2 of 2")
    assert declared.sentence.startswith("2 of 2 test classes")
    # No row leaks, but all test images are of leaking classes; the effect of that is not measured.
    effect = declared.metrics[2]
    assert (effect.value, effect.note) == ("unknown", "classes leak, not rows")
    assert actual.metrics[2].value == "none known"
    marked = {bar.label: (bar.marked, bar.value) for bar in declared.picture.bars}
    assert marked["test_unseen"] == (40, "40 of 40 in leaking classes")
    assert not any(bar.marked for bar in actual.picture.bars)
    declared = card(folder, "known.mat", "res101.mat", pretraining=["none"])
    assert declared.verdict == "clean"
    assert "assumed" not in declared.metrics[1].note


def test_an_assumed_set_without_a_test_class_is_unknown_and_a_declared_set_clean(folder):
    y = np.repeat(np.arange(6), N // 6)
    parts = {"trainval": np.flatnonzero(y < 4), "test_unseen": np.flatnonzero(y >= 4)}
    write_split(folder / "other.mat", parts, [*CLASSES[:4], "giraffe", "blue whale"])
    result = card(folder, "other.mat", "res101.mat")
    assert result.verdict == "unknown"
    assert (
        "not declared. By name, none of the 2 unseen classes is in ImageNet-1K" in result.sentence
    )
    assert result.metrics[1].value == "0 of 2"
    declared = card(folder, "other.mat", "res101.mat", pretraining=["imagenet-1k"])
    assert (declared.verdict, declared.metrics[1].value) == ("clean", "0 of 2")


def test_a_card_of_scores_leaves_the_training_rows_unknown(folder):
    actual = card(folder, "scores.npz")
    assert actual.verdict == "unknown"
    assert actual.metrics[0].value == "unknown"
    with pytest.raises(FileRefusedError, match="per image with its label"):
        card(folder, "alone.npy")


def test_scores_of_classes_in_an_assumed_set_are_not_a_leak(folder):
    with np.load(folder / "scores.npz") as content:
        np.savez(folder / "named.npz", **content, class_names=np.array(CLASSES))
    assumed, declared = (card(folder, "named.npz", pretraining=p) for p in (None, ["imagenet-1k"]))
    assert not assumed.select_findings("leak")
    (leaking,) = (finding.sentence for finding in declared.select_findings("leak"))
    assert leaking.startswith("2 of 2")
    would_leak = f"This would leak if the features were trained on ImageNet-1K: {leaking}"
    assert would_leak in [finding.sentence for finding in assumed.select_findings("open")]
    assert assumed.metrics[1].value == declared.metrics[1].value == "2 of 2"


def test_a_list_of_classes_has_no_rows_and_its_wordnet_ids_are_compared(folder):
    assert card(folder, "unseen.txt").verdict == "unknown"
    (folder / "ids.txt").write_text("n02391049\nn02441942\n")
    # The two ids are those of zebra and weasel.
    assert card(folder, "ids.txt").metrics[1].value == "2 of 2"


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """Predictions and the JSON of a run of digits, as the command line writes them."""
    folder = tmp_path_factory.mktemp("run_folder")
    options = ["--dataset", "digits", "--method", "ESZSL", "--json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder / "data"))
        with (folder / "run.json").open("w") as out, patch.context() as into:
            into.setattr("sys.stdout", out)
            assert main(["run", *options, "--predictions", str(folder / "p.parquet")]) == 0
    return folder


def test_predictions_whose_rows_agree_with_the_data_are_clean(run_folder):
    actual = card(run_folder, "p.parquet")
    assert actual.verdict == "clean"
    assert actual.metrics[0].value == "0"
    assert actual.metrics[2].value == "64.3 %, AUSUC 52.8 %"


def test_predictions_whose_rows_are_swapped_contradict_the_data(run_folder, tmp_path):
    table = pd.read_parquet(run_folder / "p.parquet")
    tested = table.index[table["part"] == "test_unseen"]
    first_rows = table.loc[tested].groupby("label").head(1).index
    table.loc[first_rows, "row"] = table.loc[first_rows, "row"].to_numpy()[::-1]
    table.to_parquet(tmp_path / "p.parquet")
    actual = card(tmp_path, "p.parquet")
    assert actual.verdict == "broken"
    assert actual.status == 2
    assert "expected" in actual.sentence


def test_a_run_without_predictions_or_data_is_unknown(run_folder):
    assert card(run_folder, "run.json").verdict == "unknown"

    def elsewhere(name):
        raise DatasetError(f"{name} is not here.")

    result = card_of_result(run_folder / "run.json", [("run.json", "0" * 64)], load=elsewhere)
    assert result.verdict == "unknown"
    assert [metric.value for metric in result.metrics[:2]] == ["unknown", "unknown"]


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "unknown"),
        ({"gamma": {"origin": "oracle", "value": 0.1}}, "leaks"),
        ({"split": {"name": "PS"}}, "unknown"),
        ({"split": {"name": "PS v1", "counts": {"test_seen": 4958}}}, "leaks"),
        ({"parameters": {"origin": "not stated"}}, "unknown"),
    ],
)
def test_a_board_entry_is_judged_by_its_declarations(tmp_path, change, verdict):
    name = "awa1-lss_ps-2-0_ale_zero-shot-lab_gzsl.json"
    entry = json.loads((FACTS / "board" / name).read_text())
    (tmp_path / name).write_text(json.dumps(entry | change))
    assert card(tmp_path, name).verdict == verdict


# --- Downloads ------------------------------------------------------------------------------------


def test_the_paragraph_for_a_review_is_short_and_has_the_digests(folder):
    actual = card(folder, "leaking.mat", "res101.mat")
    text = to_paragraph(actual)
    assert all(digest[:12] in text for _, digest in actual.files)
    assert 60 <= len(text.split()) <= 160
    assert "--" not in text


def test_advice_for_a_review_follows_the_sentence_of_its_finding():
    example = FACTS / "measured" / "example_card.json"
    text = to_paragraph(read_report(example.read_bytes(), example.name))
    assert "bobcat, dolphin) may be related to ImageNet-1K classes. Confirm or reject each" in text
    assert text.count("All 5,882 rows of test_seen") == 1


def test_the_html_report_begins_with_the_verdict_and_shows_no_internals(folder):
    actual = card(folder, "leaking.mat")
    page = reports_html(actual)
    body = page[page.index("<body>") :]
    assert body.index(">Leaks<") < body.index(actual.metrics[0].value)
    assert "=, --" not in page
    assert "['" not in page
    assert body.count("<tr>") < 25
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_file_names_are_escaped_in_the_report(folder):
    name = "<img src=x onerror=alert(1)>.mat"
    (folder / "leaking.mat").rename(folder / name)
    page = reports_html(card(folder, name))
    assert "<img" not in page
    assert "&lt;img" in page


def test_the_command_prints_the_same_card_and_exits_by_its_verdict(folder, printed):
    path, out = folder / "leaking.mat", folder / "report.html"
    values = printed("check", path, "--json", "--output", out, status=1)
    cards = read_report(values.encode(), "card"), card(folder, "leaking.mat")
    # The two times may differ by a second.
    times = [each.read_as.pop("checked on") for each in cards]
    assert all(times)
    assert cards[0] == cards[1]
    assert json.loads(values)["verdict"] == "leaks"
    assert out.read_text().startswith("<!doctype html>")
    split, features = folder / "split.mat", folder / "res101.mat"
    printed("check", split, features, "--pretraining", "none")
    printed("check", split, status=3)
    assert "expected a file" in printed("check", folder / "nothing.mat", status=2)


def test_a_card_of_the_first_version_opens_with_current_terms():
    metric = {"label": "rows leaked", "value": "0", "note": ""}
    points = [
        {"mark": mark, "title": f"A {mark} one", "text": f"{mark}.", "advice": "", "rows": [4]}
        for mark in ("open", "warning", "ok")
    ]
    old = {"schema": "zslcore-card/1", "version": "0.1", "kind": "split", "sentence": "So."}
    old |= {"files": [{"name": "a.mat", "sha256": "0" * 64}], "figures": [metric] * 3}
    old |= {"picture": None, "read_as": {"features": "compared"}}
    words = {"Unknown": "unknown", "Questionable": "clean", "Clean": "clean"}
    for former, today in words.items():
        values = old | {"verdict": former, "points": points}
        result = read_report(json.dumps(values).encode(), "old.json")
        assert (result.verdict, len(result.findings)) == (today, 3)
        assert read_report(to_json(result).encode(), "new.json") == result
    leaking = [points[0] | {"mark": "leak"}, *points]
    values = old | {"verdict": "Contradicted", "points": leaking}
    assert read_report(json.dumps(values).encode(), "old.json").verdict == "leaks"


# --- Real files -----------------------------------------------------------------------------------


def test_the_example_card_of_the_app_equals_the_card_of_its_file(shared):
    example = read_report((FACTS / "measured" / "example_card.json").read_bytes(), "example")
    result = cards_of_files([shared / "data" / "xlsa17" / "AWA2" / "att_splits_v1.mat"])[0]
    same = ("kind", "files", "verdict", "sentence", "metrics", "findings", "picture")
    assert [getattr(result, name) for name in same] == [getattr(example, name) for name in same]


def test_the_stated_effect_of_a_leak_equals_the_benchmark():
    ours = pd.read_csv(FACTS / "measured" / "leak_cost.csv", comment="#")
    root = Path(__file__).parents[2]
    all_ = pd.read_csv(root / "benchmarks" / "results" / "leak_cost.csv")
    rows = all_[all_["metric"] == "calibrated_harmonic"]
    rows = rows[rows["dataset"].isin(ours["dataset"]) & rows["leak"].isin(ours["leak"])]
    order = ["leak", "dataset", "method"]
    rows, ours = (t[list(ours)].sort_values(order, ignore_index=True) for t in (rows, ours))
    pd.testing.assert_frame_equal(rows.round(6), ours)


@pytest.mark.parametrize(("dataset", "stands_in"), [("CUB", False), ("AWA2", True)])
def test_the_effect_of_a_leak_states_its_condition_and_data_set(dataset, stands_in, shared):
    metric = cards_of_files([shared / "data/xlsa17" / dataset / "att_splits_v1.mat"])[0].metrics[2]
    assert metric.label == "effect of the leak on H, measured on CUB birds"
    assert metric.value == "−0.9 to +6.4 points"
    assert "trained on trainval: −0.9 to +0.6 points" in metric.note
    assert "trained on train + val: +1.7 to +6.4 points" in metric.note
    assert metric.note.endswith("measured on CUB birds, VGG" + ", not on AWA2" * stands_in)


def test_the_count_of_leaking_rows_names_their_list(shared):
    card_of_file = cards_of_files([shared / "data/xlsa17/CUB/att_splits_v1.mat"])[0]
    assert card_of_file.metrics[0].label == "test images also in train or val"
    context = AuditContext.of_split(load("digits").split("PS"), load("digits"))
    twice = np.append(context.parts["trainval"], context.parts["test_seen"][:3])
    context = replace(context, parts={**context.parts, "trainval": twice})
    card = card_of_split(context, audit_context(context))
    assert card.metrics[0].label == "test images that were trained on"


def test_new_images_of_a_trained_class_are_not_counted_as_training_images(tmp_path):
    """Named images are matched by name; only one of the three is in training itself."""
    rows = [("a1", "cat", "train"), ("a2", "cat", "train"), ("d1", "dog", "train")]
    rows += [("d2", "dog", "test_seen"), ("c7", "cat", "test_unseen"), ("c8", "cat", "test_unseen")]
    rows += [("f1", "fox", "test_unseen"), ("f2", "fox", "test_unseen")]
    path = tmp_path / "split.csv"
    for further, value, of_training in ([], "2", "of 5; 0"), (rows[:1], "3", "of 6; 1"):
        table = [*rows, *((image, name, "test_unseen") for image, name, _ in further)]
        path.write_text("image,class,split\n" + "\n".join(map(",".join, table)))
        metric = cards_of_files([path])[0].metrics[0]
        assert metric.label == "test images of classes that were trained on"
        assert metric.value == value
        note = f"{of_training} of them in training; matched by name; images not compared"
        assert metric.note == note


def test_published_score_files_have_the_known_verdicts(shared):
    card_of_file = cards_of_files([shared / "data" / "gzsl_scores" / "CUB_XianGAN.npz"])[0]
    assert card_of_file.verdict == "unknown"
    assert [metric.value for metric in card_of_file.metrics] == [
        "unknown",
        "0 of 50",
        "49.8 %, AUSUC 34.5 %",
    ]
