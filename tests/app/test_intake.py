"""Uploaded files: the guessed role of each array is shown and can be corrected."""

import io
from functools import partial

import numpy as np
import pytest

from tests import pages
from tests.app.test_data import opened, words
from tests.datasets import files
from zslcore.datasets import imports, load


@pytest.fixture
def visit(own_data):
    """Open the page as a new visitor with no imports."""
    return partial(pages.visit, "splits")


NAMES = ("blue whale", "otter", "zebra", "bat", "sea lion")


def as_file(name, array):
    content = io.BytesIO()
    np.save(content, array)
    return name, content.getvalue(), "application/octet-stream"


def embeddings():
    rows = zip(NAMES, files.ATT.tolist(), strict=True)
    lines = ["class,a,b,c,d", *(",".join([name, *map(str, row)]) for name, row in rows)]
    return "embeddings.csv", "\n".join(lines).encode(), "text/csv"


def dropped(visit, *more, labels="labels.npy"):
    app = opened(visit())
    three = [as_file("features.npy", files.FEATURES), as_file(labels, files.LABELS), embeddings()]
    app.file_uploader(key="data_files").set_value([*three, *more]).run()
    assert not app.exception
    return app


def test_roles_of_three_files_are_shown_and_imported_with_named_unseen_classes(visit):
    app = dropped(visit)
    assert "features 30 x 7; labels 0 to 4; class embeddings 5 x 4" in words(app)
    assert app.text_input(key="data_name").placeholder == "imported"
    assert app.selectbox(key="data_part_labels").value == "labels.npy"
    app.multiselect(key="data_unseen_names").set_value(["bat", "sea lion"])
    app.text_input(key="data_name").set_value("three-files")
    pages.press(app, "Import the files")
    assert not app.exception
    split = load("three-files").split("own")
    assert split.unseen_classes.tolist() == [3, 4]


def test_required_unseen_classes_stand_before_the_button_and_their_absence_next_to_it(visit):
    app = dropped(visit)
    pages.press(app, "Import the files")
    (refusal,) = app.error
    assert "Name the unseen classes, or enter random:10" in refusal.value.replace("\\", "")
    order = list(app._tree)
    keys = [getattr(element, "key", None) for element in order]
    button = next(n for n, e in enumerate(order) if getattr(e, "label", "") == "Import the files")
    assert keys.index("data_unseen_names") < button < order.index(refusal)
    assert order.index(refusal) < min(n for n, e in enumerate(order) if e.type == "table")


def test_a_rule_for_unseen_classes_is_entered_in_place_of_names(visit):
    app = dropped(visit)
    app.multiselect(key="data_unseen_names").set_value(["random:2"])
    app.text_input(key="data_name").set_value("by-rule")
    pages.press(app, "Import the files")
    assert not app.exception
    assert len(load("by-rule").split("own").unseen_classes) == 2


def test_names_of_unseen_classes_are_not_escaped_in_the_menu(visit, monkeypatch):
    monkeypatch.setattr(f"{__name__}.NAMES", ("blue+whale", *NAMES[1:]))
    assert "blue+whale" in dropped(visit).multiselect(key="data_unseen_names").options


def test_unseen_classes_of_a_file_are_not_asked_for(visit):
    app = dropped(visit, as_file("unseen_classes.npy", np.array([3, 4])))
    assert "a split" in words(app)
    assert "data_unseen" not in {field.key for field in app.text_input}


def test_two_arrays_of_labels_need_one_choice_and_a_split_can_be_drawn(visit):
    app = dropped(visit, as_file("y.npy", (files.LABELS + 1) % 5))
    assert any("Expected one array of labels" in element.value for element in app.warning)
    app.selectbox(key="data_part_labels").set_value("y.npy").run()
    assert not app.warning
    app.segmented_control(key="data_unseen_how").set_value("Drawn at random").run()
    app.number_input(key="data_unseen_n").set_value(2)
    app.text_input(key="data_name").set_value("drawn")
    pages.press(app, "Import the files")
    assert not app.exception
    data = load("drawn")
    assert data.labels.tolist() == ((files.LABELS + 1) % 5).tolist()
    assert len(data.split("own").unseen_classes) == 2


def captions(app):
    return [element.value for element in app.caption]


def test_a_draw_starts_at_a_fifth_and_leaves_enough_seen_classes_for_the_folds(visit):
    twelve = np.repeat(np.arange(12), 3)
    rows = (f"bird {c},{c},{c * c}" for c in range(12))
    table = "embeddings.csv", "\n".join(["class,a,b", *rows]).encode(), "text/csv"
    app = opened(visit())
    features = as_file("features.npy", np.random.default_rng(0).random((36, 7)))
    app.file_uploader(key="data_files").set_value(
        [features, as_file("labels.npy", twelve), table]
    ).run()
    app.segmented_control(key="data_unseen_how").set_value("Drawn at random").run()
    number = app.number_input(key="data_unseen_n")
    assert (number.value, number.min, number.max) == (2, 1, 9)
    assert "2 unseen, 10 seen" in captions(app)
    number.set_value(9).run()
    assert "9 unseen, 3 seen" in captions(app)


def test_named_unseen_classes_that_leave_too_few_seen_ones_are_reported_before_the_import(visit):
    app = dropped(visit)
    app.multiselect(key="data_unseen_names").set_value(list(NAMES[:2])).run()
    assert "2 unseen, 3 seen" in captions(app)
    app.multiselect(key="data_unseen_names").set_value(list(NAMES[:3])).run()
    (warning,) = [text for text in captions(app) if "3 unseen, 2 seen" in text]
    assert "methods need at least 3 seen classes" in warning


def test_without_files_nothing_can_be_imported(visit):
    def button(app):
        return next(each for each in app.button if each.label == "Import the files")

    assert button(opened(visit())).disabled
    assert not button(dropped(visit)).disabled


def test_one_label_too_few_is_refused_and_nothing_is_stored(visit):
    app = opened(visit())
    short = as_file("labels.npy", files.LABELS[:-1])
    app.file_uploader(key="data_files").set_value(
        [as_file("features.npy", files.FEATURES), short, embeddings()]
    ).run()
    app.multiselect(key="data_unseen_names").set_value(["bat"])
    app.text_input(key="data_name").set_value("short")
    pages.press(app, "Import the files")
    assert not app.exception
    (text,) = [element.value for element in app.error]
    assert "expected a row for each of 29 labels; got 30 x 7" in text
    assert "short" not in imports.names()
