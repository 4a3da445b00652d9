"""AWA1 and AWA2: printed answer, choices that change the map, and links that restore it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests import pages
from tests.pages import charts, settled, taken_apart, words
from ui.maps.colours import COLOURS
from zslcore import jobs
from zslcore.analysis import cross_dataset
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import MapStudy, make_map, predicted_points
from zslcore.datasets import imports, load
from zslcore.datasets.facts import title
from zslcore.datasets.simulated import planted_effects
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec

PAGE = "pages/awa1_and_awa2.py"
DIGITS = {"pair_first": "digits", "pair_second": "nothing else", "awa1_threads": "1"}
QUICK = {"awa1_layout": "PCA", "awa1_threads": "1", "awa1_images": "2,000"}


@pytest.fixture
def visit():
    """Open the page as a new visitor, with choices in the address, and wait for its jobs."""

    def visit(**choices):
        return settled(pages.visit(PAGE, **choices))

    return visit


def unfolded(app):
    """Open the section about the map."""
    app.session_state["awa1_about"] = True
    return settled(app.run())


def drawn(app, key="awa1_points"):
    """Return the header of the component's data, and a function that reads its arrays in turn."""
    for element in app.get("bidi_component"):
        proto = element.proto
        if f"-{key}" in proto.id or proto.id.endswith(key):
            return taken_apart(proto.bytes)
    raise AssertionError(f"no component {key}")


def test_the_page_opens_runs_again_and_accepts_a_former_address(visit):
    app = visit(view="crossed", crossed_methods="LinearS2V", **QUICK)
    for _ in range(2):
        app.run()
        assert not app.exception
        assert not app.error
    assert drawn(app)[0]["n"] == 2000
    for chart in charts(app):
        assert len(chart.alt) > 15


def test_the_answer_comes_from_printed_pairs_and_never_from_simulated_data(visit, precomputed):
    app = visit()
    headings = [
        element.value.replace("\\", "") for element in app.markdown if "## " in element.value
    ]
    (answer,) = headings
    table = cross_dataset.printed_table().set_index(["method", "train_dataset", "test_dataset"])
    wide = table["top1_per_class"].unstack(["train_dataset", "test_dataset"]).drop_duplicates()
    means = 100 * wide.mean()
    training = (means["AWA2"].sum() - means["AWA1"].sum()) / 2
    testing = (means[:, "AWA2"].sum() - means[:, "AWA1"].sum()) / 2
    assert re.findall(r"[+−][\d.]+", answer) == [
        f"{x:+.1f}".replace("-", "−") for x in (training, testing)
    ]
    heading = "**5 of 50 classes look different in AWA1-like (simulated)"
    assert "classes look different" not in words(app)  # simulated data give no answer
    assert "30,475 images of AWA1, 37,322 of AWA2. AWA2 is less balanced" in words(app)
    app = unfolded(app)
    texts = (element.value.replace("\\", "") for element in app.markdown)
    (sentence,) = (text for text in texts if text.startswith(heading))
    moved = planted_effects("simulated-AWA2").moved
    assert {name for name in load("simulated-AWA2").class_names if name in sentence} == set(moved)
    unplanted = {
        "pair_first": "simulated-AWA1-unplanted",
        "pair_second": "simulated-AWA2-unplanted",
    }
    app = unfolded(visit(**QUICK, **unplanted))
    assert "**None of the 50 classes looks different in " in words(app)
    assert "simulated without effect" in words(app)
    assert "simulated map" in words(app)
    alone = visit(**DIGITS, awa1_layout="PCA")
    assert "without effect" not in words(alone)


def test_simulated_data_name_the_command_that_replaces_them(visit):
    assert "`zslcore download xlsa17` replaces them" in words(visit(**QUICK))
    assert "zslcore download" not in words(visit(**DIGITS, awa1_layout="PCA"))


@pytest.mark.parametrize("layout", ["t-SNE", "UMAP"])
def test_both_layouts_of_the_first_pair_are_shown_at_once(layout, precomputed):
    app = pages.visit(PAGE, awa1_layout=layout)
    assert drawn(app)[0]["n"] == 2000
    assert not [button for button in app.button if button.key == "awa1_start"]


