"""Data page: tables and figures have the right counts, and bad uploads are refused."""

import base64
import io
from functools import partial

import numpy as np
import pytest
import streamlit as st
from PIL import Image
from scipy.io import savemat
from streamlit.testing.v1 import AppTest

from tests import pages
from tests.datasets.files import N, with_type_code, write_folder
from tests.pages import charts, words
from tests.worlds import linear_world
from tests.writing import as_cells
from ui.figures.images import SHARP, mosaic
from ui.figures.splits import split_map
from ui.intake import import_dialog, uploads
from ui.sections.your_data import closed_forms
from zslcore.analysis import dataset_summary
from zslcore.datasets import available, load
from zslcore.datasets.facts import class_facts
from zslcore.exceptions import ZSLError
from zslcore.results.store import ResultStore
from zslcore.untrusted import worker

PAGE = "splits"


@pytest.fixture
def visit():
    """Open the page as a new visitor, with choices in the address."""
    return partial(pages.visit, PAGE)


@pytest.fixture
def at_the_machine(monkeypatch):
    """Act as the local user: tests have no network address."""
    monkeypatch.setattr(uploads, "is_local", lambda: True)


def test_headings_describe_the_data_set_and_then_the_split(visit):
    text = words(visit(dataset="digits"))
    assert "## Digits: 1,797 images, 10 classes, each class described by 31 attributes." in text
    sides = (
        "Proposed split (PS): trains on 1,012 images of 7\u00a0seen\u00a0classes; tests on 252 "
        "other images of these classes and on 533 images of 3\u00a0unseen\u00a0classes."
    )
    assert sides in text
    alone = "seen\u00a0classes; tests on 698 images of 10\u00a0unseen\u00a0classes."
    assert alone in words(visit(dataset="simulated-AWA2", split="SS"))


@pytest.mark.parametrize(("dataset", "menus"), [("digits", 0), ("simulated-AWA2", 1)])
def test_a_split_is_chosen_only_among_several(visit, dataset, menus):
    app = visit(dataset=dataset, split="none")
    assert [menu.label for menu in app.selectbox].count("Split") == menus
    assert any("which is not available" in each.value for each in app.toast)


def test_seen_validation_is_counted_with_the_folds(visit):
    app = visit(dataset="digits")
    fold = load("digits").splits["PS"].folds[0]
    assert "γ is chosen on 144 held-out images of the same classes" in words(app)
    assert f"the {len(fold.val)} images of the validation classes" in words(app)
    assert f"Fold 1 trains on {len(fold.train) - 144} images" in words(app)
    assert "held-out" not in words(visit(dataset="simulated-AWA2", split="SS"))


def test_statistics_are_next_to_published_ones(visit):
    app = visit(dataset="simulated-AWA2", data_source="true")
    table = app.dataframe[0].value.set_index(["split", "quantity"])
    assert table.loc[("PS", "unseen test images"), "published"] == 7913
    assert table.loc[("", "images"), "deviation"] == pytest.approx(-90.0, abs=0.1)
    assert "simulated" in words(app)


def test_a_search_without_hits_is_reported_in_one_sentence(visit):
    app = visit(dataset="digits", data_embeddings="true", data_classes="zebra")
    assert "No class or attribute name" in words(app)
    app.text_input(key="data_classes").set_value("7, 8").run()
    assert not app.exception
    assert "2 of 10 classes" in words(app)


# --- Files from outside ---------------------------------------------------------------------------


def content(folder, *names):
    return [(name, (folder / name).read_bytes(), "application/octet-stream") for name in names]


def opened(app):
    """Press Import next to the menu of data sets."""
    return app.button(key="import_offer").click().run()


def upload(visit, files, **fields):
    return upload_into(opened(visit()), files, **fields)


def upload_into(app, files, **fields):
    for key, value in fields.items():
        app.text_input(key=key).set_value(value)
    app.file_uploader(key="data_files").set_value(files).run()
    if any(button.label == "Import the files" for button in app.button):  # not imported at once
        pages.press(app, "Import the files")
    assert not app.exception
    return app


