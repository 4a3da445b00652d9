"""Table of methods: choice of the result in a cell, and ranks equal to plain code."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata, t

from zslcore.analysis.method_table import (
    Column,
    MethodResult,
    best_cells,
    cells_of_runs,
    estimate_seconds,
    inductive_rows,
    printed_cells,
    rank_methods,
    row_name,
    task_of,
)
from zslcore.board.checking import packaged_board
from zslcore.board.table import cells_of_board
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.verification import State
from zslcore.metrics.significance import FEWEST, class_draws
from zslcore.results.shipped import has_predictions, shipped_results
from zslcore.results.store import StoredRun

UNSEEN = [f"u{k}" for k in range(12)]
SEEN = [f"s{k}" for k in range(9)]


def cell(row, unseen, seen, **changes):
    """A cell with these accuracies per class, equal for all three kinds of accuracy."""
    u, s = np.mean(unseen), np.mean(seen)
    harmonic = 2 * u * s / (u + s)
    accuracies = dict(zip(UNSEEN, unseen, strict=True)) | dict(zip(SEEN, seen, strict=True))
    result = MethodResult(
        row=row,
        data="CUB-x",
        digest="d",
        benchmark="CUB",
        simulated=False,
        split="PS",
        task="gzsl",
        origin="shipped",
        state=State.STATED,
        metrics={"zsl": u, "u at gamma": u, "s at gamma": s, "H at gamma": harmonic},
        per_class={
            "zsl": dict(zip(UNSEEN, unseen, strict=True)),
            "plain": accuracies,
            "at_gamma": accuracies,
        },
        unseen=frozenset(UNSEEN),
        key=row,
    )
    return replace(result, **changes)


@pytest.fixture
def entries():
    rng = np.random.default_rng(3)
    base_u, base_s = rng.uniform(0.2, 0.6, len(UNSEEN)), rng.uniform(0.3, 0.8, len(SEEN))
    return [
        cell(name, base_u + shift + rng.normal(0, 0.03, 12), base_s + rng.normal(0, 0.03, 9))
        for name, shift in (("A", 0.12), ("B", 0.1), ("C", 0.0), ("D", -0.15))
    ]


def harmonic_of(cell, entries, weights_u, weights_s):
    """H of a cell by plain loops; each class counts as often as it is drawn."""
    accuracies = cell.per_class["at_gamma"]

    def drawn(names):  # classes are sorted by accuracy, lowest first
        return sorted(names, key=lambda c: sorted(x.per_class["at_gamma"][c] for x in entries))

    u = sum(w * accuracies[c] for w, c in zip(weights_u, drawn(UNSEEN), strict=True)) / sum(
        weights_u
    )
    s = sum(w * accuracies[c] for w, c in zip(weights_s, drawn(SEEN), strict=True)) / sum(weights_s)
    return 2 * u * s / (u + s)


def test_ranks_and_their_intervals_equal_loops_over_the_same_draws(entries):
    ranks = rank_methods(entries, "H at gamma", n_draws=200)
    assert (
        ranks["rank"].tolist()
        == rankdata([-entry.metrics["H at gamma"] for entry in entries]).tolist()
    )
    draws = class_draws(np.repeat([False, True], [len(UNSEEN), len(SEEN)]), 200)
    H = np.array(
        [
            [harmonic_of(entry, entries, w[: len(UNSEEN)], w[len(UNSEEN) :]) for entry in entries]
            for w in draws
        ]
    )
    for j, entry in enumerate(entries):
        rivals = [i for i in range(len(entries)) if i != j]
        spread = {i: np.std(H[1:, i] - H[1:, j]) for i in rivals}
        largest = [
            max(abs((x[i] - x[j]) - (H[0, i] - H[0, j])) / spread[i] for i in rivals) for x in H[1:]
        ]
        # t has 8 degrees of freedom for nine seen classes
        c = np.quantile(largest, 0.95) * t.ppf(0.975, 8) / norm.ppf(0.975)
        better = sum(H[0, i] - H[0, j] > c * spread[i] for i in rivals)
        worse = sum(H[0, j] - H[0, i] > c * spread[i] for i in rivals)
        row = ranks.loc[entry.row]
        assert (row["first"], row["last"]) == (1 + better, len(entries) - worse)
        assert row["low"] == pytest.approx(H[0, j] - t.ppf(0.975, 8) * H[1:, j].std())
        assert row["top"] == (better == 0)
    assert ranks.loc["D", "first"] > 1  # some methods are significantly better than D
    assert ranks.loc["A", "top"]


def test_paired_draws_keep_shared_difficulty_out_of_rank_intervals():
    rng = np.random.default_rng(0)
    hard_u, hard_s = rng.uniform(0.1, 0.9, 12), rng.uniform(0.2, 0.9, 9)
    noise = rng.normal(0, 0.003, 12)
    ranks = rank_methods(
        [cell("A", hard_u + 0.05 + noise, hard_s), cell("B", hard_u, hard_s)], "zsl"
    )
    # Each method alone has a wide interval.
    assert ranks.loc["A", "high"] - ranks.loc["A", "low"] > 0.2
    # But the order of the two is certain.
    assert ranks["first"].tolist() == ranks["last"].tolist() == [1, 2]


def test_equal_results_share_the_better_rank(entries):
    twin = replace(entries[0], row="twin")
    ranks = rank_methods([*entries, twin], "zsl")
    assert ranks.loc["A", "rank"] == ranks.loc["twin", "rank"] == 1
    assert ranks.loc[["A", "twin"], "top"].all()
    assert ranks.loc["twin", "last"] >= 2


def test_a_result_without_classes_has_no_interval_and_widens_the_others(entries):
    bare = replace(entries[0], row="bare", per_class={})
    alone, ranks = rank_methods(entries, "zsl"), rank_methods([*entries, bare], "zsl")
    assert np.isnan(ranks.loc["bare", ["low", "first", "last"]].astype(float)).all()
    assert not ranks.loc["bare", "top"]
    assert (ranks.loc[alone.index, "last"] == alone["last"] + 1).all()
    assert (ranks.loc[alone.index, "first"] == alone["first"]).all()


def renamed_classes(cell_data, names):
    """Return a cell with other names for its classes."""
    per_class = {
        kind: {names.get(name, name): x for name, x in accuracies.items()}
        for kind, accuracies in cell_data.per_class.items()
    }
    return replace(
        cell_data, per_class=per_class, unseen=frozenset(names.get(n, n) for n in cell_data.unseen)
    )


def reversed_classes(cell_data):
    """Return a cell with its classes in reverse order."""
    kinds = cell_data.per_class.items()
    return replace(
        cell_data, per_class={kind: dict([*accuracies.items()][::-1]) for kind, accuracies in kinds}
    )


@pytest.mark.parametrize("metric", ["zsl", "H at gamma"])
def test_spelling_and_order_of_classes_change_no_rank(entries, metric):
    """Classes are renamed, one is spelled differently, and classes and methods are reordered."""
    ranks = rank_methods(entries, metric)
    renamed = {name: f"x{hash_}" for hash_, name in enumerate([*UNSEEN[::-1], *SEEN[::-1]])}
    for cells in (
        [renamed_classes(entry, renamed) for entry in entries],
        [renamed_classes(entries[0], {name: f"{name.upper()}." for name in UNSEEN}), *entries[1:]],
        [reversed_classes(entry) for entry in entries],
        entries[::-1],
    ):
        again = rank_methods(cells, metric).loc[ranks.index]
        pd.testing.assert_frame_equal(again, ranks)


def test_every_row_has_an_interval_or_a_reason(entries):
    bare = replace(entries[0], row="bare", per_class={})
    alone = {"zsl": {"u0": 0.5}}
    changed = replace(entries[0], row="one", per_class=alone, unseen=frozenset(["u0"]))
    odd = renamed_classes(replace(entries[0], row="odd"), {name: f"v{name}" for name in UNSEEN})
    scored = [replace(item, metrics={"AUSUC": 0.3}) for item in entries]
    for cells, metric in (
        ([*entries, bare, changed, odd], "zsl"),
        (scored, "AUSUC"),
        ([bare], "zsl"),
    ):
        table = rank_methods(cells, metric)
        assert (table["low"].isna() == (table["why"] != "")).all()
        assert table["first"].isna().equals(table["low"].isna())
    why = rank_methods([*entries, bare, changed, odd], "zsl")["why"]
    assert why["bare"] == "It does not list the accuracy of each class."
    assert why["one"] == "1 unseen test class is too few for an interval."
    assert why["odd"] == "Its classes differ from those of most results."


def of_classes(cell_data, n_seen):
    """Return a cell with the first seen classes only."""
    left_out = SEEN[n_seen:]
    per_class = {
        kind: {name: value for name, value in accuracies.items() if name not in left_out}
        for kind, accuracies in cell_data.per_class.items()
    }
    return replace(cell_data, per_class=per_class)


@pytest.mark.parametrize("n_seen", [1, 2, FEWEST])
def test_too_few_classes_of_a_side_give_no_ranking(entries, n_seen):
    cells = {entry.row: of_classes(entry, n_seen) for entry in entries}
    ranks = rank_methods([*cells.values()], "H at gamma")
    column = Column("CUB-x", "PS", "CUB", False, cells, ranks)
    is_ranked = n_seen == FEWEST
    assert (ranks[["low", "high", "first", "last"]].notna() == is_ranked).all(axis=None)
    assert column.too_few.startswith(f"{n_seen} seen test class") != is_ranked
    assert column.n_close == 0 or is_ranked
    assert rank_methods([*cells.values()], "zsl")["low"].notna().all()  # twelve unseen classes


@pytest.mark.parametrize("metric", ["zsl", "H"])
def test_every_precomputed_row_has_an_interval_or_a_reason(metric):
    """DAP spells the classes of CUB differently, and still has an interval."""
    cells = cells_of_runs([StoredRun(run, shipped=True) for run in shipped_results()])
    cells += cells_of_board(packaged_board().results)
    for data in ("CUB-vgg_fc7", "AWA1-lss"):
        best = best_cells(cells, metric, "PS")
        data_cells = [cell for (_, name), cell in best.items() if name == data]
        table = rank_methods(data_cells, metric, n_draws=50)
        assert (table["low"].isna() == (table["why"] != "")).all()
        assert not table.loc["DAP", "why"]


def test_ausuc_has_a_rank_without_interval(entries):
    scored = [
        replace(entry, metrics=entry.metrics | {"AUSUC": x})
        for entry, x in zip(entries, (0.1, 0.4, 0.2, 0.3), strict=True)
    ]
    ranks = rank_methods(scored, "AUSUC")
    assert ranks["rank"].tolist() == [4, 1, 3, 2]
    assert ranks[["low", "first"]].isna().all(axis=None)


# --- Choice of the result -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "task"),
    [("H at gamma", "gzsl"), ("AUSUC", "gzsl"), ("zsl", "zsl"), ("H", "zsl"), ("s", "zsl")],
)
def test_metrics_that_depend_on_gamma_come_from_the_fit_for_gzsl(entries, metric, task):
    """H at gamma and AUSUC in a row come from the same model."""
    fits = [replace(entries[0], task=task, metrics={metric: 0.5}) for task in ("zsl", "gzsl")]
    for cells in (fits, fits[::-1]):
        (best,) = best_cells(cells, metric, "PS").values()
        assert best.task == task


def test_own_results_precede_precomputed_ones_and_results_of_others(entries):
    mine, shipped, foreign = (
        replace(entries[0], origin=origin, key=origin) for origin in ("mine", "shipped", "others")
    )
    for cells in ([foreign, shipped, mine], [mine, foreign, shipped]):
        # Their parameters were chosen for GZSL, not for ZSL.
        assert best_cells(cells, "zsl", "PS") == {}
        (best,) = best_cells(cells, "H at gamma", "PS").values()
        assert best.key == "mine"
    (best,) = best_cells([foreign, shipped], "H at gamma", "PS").values()
    assert best.key == "shipped"


def test_a_run_of_a_single_fold_is_optional(entries):
    probe = replace(entries[0], probe=True, task="")
    assert not best_cells([probe], "zsl", "PS")
    assert best_cells([probe], "zsl", "PS", with_probes=True)


def test_a_result_without_classes_uses_those_of_an_equal_result(entries):
    entry = replace(entries[0], per_class={}, task="zsl")
    (best,) = best_cells([entry, entries[0]], "zsl", "PS").values()
    assert best.per_class == entries[0].per_class
    unequal = replace(entry, metrics=entry.metrics | {"zsl": 0.1})
    (best,) = best_cells([unequal, entries[0]], "zsl", "PS").values()
    assert not best.per_class


def test_rows_name_the_variant_of_a_method():
    assert row_name("SAE", {"direction": "V2S", "lam": 1.0}) == "SAE (V2S)"
    assert row_name("CMT*", {}) == "CMT* (gaussian)"
    assert row_name("ALE", {"lam": 1.0}, ["features none"]) == "ALE (features none)"
    assert len(inductive_rows()) == len(set(inductive_rows())) >= 17


def test_precomputed_runs_are_cells_with_the_metrics_of_the_run():
    stored = [StoredRun(result, shipped=True) for result in shipped_results()]
    cells = {cell.key: cell for cell in cells_of_runs(stored)}
    assert len(cells) == len(stored)
    for stored_run in stored:
        result, shipped_cell = stored_run.result, cells[stored_run.result.key]
        assert isinstance(result, RunResult)
        assert shipped_cell.metrics["zsl"] == result.evaluation.zsl
        if result.evaluation.calibrated is not None:
            assert shipped_cell.metrics["H at gamma"] == result.evaluation.calibrated.harmonic
        for metric in ("zsl", "H at gamma"):
            unseen, _ = shipped_cell.sides(metric)
            if metric in shipped_cell.metrics:
                assert len(unseen) == len(result.evaluation.per_class_zsl)
        verified = has_predictions(result.key)
        assert (shipped_cell.origin, shipped_cell.state == State.VERIFIED) == ("shipped", verified)


def test_metrics_of_a_cell_are_the_means_of_its_classes():
    for cell_of_runs in cells_of_runs(
        [StoredRun(result, shipped=True) for result in shipped_results()]
    ):
        for metric in cell_of_runs.metrics:
            unseen, seen = (list(side.values()) for side in cell_of_runs.sides(metric))
            if metric[0] in "zu":
                assert cell_of_runs.metrics[metric] == pytest.approx(np.mean(unseen))
            elif metric[0] == "s":
                assert cell_of_runs.metrics[metric] == pytest.approx(np.mean(seen))


def test_printed_values_come_from_the_right_table_row_and_version():
    table = printed_cells().set_index(["row", "benchmark", "split", "metric", "task", "table"])
    eszsl = table.loc[("ESZSL", "CUB", "PS", "zsl", "zsl", "GBU 3")]
    assert (eszsl["value"], eszsl["first_version"]) == (0.519, 0.539)
    ale = table.loc[("ALE", "CUB", "PS", "H at gamma", "gzsl", "CAL 2")]
    assert ale["value"] == 0.462
    assert ("SAE (V2S)", "CUB", "PS", "zsl", "zsl", "GBU 3") in table.index
    assert ("SAE (S2V)", "CUB", "PS", "zsl", "zsl", "CAL 1") in table.index
    assert task_of("H at gamma") == "gzsl"
    assert task_of("H") == "zsl"


def test_the_time_of_a_missing_cell_is_estimated_from_its_method_and_the_data(entries):
    a, b = (replace(entry, seconds=s) for entry, s in zip(entries[:2], (10.0, 40.0), strict=True))
    elsewhere = replace(a, data="AWA1-y", seconds=30.0)
    assert estimate_seconds([a, b, elsewhere], "A", "CUB-x", "SS") == 10.0
    assert estimate_seconds([a, b, elsewhere], "B", "AWA1-y", "PS") == pytest.approx(120.0)
    assert np.isnan(estimate_seconds([a, b], "E", "CUB-x", "PS"))