def test_layouts_start_on_request_with_an_estimated_time():
    app = pages.visit(PAGE, awa1_layout="t-SNE", awa1_perplexity="10", awa1_threads="1")
    button = app.button(key="awa1_start")
    assert re.fullmatch(r"Compute t-SNE \(about \d+ s\)", button.label)
    head, _ = drawn(app)
    assert head["n"] == 2000
    pair = [load(name) for name in ("simulated-AWA1", "simulated-AWA2")]
    work = MapStudy.of(pair, MapSettings("tsne", perplexity=10.0, n_samples=2000, threads=1))
    assert jobs.status(work.key) is None
    app = settled(button.click().run())
    assert jobs.finished(work) is not None
    assert drawn(app)[0]["key"] != head["key"]
    assert not [button for button in app.button if button.key == "awa1_start"]


def test_the_second_menu_lists_data_sets_with_the_same_classes(visit):
    app = visit(**QUICK)
    menu = app.selectbox(key="pair_second_menu")
    unplanted = [f"{name}-like (simulated without effect)" for name in ("AWA2", "AWA1", "CUB")]
    assert menu.options == ["AWA2-like (simulated)", *unplanted[:2], "nothing else"]
    app = settled(app.selectbox(key="pair_first_menu").select("simulated-CUB").run())
    assert app.selectbox(key="pair_second_menu").options == [unplanted[2], "nothing else"]
    app = visit(**{"pair_first": "digits", **QUICK})
    assert app.selectbox(key="pair_second_menu").options == ["nothing else"]


def test_every_point_has_the_label_and_the_mark_of_its_row(visit):
    pair = [load(name) for name in ("simulated-AWA1", "simulated-AWA2")]
    unseen = [set(dataset.split("PS").unseen_classes) for dataset in pair]
    for colour in ("data set", "class", "seen or unseen"):
        head, take = drawn(visit(awa1_colour=colour))
        category, of_class = take("<u2", head["n"]), take("<u2", head["n"])
        part, row = take("u1", head["n"]), take("<u4", head["n"])
        labels = np.array([pair[p].labels[r] for p, r in zip(part, row, strict=True)])
        np.testing.assert_array_equal(of_class, labels)
        looks = [head["palette"][c]["label"] for c in category]
        expected = {
            "data set": [title(pair[p].name) for p in part],
            "class": [pair[p].class_names[c] for p, c in zip(part, labels, strict=True)],
            "seen or unseen": [
                "unseen" if c in unseen[p] else "seen" for p, c in zip(part, labels, strict=True)
            ],
        }
        assert looks == expected[colour]


@pytest.mark.parametrize("view", ["overlay", "side by side"])
def test_every_view_of_a_pair_draws_its_panels(visit, view):
    head, _ = drawn(visit(awa1_view=view, **QUICK))
    assert head["n"] == 2000
    assert len(head["panels"]) == (2 if view == "side by side" else 1)
    assert sum(panel["n"] for panel in head["panels"]) == 2000
    assert head["link"] == ("place" if view == "side by side" else "image")
    assert all("2,000 images" in panel["alt"] for panel in head["panels"])


def test_every_colouring_changes_the_picture(visit):
    labels, categories = {}, {}
    for colour in COLOURS:
        head, take = drawn(visit(awa1_colour=colour, **QUICK))
        labels[colour] = tuple(entry["label"] for entry in head["palette"])
        categories[colour] = take("<u2", head["n"])
        assert categories[colour].max() < len(labels[colour])
    assert len(set(labels.values())) == len(COLOURS)
    assert labels["prediction"] == (*labels["class"], "not in the test set")
    tested = categories["right or wrong"] < 2
    np.testing.assert_array_equal(categories["prediction"] < 50, tested)
    np.testing.assert_array_equal(
        (categories["prediction"] == categories["class"])[tested],
        categories["right or wrong"][tested] == 0,
    )
    np.testing.assert_array_equal(categories["confidence"] < 5, tested)
    sizes = np.bincount(categories["confidence"][tested])
    assert len(sizes) == 5
    assert sizes.max() - sizes.min() <= 1
    assert len(set(categories["neighbours preserved"])) > 4
    assert labels["seen or unseen"] == ("seen", "unseen")
    assert labels["right or wrong"] == ("right", "wrong", "not in the test set")
    assert len(labels["class"]) == 50


def test_an_image_shows_its_predicted_class(visit):
    digits = load("digits")
    split = digits.split("PS")
    predicted = answers_of_digits()
    wrong = next(row for row in split.test_unseen if not predicted.right[row])
    address = {"awa1_layout": "PCA", **DIGITS, "awa1_colour": "prediction"}
    text = words(visit(**address, awa1_image=f"0.{wrong}"))
    name = digits.class_names[predicted.predicted[wrong]]
    assert f"LinearS2V predicts **{name}**: wrong." in text
    text = words(visit(**address, awa1_image=f"0.{split.trainval[0]}"))
    assert "No prediction by LinearS2V: the image is not in the test set." in text


