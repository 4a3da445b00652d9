"""Two runs cell by cell."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.analysis import stored_runs as compare
from zslcore.evaluation.figures import FIGURES, values_of
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec

WORLD = linear_world(noise=1.0)


def run(**changes):
    asked = {"dataset": WORLD.name, "split": "PS", "method": "LinearS2V"} | changes
    return execute(RunSpec(**asked), WORLD)


@pytest.fixture(scope="module")
def pair():
    return run(), run(method="LinearV2S", select_for="zsl", seed=1)


def test_the_spec_says_what_differs_and_what_does_not(pair):
    table = compare.in_spec(*pair).set_index("field")
    assert table.loc["method", ["first", "second"]].tolist() == ["LinearS2V", "LinearV2S"]
    assert table["differs"][["method", "select_for", "seed"]].all()
    assert not table["differs"][["dataset", "digest", "split", "features", "version"]].any()
    assert table.loc["parameter lam", "first"] == str(pair[0].params["lam"])
    assert table.loc["revision of LinearV2S", "first"] == ""
    assert not compare.in_spec(pair[0], pair[0])["differs"].any()


def test_figures_stand_beside_each_other_with_their_difference(pair):
    table = compare.in_figures(*pair).set_index("figure")
    zsl = [result.evaluation.zsl for result in pair]
    assert table.loc["ZSL"].tolist() == [*zsl, zsl[1] - zsl[0]]
    assert table.loc["H at γ", "second"] == pair[1].evaluation.calibrated.harmonic
    assert table.loc["H, oracle", "first"] == pair[0].oracle.harmonic
    known = [f.label for name, f in FIGURES.items() if name in values_of(pair[0].evaluation)]
    assert [name for name in table.index if name in known] == known
    without = replace(pair[1], oracle=None)
    missing = compare.in_figures(pair[0], without).set_index("figure")
    assert np.isnan(missing.loc["ZSL, oracle", "second"])


def test_classes_are_paired_by_name_whatever_their_number(pair):
    one, two = pair
    table = compare.by_class(one, two)
    assert table["difference"].abs().is_monotonic_decreasing
    assert table["difference"].equals(table["second"] - table["first"])
    assert table["first"].tolist() != table["second"].tolist()
    zsl = table[table["task"] == "ZSL"].set_index("class")
    assert set(zsl.index) == {f"class {c}" for c in range(8, 12)}
    gzsl = table[table["task"] == "GZSL"].set_index("class")
    assert set(gzsl.index) == {f"class {c}" for c in range(12)}
    assert set(zsl["side"]) == set(gzsl["side"][[f"class {c}" for c in range(8, 12)]]) == {"unseen"}
    assert set(gzsl["side"][[f"class {c}" for c in range(8)]]) == {"seen"}
    evaluation = two.evaluation
    shifted = replace(
        two,
        class_names={c + 50: name for c, name in two.class_names.items()},
        evaluation=replace(
            evaluation,
            per_class_zsl={c + 50: v for c, v in evaluation.per_class_zsl.items()},
            per_class={c + 50: v for c, v in evaluation.per_class.items()},
        ),
    )
    assert compare.by_class(one, shifted).equals(table)


def test_the_test_over_classes_is_of_their_mean_difference(pair):
    test = compare.class_test(*pair)
    assert test.pairs == 4
    zsl = [result.evaluation.zsl for result in pair]
    assert test.mean_difference == pytest.approx(zsl[1] - zsl[0])
    assert "over 4 classes" in test.sentence
    names = {c: f"other {c}" for c in pair[1].class_names}
    assert compare.class_test(pair[0], replace(pair[1], class_names=names)) is None


def test_what_stands_between_two_runs_is_said(pair):
    assert compare.cautions(pair[0], pair[0]) == []
    assert compare.cautions(*pair) == [
        "Parameters were chosen for GZSL in the first run and for ZSL in the second."
    ]
    given = run(params={"lam": 1.0})
    assert compare.cautions(pair[0], given) == [
        "They were chosen differently: parameters validated, gamma validated; parameters given, "
        "gamma validated."
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
