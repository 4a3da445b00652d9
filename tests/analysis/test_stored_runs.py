"""Stored runs: filtered, sorted and exported."""

import io
import json
import re
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.analysis import stored_runs as compare
from zslcore.analysis.stored_runs import (
    RunFilter,
    as_json,
    as_latex,
    as_text,
    choice_of,
    oracle_keys,
    runs_as_csv,
    select_runs,
    sort_orders,
)
from zslcore.datasets import load
from zslcore.evaluation.registry import REGISTRY, values_of
from zslcore.evaluation.runs import run as run_spec
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import UnknownNameError
from zslcore.results.planning import RunPlan
from zslcore.results.store import ResultStore, StoredRun

WORLD = linear_world(noise=1.0)


def kept_run(method, created, shipped=False, **spec):
    result = run_spec(RunSpec(WORLD.name, "PS", method, **spec), WORLD, with_oracle=False).result
    return StoredRun(replace(result, created=created), shipped)


@pytest.fixture(scope="module")
def runs():
    params = {"params": {"lam": 1.0}}
    return [
        kept_run("LinearS2V", "2026-03-01T10:00:00+00:00", **params),
        kept_run("LinearV2S", "2026-01-01T10:00:00+00:00", **params),
        kept_run("LinearV2S", "2026-02-01T10:00:00+00:00", shipped=True, params={"lam": 2.0}),
    ]


def ids(runs):
    return [run.id for run in runs]


@pytest.mark.parametrize(
    ("meant", "expected"),
    [
        (RunFilter(), [0, 1, 2]),
        (RunFilter(methods=["LinearV2S"]), [1, 2]),
        (RunFilter(datasets=["other"]), []),
        (RunFilter(splits=["PS"], since=date(2026, 2, 1)), [0, 2]),
        (RunFilter(since=date(2026, 2, 2)), [0]),
        (RunFilter(own=True), [0, 1]),
    ],
)
def test_own_runs_come_first_and_the_newest_on_top(runs, meant, expected):
    assert ids(select_runs(runs, meant)) == [runs[k].id for k in expected]


@pytest.mark.parametrize("by", sort_orders())
def test_metrics_are_sorted_largest_first_and_names_alphabetically(runs, by):
    runs = runs[:2]  # all runs of this data folder
    values = [run.table()[0][by] for run in select_runs(runs, RunFilter(), by)]
    assert values == sorted(values, reverse=sort_orders()[by])
    assert [
        run.table()[0][by] for run in select_runs(runs, RunFilter(), by, reverse=True)
    ] == values[::-1]


def test_a_run_without_the_metric_comes_last_in_both_directions(runs):
    evaluation = replace(runs[0].result.evaluation, ausuc=None)
    without = replace(runs[0].result, key="0", evaluation=evaluation)
    for reverse in (False, True):
        last = select_runs([StoredRun(without), *runs], RunFilter(), "ausuc", reverse=reverse)[-1]
        assert last.id == "0"


def test_a_misspelt_set_name_gets_the_nearest(runs):
    with pytest.raises(UnknownNameError, match="did you mean 'LinearS2V'"):
        RunFilter(methods=["LinearS2"]).check(runs)
    with pytest.raises(UnknownNameError, match="did you mean 'zsl'"):
        select_runs(runs, RunFilter(), "zls")
    RunFilter(methods=["anything"]).check([])


def test_csv_has_one_row_per_run_with_origin_and_fractions(runs):
    table = pd.read_csv(io.StringIO(runs_as_csv(runs)))
    assert table["id"].tolist() == ids(runs)
    assert table["origin"].tolist() == ["here", "here", "the package"]
    assert table["zsl"].tolist() == [run.result.evaluation.zsl for run in runs]


def test_json_lists_every_run(runs):
    entries = json.loads(as_json(runs))
    assert [entry["key"] for entry in entries] == [run.result.key for run in runs]