def answers_of_digits():
    digits = load("digits")
    spec = RunSpec("digits", "PS", "LinearS2V")
    run_result = run(spec, digits, with_oracle=False)
    result, scores = run_result.result, run_result.scores
    return predicted_points(scores, digits.split("PS"), len(digits.labels), gamma=result.gamma)


def test_search_selects_classes_with_the_word(visit):
    head, _ = drawn(visit(awa1_find="bear, whale", **QUICK))
    result = {head["classes"][c] for c in head["matching"]}
    assert result == {
        "grizzly bear", "polar bear", "killer whale", "humpback whale", "blue whale",
    }  # fmt: skip
    assert {name["text"] for name in head["panels"][0]["names"]} == result
    assert drawn(visit(**QUICK))[0]["matching"] is None


def test_a_link_restores_selection_view_and_image(visit):
    address = {"awa1_layout": "PCA", **DIGITS}
    key = drawn(visit(**address))[0]["key"]
    settings = MapSettings("pca", n_samples=2_000, threads=1)
    embedded = make_map([load("digits")], settings)
    work = MapStudy.of([load("digits")], settings).map[:8]
    app = visit(
        **address,
        awa1_lasso=f"{work}.0.-9,-9;0,-9;0,9;-9,9",
        awa1_look=f"{work}.0.1,0.2,0.5",
        awa1_image="0.7",
    )
    head, _ = drawn(app)
    assert head["key"] == key
    assert head["selection"]["polygon"][1] == [0, -9]
    assert head["cameras"] == [[0.1, 0.2, 0.5]]
    assert head["picked"] == 7
    inside, labels = embedded.coordinates[:, 0] < 0, load("digits").labels
    expected = int(inside.sum())
    assert f"**{expected:,} of 1,797 images selected**" in words(app)
    listed = next(table.value for table in app.dataframe if "share" in table.value)
    shares = 100 * np.bincount(labels[inside], minlength=10) / np.bincount(labels)
    result = dict(zip(listed["class"].astype(int), listed["share"], strict=True))
    assert result == pytest.approx({c: share for c, share in enumerate(shares) if share})
    assert "Nearest in the original space" in words(app)
    assert any("same_class" in table.value for table in app.dataframe)


def test_maps_of_digits_contain_their_pictures(visit):
    head, take = drawn(visit(awa1_layout="PCA", **DIGITS))
    assert head["picture"] == [8, 8]
    assert len(take()) > 1797 * 64
    assert head["n"] == 1797


def test_the_quality_on_the_page_equals_the_map(visit):
    app = unfolded(visit(**QUICK))
    pair = [load("simulated-AWA1"), load("simulated-AWA2")]
    q = make_map(pair, MapSettings("pca", n_samples=2000, threads=1)).quality
    assert f"Neighbours preserved (15) {100 * q.knn_recall:.1f} %" in words(app)
    assert f"trustworthiness {100 * q.trustworthiness:.1f} %" in words(app)
    assert "Sizes mean nothing" in words(app)
    assert "Mixing is the entropy" not in words(unfolded(visit(awa1_layout="PCA", **DIGITS)))


@pytest.fixture
def imported_pair(own_data):
    """Imports with the classes, image counts and splits of AWA1 and AWA2, marked as real."""
    for name in ("AWA1", "AWA2"):
        simulated = load(f"simulated-{name}")
        real = replace(simulated, name=name, simulated=False, known_digest="")
        imports.import_read_dataset(real, name)


def test_an_imported_pair_is_the_default_and_its_first_picture_starts_no_job(imported_pair):
    app = pages.visit(PAGE)
    assert app.selectbox(key="pair_first_menu").value == "AWA1"
    assert app.selectbox(key="pair_second_menu").value == "AWA2"
    assert "zslcore download" not in words(app)
    (answer,) = [element.value for element in app.markdown if "## " in element.value]
    assert answer.startswith("## 5 of 50 classes look different in AWA1 and AWA2")
    assert "24 printed pairs" in words(app)
    assert "simulated map" not in words(app)
    assert app.button(key="awa1_start").label.startswith("Compute t-SNE (about ")
    assert "a sample of 2,000" in words(app)


def test_all_rows_follow_the_first_picture_in_place(imported_pair):
    app = pages.visit(PAGE, awa1_images="all", awa1_threads="1")
    head, _ = drawn(app)
    assert head["n"] == sum(len(load(name).labels) for name in ("AWA1", "AWA2"))
    assert "All 6,779 images; PCA is fitted on a sample of 2,000." in words(app)


# --- Pictures -------------------------------------------------------------------------------------
