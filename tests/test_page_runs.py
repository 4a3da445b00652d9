"""The Runs page as a visitor meets it, and the links that it gives."""

from dataclasses import replace
from functools import partial

import pytest
import streamlit as st

from tests.pages import metrics, visit, words
from tests.worlds import linear_world
from ui import takeaway
from ui.run_address import address_of
from ui.sections.runs import label_of
from zslcore.analysis.run_listing import as_json
from zslcore.board.entry import read_entry
from zslcore.datasets import load
from zslcore.evaluation.runs import RunResult, execute
from zslcore.evaluation.specs import RunSpec
from zslcore.results.planning import Plan
from zslcore.results.store import ImportMark, ResultStore, StoredRun

PAGE = "pages/runs.py"
WORLD = linear_world(noise=1.0)


@pytest.fixture(scope="module")
def results():
    made = []
    for k, method in enumerate(("LinearS2V", "LinearV2S", "ESZSL"), 1):
        result = execute(RunSpec(WORLD.name, "PS", method), WORLD)
        made.append(replace(result, created=f"2026-0{k}-01T10:00:00+00:00"))
    return made


@pytest.fixture
def store(results, tmp_path, monkeypatch):
    """Two runs of our own, the newest by Ada."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    st.cache_resource.clear()
    store = ResultStore()
    for result in results[:2]:
        store.put(result)
    store.add(
        [StoredRun(results[2], ImportMark("Ada *", "hers.json", "2026-05-05T00:00:00+00:00"))]
    )
    return store


open_page = partial(visit, PAGE)


def keys(app):
    return app.dataframe[0].value["id"].tolist()


def test_without_runs_the_page_says_where_they_come_from(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    app = open_page()
    assert "There is no run yet." in words(app)
    assert not app.dataframe
    assert not ResultStore().path.exists()


def test_all_runs_are_listed_newest_first_with_their_origin(store, results):
    app = open_page()
    assert keys(app) == [f"{results[2].key}@Ada *", results[1].key, results[0].key]
    table = app.dataframe[0].value
    assert table["whose"].tolist() == ["by Ada *", "here", "here"]
    assert set(table["data"]) == {"simulated"}
    assert table["zsl"][2] == pytest.approx(100 * results[0].evaluation.zsl)
    assert "3 of 3 runs" in words(app)
    assert "all its visitors" in words(app)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"runs_methods": ["LinearS2V", "ESZSL"]}, [2, 0]),
        ({"runs_whose": "computed here"}, [1, 0]),
        ({"runs_whose": "imported"}, [2]),
        ({"runs_since": "2026-02-01"}, [2, 1]),
        ({"runs_order": "method"}, [2, 0, 1]),
        ({"runs_order": "method", "runs_reversed": "true"}, [1, 0, 2]),
    ],
)
def test_filters_and_order_are_in_the_address(store, results, choice, expected):
    found = [key.partition("@")[0] for key in keys(open_page(**choice))]
    assert found == [results[k].key for k in expected]


def test_filters_that_leave_nothing_say_so(store):
    app = open_page(runs_methods=["LinearS2V"], runs_since="2026-02-01")
    assert "No run has all of these." in words(app)


def test_one_run_is_shown_with_its_figures_and_command(store, results):
    app = open_page(runs_run=label_of(StoredRun(results[0])))
    assert metrics(app)["ZSL accuracy"] == f"{100 * results[0].evaluation.zsl:.1f} %"
    assert app.code[0].value == results[0].spec.command()
    assert not app.warning
    assert "not computed here" in open_page().warning[0].value


def test_a_run_makes_its_file_for_the_board_where_its_data_are_here(store, results, monkeypatch):
    made = []
    monkeypatch.setattr(takeaway, "offer_for_board", lambda text, name, **_: made.append(text))
    open_page(runs_run=label_of(StoredRun(results[0])))
    assert made == []  # its data are a world of these tests
    run = execute(RunSpec("digits", "PS", "LinearS2V"), load("digits"), with_oracle=False)
    store.put(run)
    open_page(runs_run=label_of(StoredRun(run)))
    entry = read_entry(made[-1].encode(), "mine.json")
    assert (entry.method, entry.who) == ("LinearS2V", "me")
    assert entry.per_class["at_gamma"]["7"] == pytest.approx(run.evaluation.per_class[7])


def test_what_an_oracle_chose_is_called_a_bound(store):
    Plan([RunSpec(WORLD.name, "PS", "SAE")], choices=["oracle"]).complete_all(WORLD, store)
    app = open_page(runs_methods=["SAE"])
    assert sorted(app.dataframe[0].value["chosen"]) == ["GZSL", "oracle"]
    (bound,) = (r for r in store.results() if r.spec.method == "SAE" and r.oracle is None)
    app = open_page(runs_methods=["SAE"], runs_run=label_of(StoredRun(bound)))
    assert "a bound, never a result" in app.warning[0].value


def test_two_runs_are_compared(store, results):
    first, second = (label_of(StoredRun(result)) for result in results[:2])
    app = open_page(runs_run=first, runs_beside=second)
    assert not app.metric
    figures, spec, classes = (table.value for table in app.dataframe[1:4])
    gain = 100 * (results[1].evaluation.zsl - results[0].evaluation.zsl)
    assert figures["difference"][0] == pytest.approx(gain)
    assert "method" in spec["field"].tolist()
    assert "dataset" not in spec["field"].tolist()
    assert len(classes) == 4
    assert "over 4 classes" in words(app)
    app.toggle(key="runs_same").set_value(True).run()
    assert "dataset" in app.dataframe[2].value["field"].tolist()
    app.selectbox(key="runs_among").set_value("GZSL").run()
    assert len(app.dataframe[3].value) == 12


def test_what_stands_between_two_runs_is_said(store, results):
    given = execute(RunSpec(WORLD.name, "PS", "SAE", params={"lam": 1.0}), WORLD)
    store.put(given)
    app = open_page(
        runs_run=label_of(StoredRun(results[0])), runs_beside=label_of(StoredRun(given))
    )
    assert "They were chosen differently" in app.warning[0].value


def test_a_run_is_deleted_only_after_it_was_confirmed(store, results):
    app = open_page(runs_run=label_of(StoredRun(results[0])))
    assert store.get(results[0].key)
    assert "All visitors of this server share" in words(app)
    app.button(key="runs_delete").click().run()
    assert not app.exception
    assert store.get(results[0].key) is None
    assert len(keys(app)) == 2


def test_results_of_somebody_else_are_brought_in_and_marked(store, results):
    app = open_page()
    assert app.button(key="runs_bring").disabled
    file = as_json([StoredRun(results[0])]).encode()
    app.file_uploader[0].set_value([("his.json", file, "application/json")])
    app.text_input(key="runs_who").set_value("Bob").run()
    app.button(key="runs_bring").click().run()
    assert not app.exception
    assert f"{results[0].key}@Bob" in keys(app)
    assert store.get(results[0].key) == results[0]


def test_a_file_that_is_no_result_is_one_sentence(store):
    app = open_page()
    app.file_uploader[0].set_value([("bad.json", b"{}", "application/json")])
    app.text_input(key="runs_who").set_value("Bob").run()
    app.button(key="runs_bring").click().run()
    assert "values that do not fit" in app.error[0].value
    assert len(store.stored()) == 3


def test_unreadable_rows_are_counted_and_nonsense_in_the_address_is_passed_over(store):
    with store.writing() as db:
        db.execute("INSERT INTO runs VALUES ('x', '', '{')")
    app = open_page(
        runs_run="<b>", runs_beside="??", runs_since="never", runs_order="no", runs_methods=["no"]
    )
    assert not app.error
    assert len(keys(app)) == 3
    assert "1 result was written by another version" in words(app).replace("\\", "")


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "LinearS2V"},
        {"method": "SAE", "params": {"direction": "V2S"}, "seed": 3, "features": "none"},
        {"method": "SAE", "params": {"direction": "S2V", "lam": 10.0}, "prototypes": "none"},
        {"method": "ESZSL", "params": {"gamma": 100.0, "lam": 0.1}},
    ],
)
def test_the_link_of_a_run_opens_the_same_run(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    spec = RunSpec("digits", "PS", **asked)
    app = visit("pages/evaluate.py", **address_of(spec))
    assert app.metric
    made = [result.spec for result in ResultStore().results()]  # and for ZSL, beside it
    (made,) = (one for one in made if one.select_for == "gzsl")
    same = [
        (replace(one, digest="", params=one.estimator.get_params()).key, one.grid)
        for one in (made, spec)
    ]
    assert same[0] == same[1]  # the page says variants that are the default, too


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "LinearS2V", "gamma": 0.5},
        {"method": "LinearS2V", "select_for": "zsl"},
        {"method": "LinearS2V", "params": {"lam": 0.123}},
        {"method": "LinearS2V", "grid": {"lam": (1.0, 2.0)}},
        {"method": "ESZSL", "params": {"lam": 0.1}},
        {"method": "CMT", "params": {"hidden": 7}},
    ],
)
def test_what_the_page_cannot_ask_has_no_link(asked):
    assert address_of(RunSpec("digits", "PS", **asked)) is None


def test_a_result_read_back_has_the_same_link(results):
    again = RunResult.from_json(results[0].to_json())
    assert address_of(again.spec) == address_of(results[0].spec) is not None


# --- Whose runs they are, where visitors are strangers --------------------------------------------


def opened_at(one, **state):
    app = visit(PAGE)
    for key, value in state.items():
        app.session_state[key] = value
    app.session_state["runs_run"] = label_of(one)
    return app.run()


def deletes(app):
    return "runs_delete" in {button.key for button in app.button}


def test_a_stranger_deletes_no_run_in_public(store, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    for one in store.stored():
        app = opened_at(one)
        assert not deletes(app)
        assert "Only the owner of a run can delete it" in words(app)


def test_who_owns_the_data_deletes_runs_on_them(store, results, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    spec = replace(results[0].spec, dataset="mine.v-0123456789abcdef")
    store.put(replace(results[0], spec=spec))
    one = next(one for one in store.stored() if one.result.spec == spec)
    assert not deletes(opened_at(one, visitor="f" * 16))
    owner = opened_at(one, visitor="0123456789abcdef")
    owner.button(key="runs_delete").click().run()
    assert not owner.exception
    assert one.id not in {each.id for each in store.stored()}


def test_who_has_brought_a_result_deletes_it_and_nobody_replaces_it(store, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    path = tmp_path / "theirs.json"
    path.write_text(as_json(store.stored()[1:2], ()))
    owner, stranger = bring(path), bring(path)
    one = next(one for one in store.stored() if one.imported and one.imported.who == "Bo")
    assert not owner.error
    assert "results of Bo are here already, from another visitor" in stranger.error[0].value
    assert not deletes(opened_at(one))
    owner.session_state["runs_run"] = label_of(one)
    owner.run()
    owner.button(key="runs_delete").click().run()
    assert one.id not in {each.id for each in store.stored()}


def bring(path):
    app = visit(PAGE)
    app.file_uploader(key="runs_file").upload(path.name, path.read_bytes())
    app.text_input(key="runs_who").set_value("Bo").run()
    app.button(key="runs_bring").click().run()
    assert not app.exception
    return app