def mine(tmp_path, monkeypatch, snippet):
    """Run one of the page's recipes on a small data set."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 10)
    unseen = np.flatnonzero(y >= 4)
    seen = np.flatnonzero(y < 4)
    trainval = np.setdiff1d(seen, seen[::5])
    exec(
        snippet,
        {
            "X": rng.random((60, 12)),
            "y": y,
            "S": rng.random((6, 5)),
            "names": [f"class {c}" for c in "abcdef"],
            "trainval": trainval,
            "train": trainval[y[trainval] < 3],
            "val": trainval[y[trainval] == 3],
            "test_seen": seen[::5],
            "test_unseen": unseen,
        },
    )
    return sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("snippet", "split"),
    list(zip(import_dialog.programs().values(), ("PS", "own", "own"), strict=True)),
    ids=["mat", "npz", "csv"],
)
def test_files_of_the_example_programs_are_imported(visit, tmp_path, monkeypatch, snippet, split):
    names = mine(tmp_path, monkeypatch, snippet)
    name = f"recipe-{names[0].partition('.')[2]}"
    app = upload(visit, content(tmp_path, *names[::-1]), data_name=name)
    assert not app.error
    assert "60 images, 6 classes, each class described by 5 attributes" in words(app)
    dataset = load(name)
    assert len(dataset.splits[split].test_unseen) == 20
    assert len(dataset.splits[split].test_seen) == 8
    assert tuple(dataset.class_names) == tuple(f"class {c}" for c in "abcdef")


def test_an_upload_declares_its_pretraining(visit, tmp_path):
    files = content(write_folder(tmp_path / "told"), "res101.mat", "att_splits.mat")
    app = opened(visit())
    app.multiselect(key="data_pretraining").set_value(["none", "imagenet-1k"])
    app = upload_into(app, files, data_name="told")
    assert "'none' means features without pre\\-training" in app.error[0].value
    app.multiselect(key="data_pretraining").set_value(["imagenet-1k"])
    app = upload_into(app, files, data_name="told")
    assert not app.error
    assert load("told").pretraining == ("imagenet-1k",)


def test_an_import_shows_contents_verdict_and_results(visit, tmp_path, own_data):
    world = linear_world(noise=1.0)
    rows = {part: getattr(world.split("PS"), part) for part in ("trainval", "test_unseen")}
    rows["test_seen"] = world.split("PS").test_seen
    np.savez(
        tmp_path / "birds.npz",
        features=world.features,
        labels=world.labels,
        prototypes=world.prototypes,
        **rows,
    )
    app = pages.go(AppTest.from_file(pages.APP, default_timeout=pages.PATIENCE), "leakage").run()
    app.session_state["import_open"] = True  # as the button next to the menu of data sets does
    app = upload_into(app.run(), content(tmp_path, "birds.npz"), data_name="birds")
    assert len(charts(app)) == 1  # only the split is drawn, since there is no result yet
    assert app.selectbox(key="dataset_menu").value == "birds"
    text = words(app)
    assert f"## birds: {len(world.labels):,} images, {world.n_classes} classes" in text
    assert "Extractor trained on unknown data" in words(visit(dataset="birds", data_source="true"))
    badges = [element.value for element in app.markdown if "-badge[" in element.value]
    assert any("Unknown" in badge for badge in badges), badges
    assert not app.dataframe
    app = visit(dataset="birds")  # open the page of the import, as the app does by itself
    app.button(key="data_compute").click().run()
    app = pages.settled(app)
    (picture,) = charts(app)
    assert picture.alt.startswith("Images of every class by their part in the split")
    assert [fold.label for fold in app.expander] == ["Attributes", "Source and statistics"]
    table = app.dataframe[0].value
    table.index = [row.partition(" (")[0] for row in table["method"]]  # the table shows "SAE (S2V)"
    names = closed_forms(load("birds"))
    assert {*table.index} == {*names}
    stored = {
        stored_run.result.spec.method: stored_run.result for stored_run in ResultStore().stored()
    }
    for name in names:
        H = stored[name].evaluation.calibrated.harmonic
        assert table.loc[name, "H at γ"] == pytest.approx(100 * H)
    assert "rank" not in table  # only a minority is significantly worse
    assert "ranks have" not in words(app)
    below = words(app).partition(f"leads the {len(names)} methods")[2]
    assert "Parameters are chosen on the folds, without" in below  # the text below the picture
    assert "data_compute" not in {button.key for button in app.button}
    compared = pages.visit("table", dataset="birds")
    headings = next(e.value.columns for e in compared.dataframe if e.value.columns.nlevels == 2)
    assert next(first for first, _ in headings if first.strip()) == "birds, split own"


def test_a_file_that_crashes_its_reader_is_refused_in_one_sentence(visit, tmp_path):
    folder = write_folder(tmp_path / "evil", compress=False)
    with_type_code(folder / "att_splits.mat", 200)
    app = upload(visit, content(folder, "res101.mat", "att_splits.mat"), data_name="evil")
    assert len(app.error) == 1
    assert "att" in app.error[0].value
    assert not app.toast
    assert "evil" not in available()
    assert app.file_uploader(key="data_files").value
    assert app.text_input(key="data_name").value == "evil"


def test_an_import_shows_its_progress_and_a_click_cancels_it(visit, tmp_path, monkeypatch):
    def read(*args, **more):
        worker._WATCHER.get()(0.5)
        st.stop()  # Streamlit stops a run like this when a visitor clicks or leaves

    monkeypatch.setattr(uploads, "import_files", read)
    app = opened(visit())
    files = content(write_folder(tmp_path / "slow"), "res101.mat", "att_splits.mat")
    app.file_uploader(key="data_files").set_value(files).run()
    assert not app.exception
    assert "50%" in app.get("progress")[0].proto.text
    app.button(key="data_cancel").click().run()
    assert not app.exception
    assert "The import was cancelled" in app.info[0].value
    assert not app.get("progress")


def test_the_number_of_imports_in_a_visit_is_limited(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_IMPORTS_A_VISITOR", "1")
    folder = write_folder(tmp_path / "many")
    files = content(folder, "res101.mat", "att_splits.mat")
    app = upload(visit, files, data_name="many-1")
    assert app.toast
    app = upload_into(opened(app), files, data_name="many-2")
    assert "at most 1 imports in one visit" in app.error[0].value
    assert "many-2" not in available()


class Named(io.BytesIO):
    def __init__(self, name, data=b""):
        super().__init__(data)
        self.name = name


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param([("a.mat", b"nothing")], "a.mat: expected MATLAB 5, as its ending", id="mat"),
        pytest.param([("a.npz", b"x")], "a.npz: expected NumPy archive, as its ending", id="npz"),
        pytest.param([("c.pth", b"x")], "as its ending says; got a text file", id="pth"),
        pytest.param([("a.csv", b"label,x\na,1\n")], "a second CSV", id="no prototypes"),
        pytest.param([("a.npz", b""), ("b.npz", b"")], "a.npz: expected a file with", id="empty"),
        pytest.param([(f"{k}.npz", b"") for k in "abc"], "a.npz: expected a file with", id="three"),
        pytest.param([("a.mat", b"x"), ("att_splits.mat", b"y")], "att_splits.mat: exp", id="pair"),
        pytest.param([("a.npy", b"x"), ("a.npy", b"y")], "two of this name", id="twice"),
        *(
            pytest.param([(name, b"")], r"^evil\.mat: expected", id=name)
            for name in ("../../evil.mat", "..\\evil.mat", "/tmp/evil.mat")
        ),
    ],
)
def test_invalid_uploads_are_refused_by_their_file_name(files, sentence):
    with pytest.raises(ZSLError, match=sentence):
        uploads.import_files([Named(*file) for file in files])


def test_another_visitors_data_set_is_not_replaced(tmp_path):
    folder = write_folder(tmp_path / "small")

    def files():
        return [Named(n, (folder / n).read_bytes()) for n in ("res101.mat", "att_splits.mat")]

    uploads.import_files(files(), name="mine-alone")
    with pytest.raises(ZSLError, match="exists; give another name"):
        uploads.import_files(files(), name="mine-alone")
    assert len(uploads.import_files(files(), name="mine-alone", replace=True).labels) == N


def test_features_and_splits_are_distinguished_by_name_or_size(tmp_path):
    small = write_folder(tmp_path / "small")
    large = np.random.default_rng(0).random((5, 4000)).T
    wide = write_folder(tmp_path / "wide", splits={"original_att": large})
    for folder, names in ((wide, ("vgg.mat", "my_splits.mat")), (small, ("a.mat", "b.mat"))):
        files = [
            Named(name, (folder / usual).read_bytes())
            for name, usual in zip(names, ("res101.mat", "att_splits.mat"), strict=True)
        ]
        dataset = uploads.import_files(files[::-1], name=f"told-{folder.name}")
        assert len(dataset.labels) == N
        assert dataset.source.startswith(f"{names[0]} and {names[1]}")


def benchmark_files(folder):
    """Write features and splits with aPY's classes, and arrays named as in the released files."""
    table = class_facts("aPY").classes
    y, folder = np.repeat(np.arange(32), 5), folder / "apy"
    folder.mkdir()
    unseen = np.flatnonzero((table["ps"] == "test").to_numpy()[y])
    seen = np.setdiff1d(np.arange(len(y)), unseen)
    savemat(folder / "dino.mat", {"features": np.eye(6, len(y)), "labels": y[:, None] + 1.0})
    tables = {"att": np.eye(32), "allclasses_names": as_cells(list(table["class"]))}
    rows = {"trainval": np.setdiff1d(seen, seen[::5]), "test_seen": seen[::5]}
    rows["test_unseen"] = unseen
    tables |= {f"{part}_loc": numbers + 1.0 for part, numbers in rows.items()}
    savemat(folder / "my_splits.mat", tables)
    return content(folder, "dino.mat", "my_splits.mat")


