"""Large scale: data with ids of ImageNet-21K are enough, and every tab says what was measured."""

from functools import partial

import pytest
import streamlit as st

from tests.pages import settled, visit, words
from tests.worlds import imagenet_world
from ui.figures import large_scale as figures
from zslcore import jobs
from zslcore.analysis.large_scale import (
    LargeScaleStudy,
    hierarchical_precision,
    measure,
    printed,
)
from zslcore.datasets import import_dataset, load
from zslcore.datasets.imagenet import SETS, imagenet

PAGE = "pages/large_scale.py"
TABS = (
    "Nine sets",
    "With training classes",
    "What makes it hard",
    "A class",
    "Hierarchical precision",
    "Method",
)


@pytest.fixture(scope="module")
def result():
    world = imagenet_world()
    return measure(LargeScaleStudy("ids", world.digest, "ESZSL"), world)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with an import whose classes have ids; the job is done once for all tests."""
    path = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(path))
        import_dataset(imagenet_world())
    return path


@pytest.fixture
def opened(folder, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(folder))
    st.cache_data.clear()
    st.cache_resource.clear()
    return partial(visit, PAGE, large_dataset="ids")


def test_data_of_ones_own_are_there_by_their_ids_and_judged_as_the_package_does(opened, result):
    app = settled(opened(large_k="top-5"))
    assert app.selectbox(key="large_dataset").options == ["simulated-ImageNet-small", "ids"]
    for name in ("2H", "All"):
        assert f"{100 * result.counts.accuracy(name, 5):.1f} %" in words(app)
    table = app.dataframe[0].value
    assert list(table["set"]) == list(SETS)
    assert table["printed"].notna().all()


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_shows_something(opened, tab):
    app = opened(large_class="", large_tab=tab)
    app = settled(app)
    assert not app.exception
    assert not app.error
    assert app.dataframe or app.get("plotly_chart") or app.info or "250" in words(app)


def test_the_method_tab_has_the_command_that_prints_the_same(opened):
    app = settled(opened(large_tab="Method"))
    assert [code.value for code in app.code] == [
        "python -m zslcore large-scale --dataset ids --method ESZSL"
    ]
    assert "released file has 250" in words(app)


def test_what_training_classes_cost_is_said_for_all_classes(opened, result):
    app = settled(opened(large_tab="With training classes", large_k="top-5"))
    alone, together = (100 * result.counts.accuracy("All", 5, task=t) for t in ("zsl", "gzsl"))
    assert f"it is {alone:.1f} % without them and {together:.1f} % with them" in words(app)
    assert f"{100 * 12 / 42:.1f} % of the candidates" in words(app)


def test_a_class_is_searched_by_its_id_and_answered_along_the_tree(opened, result):
    row = int(result.rows[result.counts.classes[-1]])
    facts = imagenet()
    app = settled(opened(large_class=facts.synsets[row], large_tab="A class"))
    assert facts.names[row] in app.selectbox(key="large_synset").value
    assert words(app).count("→") >= 3
    answers = app.dataframe[0].value
    assert len(answers) == 10
    assert (answers["steps"] >= 0).all()
    assert "steps away" in words(app)
    app.toggle(key="large_gzsl").set_value(True).run()
    assert not app.exception


def test_counts_suffice_until_a_tab_needs_single_images(opened, monkeypatch, tmp_path):
    """As a result of the package, which has no answers to single images."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    import_dataset(imagenet_world())
    work = LargeScaleStudy("ids", load("ids").digest, "ESZSL", images=False)
    jobs.submit(work)
    jobs.wait(work.key, 180)
    app = opened()
    assert list(app.dataframe[0].value["set"]) == list(SETS)
    assert "Cancel" not in [button.label for button in app.button]
    app = settled(opened(large_tab="A class", large_class=""))
    assert not app.error
    app = settled(opened(large_tab="Hierarchical precision"))
    assert app.get("plotly_chart")


@pytest.mark.parametrize("sought", ["qwertz", "<b>", "n00001740", ""])
def test_a_word_that_no_class_has_is_told_so(opened, sought):
    app = settled(opened(large_class=sought or " ", large_tab="A class"))
    assert "No test class has" in words(app)


@pytest.mark.parametrize(
    "address", [{"large_k": "top-3", "large_tab": "<i>"}, {"method": "<b>", "large_synset": "x"}]
)
def test_an_address_that_asks_for_nonsense_gets_what_there_is(opened, address):
    app = settled(opened(**address))
    assert app.selectbox(key="large_k").value == "top-1"
    assert "2H" in words(app)


# --- Figures --------------------------------------------------------------------------------------


def drawn(figure, name):
    (trace,) = [trace for trace in figure.data if trace.name == name]
    return trace


def test_figure_5_has_every_set_at_three_depths_beside_the_printed_ones(result):
    table = result.table().query("task == 'zsl'")
    figure = figures.sets_at_depths(table, printed())
    for k in (1, 5, 10):
        expected = [result.counts.accuracy(name, k) for name in SETS]
        assert list(drawn(figure, f"top-{k}").y) == expected
    assert len(drawn(figure, "printed top-1").y) == printed().count().sum()


def test_figure_6_has_both_tasks(result):
    figure = figures.with_training_classes(result.table(), k=5)
    for name, task in (("among unseen classes", "zsl"), ("among training classes, too", "gzsl")):
        expected = [result.counts.accuracy(s, 5, task=task) for s in SETS]
        assert list(drawn(figure, name).y) == expected


def test_accuracy_stands_over_candidates_with_chance(result):
    figure = figures.candidates(result.table().query("task == 'zsl'"), k=5)
    named = [*drawn(figure, "all other sets").text, *drawn(figure, "least populated").text]
    assert sorted(named) == sorted(SETS)
    chance = drawn(figure, "chance")
    assert list(chance.y) == [min(1, 5 / n) for n in chance.x]


def test_a_small_curve_has_axes_of_its_own(result):
    curve = result.counts.curve("All")
    figure = figures.curve_near("ESZSL", curve)
    for axis, values in (("xaxis", curve.unseen), ("yaxis", curve.seen)):
        assert figure.to_dict()["layout"][axis]["range"] == [0, pytest.approx(1.08 * values.max())]


def test_hierarchical_precision_begins_at_plain_accuracy(result):
    figure = figures.precisions(hierarchical_precision(result), "2H")
    hp, flat = (
        drawn(figure, n).y for n in ("hierarchical precision", "right class among the first k")
    )
    assert hp[0] == flat[0]
    assert len(hp) == len(flat)


@pytest.mark.parametrize("planted", ["true", "false"])
def test_the_stand_in_says_what_is_planted_and_the_switch_takes_it_out(
    planted, folder, monkeypatch
):
    monkeypatch.setenv("ZSL_DATA", str(folder))
    name = "simulated-ImageNet-small" + "-unplanted" * (planted == "false")
    asked = {"large_dataset": "simulated-ImageNet-small", "planted": planted}
    app = settled(visit(PAGE, large_tab="Method", **asked))
    assert app.code[0].value == f"python -m zslcore large-scale --dataset {name} --method ESZSL"
    (help_,) = [m.help for m in app.markdown if "-badge[" in m.value and "simulated" in m.value]
    assert ("classes with few images are harder" in help_) == (planted == "true")
    hard = settled(visit(PAGE, large_tab="What makes it hard", **asked))
    said = "classes with few images are harder by design" in words(hard)
    assert said == (planted == "true")