def test_latex_is_a_booktabs_table_in_percent_with_special_letters_escaped(runs):
    text = as_latex(runs)
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1
    plain = re.sub(r"\\textbf{([^}]*)}", r"\1", text)
    rows = [line for line in plain.splitlines() if line.startswith("Linear")]
    zsl = runs[0].result.evaluation.zsl
    first = f"LinearS2V & linear world (simulated) & PS & given & {100 * zsl:.1f} & "
    assert rows[0].startswith(first)
    named = replace(runs[0].result, spec=replace(runs[0].result.spec, dataset="Ada & Co_"))
    assert r"Ada \& Co\_ (simulated)" in as_latex([StoredRun(named)])
    chosen = kept_run("LinearS2V", "2026-03-01T10:00:00+00:00", select_for="zsl")
    assert " & PS & ZSL & " in as_latex([chosen])


def test_parameters_of_another_runs_oracle_are_called_oracle(tmp_path):
    store, spec = ResultStore(tmp_path / "runs.sqlite"), RunSpec(WORLD.name, "PS", "LinearS2V")
    RunPlan([spec], choices=["oracle"]).complete_all(WORLD, store)
    RunPlan([replace(spec, params={"lam": 7.0})]).complete_all(WORLD, store)
    runs = store.stored()
    by_oracle = oracle_keys(runs)
    assert sorted(choice_of(stored_run, by_oracle) for stored_run in runs) == [
        "GZSL",
        "given",
        "oracle",
    ]
    (bound,) = (stored_run for stored_run in runs if choice_of(stored_run, by_oracle) == "oracle")
    best = next(stored_run.result.oracle for stored_run in runs if stored_run.result.oracle)
    assert bound.result.params["lam"] == best.gzsl_params["lam"]
    assert " & oracle & " in as_latex([bound], by_oracle)
    table = pd.read_csv(io.StringIO(runs_as_csv(runs, by_oracle)))
    assert dict(zip(table["id"], table["chosen_for"], strict=True))[bound.id] == "oracle"


def test_no_runs_give_an_empty_table():
    assert as_json([]) == "[]\n"
    assert r"\toprule" in as_latex([])


def test_given_parameters_have_no_gain_with_oracle_parameters():
    spec = RunSpec("digits", "PS", "ESZSL", params={"gamma": 1.0, "lam": 1.0})
    text = as_text(run_spec(spec, load("digits")).result)
    assert not re.search(r"gain with oracle parameters \+?[\d.]+ points", text)
    assert "no gain with oracle parameters: the parameters were given, so no grid" in text
    assert re.search(r"oracle       gain with oracle gamma \+[\d.]+ points of H \(upper", text)
    searched = as_text(
        run_spec(replace(spec, params={"gamma": 1.0}, grid={"lam": (1.0, 10.0)})).result
    )
    assert re.search(r"gain with oracle parameters \+?[\d.]+ points", searched)
    assert "no grid was searched" not in searched


def test_printed_metrics_are_marked_as_per_class():
    result = run_spec(
        RunSpec("digits", "PS", "LinearS2V", params={"lam": 0.1}), with_oracle=False
    ).result
    for line in as_text(result).splitlines():
        if line.startswith(("ZSL", "GZSL", "AUSUC")):
            assert "per class" in line


# --- Two runs, compared by cell -------------------------------------------------------------------


def run(**changes):
    request = {"dataset": WORLD.name, "split": "PS", "method": "LinearS2V"} | changes
    return run_spec(RunSpec(**request), WORLD).result


@pytest.fixture(scope="module")
def pair():
    return run(), run(method="LinearV2S", select_for="zsl", seed=1)