def test_a_benchmark_is_recognised_without_its_name(visit, tmp_path):
    app = upload(visit, benchmark_files(tmp_path))
    assert not app.error
    assert "Imported as aPY\\-dino" in app.toast[0].value
    assert "Recognised as aPY" in app.toast[0].value
    app = visit(dataset="aPY-dino", data_source="true")
    table = app.dataframe[0].value.set_index(["split", "quantity"])
    assert table.loc[("PS", "unseen test images"), "published"] == 7924
    assert len(load("aPY-dino").split("PS").folds) == 3


@pytest.mark.parametrize("name", ["labels.dat", "labels", "LABELS.LST"])
def test_the_content_of_a_file_decides_what_it_is(name):
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(6), 20)
    features = io.BytesIO()
    np.save(features, rng.normal(size=(120, 8)).astype(np.float32))
    embeddings = "".join(f"{c} {c % 2}.5 {c % 3}.25 {c}.125\n" for c in range(6))
    files = {"x.npy": features.getvalue(), "embeddings.vec": embeddings.encode()}
    files[name] = "".join(f"{label}\n" for label in labels).encode()
    data = uploads.import_files([Named(*file) for file in files.items()], unseen="4, 5")
    assert np.array_equal(data.labels, labels)


def test_a_local_folder_is_imported_in_place(visit, at_the_machine, tmp_path):
    write_folder(tmp_path / "local")
    app = opened(visit())
    app.text_input(key="data_folder_path").set_value(str(tmp_path / "local"))
    app.multiselect(key="data_folder_pretraining").set_value(["imagenet-21k"])
    next(button for button in app.button if button.label == "Import the folder").click().run()
    assert not app.exception
    assert not app.error
    assert f"{N} images" in words(app)
    assert load("local").pretraining == ("imagenet-21k",)


