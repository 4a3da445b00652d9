"""Compare: table of methods, cells, ranks, own runs and imported results."""

from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pytest

from tests.pages import charts, metrics, visit, words
from tests.worlds import linear_world
from ui.sections.results import play_parameters
from ui.shell.text import plain
from ui.takeaway.exports import TableFormat, table_as_latex, table_as_markdown
from ui.views.compare.table import CLICKED
from zslcore.analysis.method_table import inductive_rows
from zslcore.datasets import ZSLDataset, imports, load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import shipped_results
from zslcore.results.store import ResultStore

WORLD = linear_world(noise=1.0)
CELL = "LinearS2V · "


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch, precomputed):
    """A new data folder, with the precomputed results of the package."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def results():
    """Three runs on one world; the second run has given parameters."""
    specs = [
        RunSpec(WORLD.name, "PS", "LinearS2V"),
        RunSpec(WORLD.name, "PS", "LinearS2V", params={"lam": 1.0}),
        RunSpec(WORLD.name, "PS", "ESZSL"),
    ]
    return [run(spec, WORLD).result for spec in specs]


@pytest.fixture
def store(empty, results):
    """A store with these runs."""
    store = ResultStore()
    for result in results:
        store.put(result)
    return store


def shown(app):
    """Return the table of methods, without the column of names that repeats its index."""
    table = next(element.value for element in app.dataframe if element.value.columns.nlevels == 2)
    assert table["", "method"].tolist() == table.index.tolist()
    return table.drop(columns="", level=0)


def mine(**choices):
    """Open the table with own results only."""
    return visit("table", table_whose="your runs", **choices)


def displayed(app):
    """Return the texts of the cells of the table of methods."""
    table = next(element for element in app.dataframe if element.value.columns.nlevels == 2)
    texts = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas()
    return texts.set_axis(table.value.columns, axis=1)


def downloads(app):
    return {download_button.proto.label for download_button in app.get("download_button")}


# --- Results of the package -----------------------------------------------------------------------


def test_a_data_set_with_few_worse_methods_has_asterisks_instead_of_ranks():
    app = visit("table")
    table, both, written = shown(app), 0, displayed(app)
    for data in dict.fromkeys(heading for heading, _ in table if "printed" not in heading):
        columns = {name.strip("\u200b"): values for name, values in table[data].items()}
        ranks, value = columns.get("rank (95 %)"), columns["H at γ, %"]
        texts = written[data].iloc[:, 0][value.notna()]
        assert texts.str.contains(r"\d\.\d [*\u2007]$").all() == (ranks is None)
        few = texts.str.endswith("*").sum() < len(table) / 3
        assert "*" not in columns
        assert few or ranks is None or ranks.str.contains("*", regex=False).mean() >= 1 / 3
        both += ranks is None
        hidden = words(app).replace("\\", "").partition("Not ranked")[2].partition(". ")[0]
        assert (data in hidden) == (ranks is None)
    assert 0 < both < table.columns.get_level_values(0).nunique()


def offered_table(monkeypatch, **choices):
    """Return the offered table of methods, the labels of its columns and its caption."""
    offered = []

    def offer_table(table, name, look, *, caption=""):
        offered.append((table, look.labels, caption))

    monkeypatch.setattr("ui.sections.method_grid.downloads.offer_table", offer_table)
    visit("table", **choices)
    return offered[-1]


def test_the_files_of_the_table_have_the_columns_on_screen_and_a_caption_of_these(monkeypatch):
    _, _, caption = offered_table(monkeypatch)
    assert "published results use ResNet-101 features" in caption
    _, labels, caption = offered_table(monkeypatch, table_whose="precomputed")
    assert "published" not in caption
    on_screen = shown(visit("table", table_whose="precomputed"))
    n_ranks = sum(name.startswith("rank (95 %)") for _, name in on_screen.columns)
    assert [*labels.values()].count("rank") == n_ranks
    assert ("intervals" in caption) == (n_ranks > 0)


def test_details_of_methods_become_columns_on_request():
    plain_table = shown(visit("table"))
    table = shown(visit("table", table_details=["year", "setting", "trained on trainval"]))
    assert table.columns[: len(plain_table.columns)].tolist() == plain_table.columns.tolist()
    row = table.loc["ESZSL", "method"]
    assert (row["year"], row["setting"], row["trained on trainval"]) == (2015, "inductive", "yes")
    assert "family" not in table["method"]


def test_a_new_data_folder_shows_every_inductive_method_on_cub_and_awa1():
    app = visit("table")
    table = shown(app)
    assert set(inductive_rows()) <= set(table.index)
    for data in ("CUB birds, VGG", "AWA1, hand-crafted", "AWA1, PHOG"):
        assert table[data].iloc[:, 0].notna().all()
    assert words(app).count(" with H = ") == 1  # one data set in the answer
    first = table["CUB birds, VGG"].iloc[:, 0]
    assert first.is_monotonic_decreasing
    results = {(r.spec.dataset, r.spec.method, r.spec.select_for): r for r in shipped_results()}
    ale = results["CUB-vgg_fc7", "ALE", "gzsl"]
    assert first["ALE"] == pytest.approx(100 * ale.evaluation.calibrated.harmonic)
    printed = [name for name in table.columns.get_level_values(0) if "printed" in name]
    # Printed results on AWA1 use other features than the hand-crafted ones.
    assert printed == ["CUB, as printed"]
    # The calibration paper prints this value.
    assert table["CUB, as printed"].iloc[:, 0]["ALE"] == 46.2


def test_a_cell_shows_the_sources_of_its_numbers():
    app = visit("table", table_result="ESZSL · CUB birds, VGG", table_metric="ZSL")
    assert {"H at γ", "ZSL accuracy"} <= set(metrics(app))
    assert any("--dataset CUB-vgg_fc7" in code.value for code in app.code)
    assert "Precomputed, included in the package" in words(app)
    assert "Xian 2019, table 3: 51.9 % (first version of the paper: 53.9 %)" in words(app)
    assert {"Download run (JSON)", "Predictions (.parquet)"} <= downloads(app)


def test_a_click_on_the_leader_is_answered_next_to_the_table():
    app = visit("table")
    asks = [caption.value for caption in app.caption if "Click a number" in caption.value]
    assert len(asks) == 1
    app.session_state[CLICKED] = True
    captions = [caption.value for caption in app.run().caption]
    leader = app.selectbox(key="table_result").value.partition(" · ")[0]
    assert any(c.startswith(f"**{leader} · ") and ", rank 1 " in c for c in captions)
    assert asks[0] not in captions


def test_missing_cells_are_listed_with_advice():
    app = visit(
        "table",
        table_split="SS",
        table_metric="ZSL",
        table_result="SJE · AWA1, PHOG",
    )
    text = words(app)
    assert "cells are missing" in text
    assert "Computing them takes about" in text
    assert plain("SJE has no result on AWA1, PHOG.") in text
    assert shown(app)["AWA1, PHOG"].iloc[:, 0].isna().any()


def test_submitted_results_show_the_findings_of_the_board():
    app = visit("table", table_whose="from others", table_metric="ZSL")
    text = words(app).replace("\\", "")
    assert shown(app).notna().to_numpy().any()
    assert "○ Stated: metrics without predictions. Submitted by" in text
    assert "Rows: by counts." in text
    assert "Overlap: unknown." in text
    assert "Result as JSON" in downloads(app)


def test_a_significantly_worse_rank_has_an_asterisk():
    table = shown(visit("table"))
    ranks = table[next(name for name in table if name[1].startswith("rank"))].dropna()
    marked, first = ranks.str.endswith("*"), ranks.str.extract(r"\((\d+)")[0].astype(int)
    assert 0 < marked.sum() < len(ranks)
    assert (marked == (first > 1)).all()


def test_ranks_are_measured_and_as_printed():
    app = visit("table", table_metric="ZSL")
    assert "Friedman" not in words(app)
    app.session_state["table_ranks"] = True
    app.run()
    assert not app.exception
    assert [element.value for element in app.subheader] == [
        "Mean ranks measured here",
        "Mean ranks as printed (Xian 2019, table 3)",
    ]
    assert "13 methods on 5 data sets" in words(app)
    assert "critical difference" in words(app)
    alt = [chart.alt for chart in charts(app)]
    assert any(item.startswith("Mean ranks as printed (Xian 2019, table 3): ALE") for item in alt)


def test_latex_has_the_best_of_every_data_set_in_bold_and_a_label():
    table = pd.DataFrame({"method": ["A", "B_1"], "CUB": [0.25, 0.5], "rank": ["2", "1"]})
    labels = {"method": "method", "CUB": "CUB", "rank": "rank"}
    look = TableFormat(labels, percent=["CUB"], best=["CUB"])
    latex = table_as_latex(table, "H of methods", look, "tab:methods")
    assert r"B\_1 & \textbf{50.0} & 1 \\" in latex
    assert r"A & 25.0 & 2 \\" in latex
    assert r"\label{tab:methods}" in latex
    assert "| **50.0** |" in table_as_markdown(table, look)


# --- Own runs -------------------------------------------------------------------------------------


def test_without_own_runs_one_sentence_explains_how_to_add_them():
    assert "appear here at once as your runs" in words(visit("table", table_whose="your runs"))


@pytest.fixture
def birds():
    """An import with one split, named like no other split, and a run on it."""
    world = replace(WORLD, splits=[replace(WORLD.split("PS"), name="own")], simulated=False)
    data = imports.import_read_dataset(world, "birds")
    result = run(RunSpec("birds", "own", "ESZSL"), data, with_oracle=False).result
    ResultStore().put(result)
    return result


def test_a_run_on_a_split_of_an_import_is_first_and_highlighted(birds):
    app = visit("table")
    table = shown(app)
    assert table.columns[0][0] == "birds, split own"
    assert next(iter(table.index)) == "ESZSL"
    figure = 100 * birds.evaluation.calibrated.harmonic
    assert table.iloc[0, 0] == pytest.approx(figure)
    assert table["birds, split own"].loc["ESZSL"].iloc[-1] == "✓ yours"
    assert "CUB birds, VGG" in {*table.columns.get_level_values(0)}  # then the benchmarks
    assert "Highlighted: your runs." in words(app)
    element = next(element for element in app.dataframe if element.value.columns.nlevels == 2)
    assert "240, 228, 66" in element.proto.arrow_data.styler.styles
    assert [button.label for button in app.button if button.key == "table_missing"]


def test_the_split_of_benchmarks_is_a_choice_while_benchmarks_are_shown(birds):
    def labels(app):
        return {box.label for box in app.selectbox}

    app = visit("table")
    assert "Split of benchmarks" in labels(app)
    app = visit("table", table_whose="your runs")
    assert not any(label.startswith("Split") for label in labels(app))
    assert {*shown(app).columns.get_level_values(0)} == {"birds, split own"}


def test_an_empty_table_names_the_choice_that_hides_your_runs(birds):
    app = visit("table", table_whose="from others", table_metric="s at γ", table_split="SS")
    assert "1 of your runs is hidden. To show it: turn on *your runs*." in words(app)
    ResultStore().put(
        run(RunSpec("digits", "PS", "ESZSL"), load("digits"), with_oracle=False).result
    )
    app = visit("table", table_whose="your runs", table_split="SS", table_metric="ZSL")
    text = words(app)
    assert "2 of your runs are hidden. To show them: " in text
    assert "choose *Split* PS for 1 of them" in text
    assert "choose another *Metric* (parameters chosen for GZSL) for 1 of them" in text
    app = visit("table", table_whose="your runs", table_columns=["birds"])
    assert "add Digits to *Data sets*" in words(app)


def test_the_chosen_data_set_comes_first(birds):
    spec = RunSpec("digits", "PS", "ESZSL")
    ResultStore().put(run(spec, load("digits"), with_oracle=False).result)
    app = visit("table")
    for name, heading in {"birds": "birds, split own", "digits": "Digits"}.items():
        app.session_state["dataset"] = name
        assert shown(app.run()).columns[0][0] == heading


def test_runs_on_data_of_another_visitor_do_not_open_the_table(birds, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    spec = replace(birds.spec, dataset="birds.v-0123456789abcdef")
    ResultStore().put(replace(birds, spec=spec))
    heads = {*shown(visit("table")).columns.get_level_values(0)}
    assert not any("0123456789abcdef" in head for head in heads)


def test_an_own_run_precedes_precomputed_results_and_missing_runs_can_be_computed(empty):
    spec = RunSpec("digits", "PS", "LinearS2V", grid={"lam": (0.1,)})
    ResultStore().put(run(spec, load("digits"), with_oracle=False).result)
    app = visit("table")
    heads = shown(app).columns.get_level_values(0)
    assert [*dict.fromkeys(head for head in heads if "printed" not in head)][:2] == [
        "Digits",
        "CUB birds, VGG",
    ]
    assert "## Digits: " in words(app)
    assert "; no other is significantly worse (95 %)" in words(app)
    app = visit("table", table_whose="your runs")
    table = shown(app)["Digits"]
    assert table.iloc[:, 0].notna().sum() == 1
    assert "JSON for the board" in downloads(app)
    assert [element.label for element in app.button if element.key == "table_missing"] == [
        f"Compute {len(inductive_rows()) - 1} methods on Digits"
    ]


def test_the_caption_of_own_runs_names_their_split_and_no_rank(store, monkeypatch):
    _, labels, caption = offered_table(monkeypatch, table_whose="your runs")
    assert "rank" not in labels.values()
    assert "rank" not in caption
    assert "published" not in caption
    assert "on split PS, per class" in caption


def test_own_runs_have_rows_metrics_a_command_and_files(store, results):
    app = mine(table_result=f"{CELL}{WORLD.name}")
    table = shown(app)[WORLD.name]
    assert table.loc["LinearS2V (given parameters)"].notna().all()
    assert "✓ yours" not in str(table)  # all are
    assert metrics(app)["ZSL accuracy"] == f"{100 * results[0].evaluation.zsl:.1f} %"
    assert [element.value for element in app.code] == [results[0].spec.command()]
    assert "Verified: computed in this data folder" in words(app)
    assert "JSON for the board" not in downloads(app)  # the board does not know these data


def test_results_on_fine_tuned_features_are_marked():
    tuned = ZSLDataset(
        "tuned",
        WORLD.features,
        WORLD.labels,
        WORLD.prototypes,
        WORLD.class_names,
        splits=WORLD.splits,
        pretraining=("imagenet-1k", "training-images"),
    )
    data = imports.import_read_dataset(tuned, "tuned")
    ResultStore().put(run(RunSpec("tuned", "PS", "LinearS2V"), data).result)
    app = mine()
    assert shown(app)["tuned"].loc["LinearS2V"].iloc[-1] == "✓ yours, fine-tuned"
    assert "fine-tuned features" in words(app)


def test_one_of_several_results_of_a_cell_can_be_opened(store, results):
    store.put(replace(results[0], key="0", created="2026-01-01T10:00:00+00:00"))
    app = mine(table_result=f"{CELL}{WORLD.name}")
    menu = app.selectbox(key="table_run")
    assert menu.label == "Run"
    menu.set_value(menu.options[1]).run()
    assert ", 2026-01-01." in words(app).replace("\\", "")
    assert "Predictions (.parquet)" not in downloads(app)


def test_a_run_is_deleted_only_after_it_was_confirmed(store, results):
    app = mine(table_result=f"{CELL}{WORLD.name}")
    assert store.get(results[0].key)
    assert "All visitors of this server share" in words(app)
    app.button(key="table_delete").click().run()
    assert not app.exception
    assert store.get(results[0].key) is None
    assert "LinearS2V" not in shown(app)[WORLD.name].index


def test_unreadable_rows_are_counted_and_nonsense_in_the_address_is_ignored(store):
    with store.writing() as db:
        db.execute("INSERT INTO runs VALUES ('x', '', '{')")
    app = visit("table", table_result="<b>", table_metric="??", table_columns="no", table_run="no")
    assert not app.error
    assert "1 result was written by another version" in words(app).replace("\\", "")


# --- Owners of runs on a public server ------------------------------------------------------------


def opened_at(cell, **state):
    app = mine(table_result=cell)
    for key, value in state.items():
        app.session_state[key] = value
    return app.run()


def deletes(app):
    return "table_delete" in {button.key for button in app.button}


def test_on_a_public_server_only_owners_delete_runs(store, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    for row in ("LinearS2V", "ESZSL"):
        app = opened_at(f"{row} · {WORLD.name}")
        assert not deletes(app)
        assert "Only the owner can delete a run" in words(app)


def test_the_owner_of_the_data_deletes_runs_on_them(store, results, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    spec = replace(results[0].spec, dataset="mine.v-0123456789abcdef")
    store.put(replace(results[0], spec=spec))
    cell = f"{CELL}{spec.dataset}"
    assert not deletes(opened_at(cell, visitor="f" * 16))
    owner = opened_at(cell, visitor="0123456789abcdef")
    owner.button(key="table_delete").click().run()
    assert not owner.exception
    assert spec.dataset not in {stored_run.result.spec.dataset for stored_run in store.stored()}


# --- Links to Play --------------------------------------------------------------------------------


def test_the_link_of_a_run_names_its_choices():
    spec = RunSpec("digits", "PS", "LinearS2V", digest=load("digits").digest)
    assert play_parameters(spec) == {"dataset": "digits", "split": "PS", "method": "LinearS2V"}


@pytest.mark.parametrize(
    "choices",
    [{"gamma": 0.5}, {"select_for": "zsl"}, {"params": {"lam": 0.123}}, {"grid": {"lam": (1.0,)}}],
)
def test_a_run_that_play_cannot_show_has_no_link(choices):
    assert play_parameters(RunSpec("digits", "PS", "LinearS2V", **choices)) is None
