"""Is it clean?: a card per file, with findings and the corrected file below."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.pages import charts, metrics, visit, words
from ui.figures.splits import picture_of
from ui.intake import layouts
from ui.views.leakage import drop
from zslcore.leakage.render import read_report
from zslcore.leakage.report import Bar, Picture
from zslcore.scores import predicted
from zslcore.scores.card import card_of_predictions
from zslcore.storage.files import FACTS

pytestmark = pytest.mark.usefixtures("own_data")

CLEAN = {"trainval": range(1, 41), "test_seen": range(41, 61), "test_unseen": range(61, 81)}


def split_file(path, **changed):
    parts = CLEAN | changed
    savemat(path, {f"{part}_loc": np.array(rows)[:, None] for part, rows in parts.items()})
    return path


def test_the_value_of_the_longest_bar_fits_into_the_margin():
    value = "4,031 of 20,218 leak"
    bars = (Bar("train", 20218, 4031, value), Bar("val", 9191, 0, "9,191"))
    layout = picture_of(Picture("two bars", bars=bars)).layout
    assert layout["xaxis"]["range"] == [0, 20218]  # the longest bar ends at the margin
    assert layout["margin"]["r"] >= 6 * len(value) + 14  # a letter was measured to be 5.7 px wide


def plain_words(app):
    return words(app).replace("\\", "")


def dropped(*paths):
    app = visit("leakage", view="drop")
    uploads = [(path.name, path.read_bytes(), "application/octet-stream") for path in paths]
    app.file_uploader(key="drop_files").set_value(uploads).run()
    assert not app.exception
    return app


def test_leakage_opens_on_the_card_of_a_real_file():
    example = read_report(drop.EXAMPLE.read_bytes(), "example")
    app = visit("leakage")
    assert [*metrics(app).values()] == [metric.value for metric in example.metrics]
    assert f"# :red[{drop.ANSWERS[example.verdict]}] All 5,882 rows" in words(app)
    assert "Example" in words(app)


def test_a_dropped_leaking_split_has_findings_and_a_corrected_file(tmp_path, monkeypatch):
    monkeypatch.setattr(drop, "menu", lambda _, show, **options: show())
    path = split_file(tmp_path / "mine.mat", trainval=range(1, 46))
    app = dropped(path)
    assert "[No: it leaks.]" in words(app)
    assert metrics(app)["Test images that were trained on"] == "5"
    assert "Example" not in words(app)
    assert "Rows in more than one part" in str([expander.label for expander in app.expander])
    assert "5 rows removed from trainval." in words(app)
    table = next(element.value for element in app.dataframe if "removed" in element.value)
    assert {"test_seen", "test_unseen"} < {*table["part"]}


def test_a_file_of_any_ending_may_be_dropped(tmp_path):
    (tmp_path / "classes.dat").write_text("zebra\ngiant panda\nleopard\n")
    assert "3 of 3 listed classes" in plain_words(dropped(tmp_path / "classes.dat"))


def test_the_same_files_dropped_again_are_still_one_split(tmp_path):
    labels = tmp_path / "labels.mat"
    savemat(labels, {"labels": np.repeat(np.arange(1, 5), 20)[:, None]})
    path = split_file(tmp_path / "mine.mat")
    for paths in ((labels, path), (path, labels, path, labels)):
        app = dropped(*paths)
        assert not app.error
        assert "mine.mat, labels.mat" in plain_words(app)
        clean_rows = "## No test image was trained on (0 of 40, by row number)."
        assert f"{clean_rows} :gray[Unknown:] identical feature rows" in plain_words(app)


def test_a_split_and_scores_dropped_together_get_one_card_with_each_finding_once(tmp_path):
    split = split_file(tmp_path / "mine.mat", trainval=range(1, 46))
    y = np.repeat(np.arange(4), 20)
    savemat(tmp_path / "labels.mat", {"labels": y[:, None] + 1})
    tested = y[40:80]
    scores = np.random.default_rng(0).normal(size=(40, 4)) + 2 * np.eye(4)[tested]
    np.savez(tmp_path / "scores.npz", scores=scores, y=tested, unseen_classes=[3])
    app = dropped(tmp_path / "scores.npz", split, tmp_path / "labels.mat")
    assert not app.error
    assert words(app).count("## :") == 1  # the verdict in the heading
    labels = [expander.label for expander in app.expander]
    assert str(labels).count("Rows in more than one part") == 1
    assert len(charts(app)) == 1
    assert metrics(app)["H without leaking images"]
    assert "[No: it leaks.] 5 of 40 scored images leak." in plain_words(app)
    app.text_input(key="drop_printed").set_value("H 1.0").run()
    assert "Printed H 1.0: not reproduced" in plain_words(app)


def test_dropped_predictions_are_read_once_and_get_the_card_of_zslcore_check(monkeypatch):
    path = min((FACTS / "board").glob("*.parquet"))
    card = card_of_predictions(predicted.read_predicted(path), [(path.name, "")])
    read, whole = [], predicted.read_predictions

    def counted(path, **limits):
        read.append(path.name)
        return whole(path, **limits)

    monkeypatch.setattr(predicted, "read_predictions", counted)
    app = dropped(path).run()
    assert read == [path.name]
    assert card.sentence in plain_words(app)
    assert f"[{drop.ANSWERS[card.verdict]}]" in words(app)


def test_predictions_with_swapped_rows_are_refused(tmp_path):
    table = pd.read_parquet(min((FACTS / "results" / "digits").glob("*.parquet")))
    tested = table.index[table["part"] == "test_unseen"]
    first_rows = table.loc[tested].groupby("label").head(1).index
    table.loc[first_rows, "row"] = table.loc[first_rows, "row"].to_numpy()[::-1]
    table.to_parquet(tmp_path / "p.parquet")
    app = dropped(tmp_path / "p.parquet")
    assert "[No: it is broken.]" in words(app)
    assert not app.session_state["scores_evaluated"]


@pytest.mark.parametrize("name", ["pickle.npz", "half.mat"])
def test_unrecognised_files_are_refused_in_one_sentence_without_a_verdict(tmp_path, name):
    path = tmp_path / name
    whole = split_file(tmp_path / "mine.mat").read_bytes()
    path.write_bytes(whole[:300] if name == "half.mat" else pickle.dumps({"a": 1}))
    app = dropped(path)
    assert not app.error
    assert re.search(rf"## :red\[Not read: {name}[^\]]*\.\] Found ", plain_words(app))
    assert "Expected " in plain_words(app)
    assert not app.metric
    (example,) = app.expander  # closed, so that its verdict is not read as that of the file
    assert (example.label, len(example.children)) == (drop.IN_CIRCULATION, 0)


@pytest.mark.parametrize("kind", layouts.EXAMPLES)
def test_a_refused_file_leads_to_layouts_with_examples_that_are_read(tmp_path, kind):
    path = tmp_path / "pickle.npz"
    path.write_bytes(pickle.dumps({"a": 1}))
    assert f"Layout of a {kind}" in words(dropped(path))
    path.write_bytes(layouts.EXAMPLES[kind]())
    with np.load(path) as example:
        assert {*example} == {*layouts.ARRAYS[kind]}
    app = dropped(path)
    assert "Not read" not in words(app)
    assert "of 785" in words(app) if kind == layouts.SPLIT else "AUSUC" in words(app)


def test_a_text_that_is_no_list_of_classes_is_refused_in_plain_words(tmp_path):
    (tmp_path / "README.md").write_text("zebra\nzebra\n")
    shown = plain_words(dropped(tmp_path / "README.md"))
    assert "## :red[Not read: README.md.] Found a text file in which lines repeat; a list" in shown
    assert "or a list of classes. Upload another file; the layouts and examples are below." in shown
    folder = files.write_folder(tmp_path / "crashing", compress=False)
    files.with_type_code(folder / "att_splits.mat", 200)
    shown = plain_words(dropped(folder / "att_splits.mat"))
    assert "## :red[Not read: att_splits.mat, variable 'att'.] The file is damaged" in shown


def test_tables_of_more_than_two_findings_start_closed(tmp_path):
    labels = tmp_path / "labels.mat"
    savemat(labels, {"labels": np.repeat(np.arange(1, 5), 20)[:, None]})

    def opened(trainval):
        app = dropped(split_file(tmp_path / "mine.mat", trainval=trainval), labels)
        assert "leak" in str([expander.label for expander in app.expander])
        return [expander.label for expander in app.expander if expander.children]

    both = [*range(1, 41), 41, 42]
    assert ["Rows in more than one part" in label for label in opened(both)] == [True]
    assert opened([*both, 61, 61]) == []


def test_the_caption_of_an_assumed_pretraining_set_has_the_count_of_the_card(tmp_path):
    names = np.array(["apple", "chair", "lion", "zebra"], dtype=object)[:, None]
    classes = {"labels": np.repeat(np.arange(1, 5), 20)[:, None], "allclasses_names": names}
    lists = {f"{part}_loc": np.array(rows)[:, None] for part, rows in CLEAN.items()}
    savemat(tmp_path / "mine.mat", lists | classes)
    app = dropped(tmp_path / "mine.mat")
    assert "1 of 1" in metrics(app).values()
    assert "test classes in the pre-training set (assumed): 1 of 1." in plain_words(app)