@pytest.mark.parametrize(
    ("headers", "local"),
    [
        ({"Host": "localhost:8501"}, True),
        ({"host": "127.0.0.1"}, True),
        ({"Host": "[::1]:8501"}, True),
        ({"Host": "zsl.example.org"}, False),
        ({"Host": "192.0.2.1:8501"}, False),
        ({"Host": "localhost:8501", "X-Forwarded-For": "192.0.2.7"}, False),
        ({"Host": "localhost:8501", "X-Forwarded-Proto": "https"}, False),
        ({"Host": "localhost:8501", "X-Real-IP": "192.0.2.7"}, False),
        ({"Host": "localhost:8501", "Forwarded": "for=192.0.2.7"}, False),
        ({"Host": "localhost:8501", "Via": "1.1 proxy"}, False),
        ({"Host": "localhost:8501", "Origin": "https://zsl.example.org"}, False),
        ({"Host": "localhost:8501", "Origin": "http://localhost:8501"}, True),
        ({}, False),
    ],
)
def test_only_requests_from_this_machine_are_local(headers, local):
    assert uploads.names_this_machine(headers) == local


def test_a_visitor_on_another_machine_is_offered_no_folder(visit, monkeypatch):
    monkeypatch.setattr(uploads, "is_local", lambda: False)
    app = opened(visit(dataset="digits"))
    assert [button.label for button in app.button if button.label != "Search"] == [
        "Import",
        "Import the files",
    ]


# --- Figures --------------------------------------------------------------------------------------


def test_six_images_of_each_class_are_above_its_bar():
    images = np.zeros((6, 8, 8), dtype=np.uint8)
    images[4, 0, 0] = 255  # image 4 is in the second row and column of the mosaic
    source = mosaic(images, 3)
    dataset = load("digits")
    split = dataset.split("PS")
    table = dataset_summary.class_table(dataset, split)
    figure = split_map(table, dataset_summary.fold_roles(dataset, split), [source] * 10)
    drawn = figure.layout["images"]
    assert [(tile["x"], tile["source"]) for tile in drawn] == [(k, source) for k in range(10)]
    picture = Image.open(io.BytesIO(base64.b64decode(source.partition(",")[2]))).convert("L")
    ink = np.argwhere(np.array(picture)[::SHARP, ::SHARP] < 128)
    # Each place has a frame, an 8-pixel picture and a space.
    assert ink.tolist() == [[1 + 9, 1 + 9]]


def test_a_class_name_in_an_error_is_escaped(visit):
    files = [
        ("mine.csv", b"label,split,x\n[a](https://example.org),trainval,1\n", ""),
        ("prototypes.csv", b"class,y\nb,1\n", ""),
    ]
    app = upload(visit, files)
    assert "\\[a\\]\\(https" in app.error[0].value


def test_shared_photographs_are_mentioned_for_apy_only(visit):
    counts = "817 of 1,483 seen test images and 2,885 of 7,924 unseen test images"
    assert counts in words(visit(dataset="simulated-aPY", split="PS"))
    assert "817 of" not in words(visit(dataset="simulated-aPY", split="SS"))
    assert "seen test images" not in words(visit(dataset="simulated-SUN", split="PS"))