def test_the_spec_table_marks_differences(pair):
    table = compare.compare_specs(*pair).set_index("field")
    assert table.loc["method", ["first", "second"]].tolist() == ["LinearS2V", "LinearV2S"]
    assert table["differs"][["method", "select_for", "seed"]].all()
    assert not table["differs"][["dataset", "digest", "split", "features", "version"]].any()
    assert table.loc["parameter lam", "first"] == str(pair[0].params["lam"])
    assert table.loc["revision of LinearV2S", "first"] == ""
    assert not compare.compare_specs(pair[0], pair[0])["differs"].any()


def test_metrics_are_side_by_side_with_their_difference(pair):
    table = compare.compare_metrics(*pair).set_index("metric")
    zsl = [result.evaluation.zsl for result in pair]
    assert table.loc["ZSL"].tolist() == [*zsl, zsl[1] - zsl[0]]
    assert table.loc["H at γ", "second"] == pair[1].evaluation.calibrated.harmonic
    assert table.loc["H, oracle", "first"] == pair[0].oracle.harmonic
    labels = [f.label for name, f in REGISTRY.items() if name in values_of(pair[0].evaluation)]
    assert [name for name in table.index if name in labels] == labels
    without = replace(pair[1], oracle=None)
    missing = compare.compare_metrics(pair[0], without).set_index("metric")
    assert np.isnan(missing.loc["ZSL, oracle", "second"])


def test_classes_are_paired_by_name_not_number(pair):
    first, second = pair
    table = compare.compare_classes(first, second)
    assert table["difference"].abs().is_monotonic_decreasing
    assert table["difference"].equals(table["second"] - table["first"])
    assert table["first"].tolist() != table["second"].tolist()
    zsl = table[table["task"] == "ZSL"].set_index("class")
    assert set(zsl.index) == {f"class {c}" for c in range(8, 12)}
    gzsl = table[table["task"] == "GZSL"].set_index("class")
    assert set(gzsl.index) == {f"class {c}" for c in range(12)}
    assert set(zsl["side"]) == set(gzsl["side"][[f"class {c}" for c in range(8, 12)]]) == {"unseen"}
    assert set(gzsl["side"][[f"class {c}" for c in range(8)]]) == {"seen"}
    evaluation = second.evaluation
    shifted = replace(
        second,
        class_names={c + 50: name for c, name in second.class_names.items()},
        evaluation=replace(
            evaluation,
            per_class_zsl={c + 50: v for c, v in evaluation.per_class_zsl.items()},
            per_class={c + 50: v for c, v in evaluation.per_class.items()},
        ),
    )
    assert compare.compare_classes(first, shifted).equals(table)


def test_the_paired_test_is_of_the_mean_difference_over_classes(pair):
    test = compare.class_test(*pair)
    assert test.pairs == 4
    zsl = [result.evaluation.zsl for result in pair]
    assert test.mean_difference == pytest.approx(zsl[1] - zsl[0])
    assert "over 4 classes" in test.sentence
    names = {c: f"other {c}" for c in pair[1].class_names}
    assert compare.class_test(pair[0], replace(pair[1], class_names=names)) is None


def test_limits_of_a_comparison_are_stated(pair):
    assert compare.cautions(pair[0], pair[0]) == []
    assert compare.cautions(*pair) == [
        "Parameters were chosen for GZSL in the first run and for ZSL in the second."
    ]
    run_result = run(params={"lam": 1.0})
    assert compare.cautions(pair[0], run_result) == [
        "The origin of parameters or gamma differs: parameters validated, gamma validated in the "
        "first run; parameters given, gamma validated in the second."
    ]
    elsewhere = replace(pair[0], spec=replace(pair[0].spec, dataset="X", split="SS"))
    assert compare.cautions(pair[0], elsewhere) == [
        "The data differ: linear world and X.",
        "The splits differ: PS and SS.",
    ]
    other = replace(
        pair[0],
        simulated=False,
        spec=replace(pair[0].spec, digest="0", revisions=pair[0].spec.revisions | {"protocol": -1}),
    )
    assert len(compare.cautions(pair[0], other)) == 3
