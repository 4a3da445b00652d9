"""Published: every table, ours with_runs, claims with their verdicts, findings and checks."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests import pages
from tests.pages import words
from ui import site_map
from ui.figures.published import differences
from ui.sections.compare import in_words
from ui.sections.published import COMPUTED, SEE
from zslcore.analysis.comparison import MEASURES
from zslcore.analysis.papers.alongside import PRINTED_TABLES, with_runs
from zslcore.analysis.papers.claims import CLAIMS, evidence_of
from zslcore.analysis.papers.experiments import EXPERIMENTS
from zslcore.analysis.papers.experiments.runs import RunsExperiment
from zslcore.analysis.papers.findings import FINDINGS
from zslcore.datasets import load
from zslcore.datasets.facts import class_facts
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

PAGE = "pages/published.py"
TITLES = [f"{table.source}: {table.title}" for table in PRINTED_TABLES.values()]


@pytest.fixture(scope="module")
def results():
    """Runs on the digits, as if these were classes of aPY: a page asks no more of them."""
    names = dict(enumerate(class_facts("aPY").classes["class"]))
    made = []
    ran = (
        ("LinearS2V", {}, {"lam": (0.1,)}),
        ("SAE", {}, {"lam": (0.1,)}),
        ("SAE", {"direction": "V2S"}, {"lam": (0.1,)}),
        ("GFZSL", {"seen": "estimated"}, {"lam_mean": (0.1,), "lam_variance": (1.0,)}),
    )
    for method, params, grid in ran:
        spec = RunSpec("digits", "PS", method, params, select_for="zsl", grid=grid)
        result = execute(spec, load("digits"), with_oracle=False)
        of_apy = replace(result.spec, dataset="simulated-aPY")
        classes = {c: names[c] for c in result.class_names}
        of = {"spec": of_apy, "key": of_apy.key, "class_names": classes, "simulated": True}
        made.append(replace(result, **of))
    return made


@pytest.fixture(scope="module")
def kept(results, tmp_path_factory):
    """A data folder that holds these results."""
    folder = tmp_path_factory.mktemp("published")
    for result in results:
        ResultStore(folder / "runs.sqlite").put(result)
    return folder


@pytest.fixture
def visit(kept, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(kept))
    return lambda **asked: pages.visit(PAGE, **asked)


def test_every_table_is_shown(visit):
    app = visit()
    for title in TITLES:
        app.selectbox(key="published_table").set_value(title).run()
        assert not app.exception
        assert len(app.dataframe) == 1
        assert len(app.dataframe[0].value)


def test_every_table_states_the_commands_that_compute_it(visit):
    named = [name for table in PRINTED_TABLES.values() for name in table.experiments]
    assert set(named) <= set(EXPERIMENTS)
    by_runs = {e.file for e in EXPERIMENTS.values() if isinstance(e, RunsExperiment)}
    assert all(PRINTED_TABLES[file].experiments for file in by_runs)
    app = visit()
    for title, table in zip(TITLES, PRINTED_TABLES.values(), strict=True):
        app.selectbox(key="published_table").set_value(title).run()
        lines = [line for code in app.code for line in code.value.splitlines()]
        assert lines == [f"zslcore reproduce {name}" for name in table.experiments]


def test_every_table_but_one_leads_to_the_view_that_computes_it():
    assert set(PRINTED_TABLES) - set(COMPUTED) == {"reproduction"}  # nothing here has its features
    for view, _, choices in COMPUTED.values():
        page = site_map.page_of(view).name
        text = (pages.ROOT / "ui" / "views" / page / f"{view}.py").read_text()
        chosen = {name: value for name, value in choices.items() if name != "compare_figure"}
        assert all(f'"{value}"' in text for value in chosen.values())


def test_figures_of_simulated_data_are_marked_and_no_others(visit):
    def marks(app):
        return [
            badge
            for badge in app.markdown
            if "simulated" in badge.value and "-badge" in badge.value
        ]

    simulated = visit(published_ours="simulated data", published_table=TITLES[2])
    assert len(marks(simulated)) == 1
    assert not marks(visit(published_ours="real features", published_table=TITLES[2]))
    assert not marks(visit(published_ours="simulated data", published_table=TITLES[0]))


def test_ours_stands_beside_with_its_difference(visit):
    app = visit(published_ours="simulated data", published_table=TITLES[2])
    table = app.dataframe[0].value
    row = table[(table["method"] == "SAE") & (table["dataset"] == "aPY") & (table["split"] == "PS")]
    assert row["ours"].item() - row["printed"].item() == pytest.approx(row["difference"].item())
    assert row["why"].item() == "simulated data"
    assert "2 of 130 results" in words(app)


def test_ours_comes_from_the_data_set_that_is_chosen(results, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    # Three digits stand for the twelve unseen classes of aPY.
    monkeypatch.setattr("zslcore.analysis.papers.claims.evidence._benchmark", lambda _: "aPY")
    store = ResultStore()
    for result, name in zip(results[:2], ("aPY-long-name", "aPY"), strict=True):
        spec = replace(result.spec, dataset=name, method="SAE", params={}, grid={})
        of = {"spec": spec, "key": spec.key, "simulated": False, "params_origin": "validated"}
        store.put(replace(result, **of))
    shown = {}
    for name in ("aPY", "aPY-long-name"):
        app = pages.visit(PAGE, published_table=TITLES[2], published_aPY=name)
        table = app.dataframe[0].value
        (row,) = table[table["ours"].notna()].to_dict("records")
        assert row["on"] == name
        shown[name] = row["ours"]
    assert len(set(shown.values())) == 2


def test_without_runs_a_table_says_how_to_make_them(visit):
    app = visit(published_ours="real features")
    assert "There is no run on real features for this table yet" in words(app)


@pytest.mark.parametrize(("table", "moved"), [("GBU, table 3", 18), ("GBU, table 6", 30)])
def test_tables_3_and_6_show_both_versions(visit, table, moved):
    title = next(title for title in TITLES if title.startswith(table))
    app = visit(published_table=title)
    assert f"{moved} numbers of this table were different" in words(app)
    shown = app.dataframe[0].value
    assert shown["earlier"].notna().sum() == moved


def test_findings_and_checks_are_listed(visit):
    app = pages.visit("findings")
    said = words(app)
    assert all(finding.command in said for finding in FINDINGS)
    checks = words(pages.visit("checks"))
    assert "1 of 70 does not agree" in checks
    assert "All 6 agree" in checks


# --- Figures --------------------------------------------------------------------------------------


def test_differences_are_told_in_words_and_colour_has_its_zero_in_the_middle(results):
    made = with_runs("calibration_zsl_top1", evidence_of(results)["simulated"])
    assert made["ours"].isna().all()  # of aPY nothing is printed there
    made = with_runs("zsl_top1", evidence_of(results)["simulated"]).dropna(subset=["ours"])
    made = made[made["method"] == "SAE"]  # the paper's variant of GFZSL has a figure, too
    figure = differences(made)
    (heat,) = figure.data
    assert heat.zmid == 0
    assert -heat.zmin == heat.zmax
    assert heat.z[0][0] == pytest.approx(100 * made["difference"].item())
    assert float(heat.text[0][0].replace("−", "-")) == pytest.approx(heat.z[0][0], abs=0.05)


def test_every_claim_that_can_be_asked_of_own_runs_leads_there():
    for id_ in CLAIMS:
        see = next(where for begins, where in SEE.items() if id_.startswith(begins))
        view, choices = see[0], dict(see[2])
        assert choices.pop("compare_figure", "H") in map(in_words, MEASURES)
        page = site_map.page_of(view).name
        text = (pages.ROOT / "ui" / "views" / page / f"{view}.py").read_text()
        assert all(f'"{value}"' in text for value in choices.values())


def test_claims_on_videos_lead_to_actions_and_those_on_imagenet_to_large_scale():
    for begins, view in (("fair", "gains"), ("gbu-imagenet", "large_scale")):
        ids = [id_ for id_ in CLAIMS if id_.startswith(begins)]
        assert len(ids) >= 5
        for id_ in ids:
            see = next(where for start, where in SEE.items() if id_.startswith(start))
            assert see[0] == view


@pytest.mark.parametrize("page", [page.path for page in site_map.PAGES])
def test_a_page_that_a_server_was_started_with_says_to_open_the_app(page):
    app = AppTest.from_file(str(pages.ROOT / page), default_timeout=60).run()
    assert not app.exception
    assert [error.value for error in app.error] == [
        "This page is a part of the app; open app.py: `streamlit run app.py`."
    ]
