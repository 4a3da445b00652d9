"""Causes of the differences between our and printed numbers."""

import pandas as pd
import pytest

from zslcore.analysis.papers.experiments.reproducing import reproduce
from zslcore.analysis.papers.printed import large_deviations, why_different

pytestmark = pytest.mark.usefixtures("own_data", "precomputed")

DATA = "CUB-vgg_fc7"


@pytest.mark.parametrize(
    ("name", "table"), [("gbu:table3", "GBU 3"), ("gbu:table6", "GBU 6"), ("cal:table2", "CAL 2")]
)
def test_every_metric_more_than_three_points_off_is_explained(name, table):
    ours = reproduce(name, [DATA])
    far = ours[(ours["difference"].abs() > 0.03) & ~ours["cell"].isin(["u", "s"])]
    deviations = {(d.method, d.cell): d for d in large_deviations() if d.table == table}
    assert set(deviations) == set(zip(far["method"], far["cell"], strict=True))
    for row in far.to_dict("records"):
        deviation = deviations[row["method"], row["cell"]]
        assert (deviation.ours, deviation.printed) == pytest.approx((row["ours"], row["printed"]))


def test_every_cause_changes_our_metric_and_the_rest_is_stated():
    for large_deviation in large_deviations():
        *measured, rest = large_deviation.causes
        assert all(cause.points for cause in measured)
        assert (rest.name, rest.points) == ("features", None)


def test_the_sentence_states_the_effect_of_each_change():
    (difference,) = why_different(DATA, "CMT*")
    assert difference.sentence.startswith(
        "CMT*, H (GBU 6): +19.4 points compared with the printed value; with features of "
    )
    assert (
        "with LoOP instead of a Gaussian as novelty detector our value changes by −0.2"
        in difference.sentence
    )
    assert difference.sentence.endswith("other features (VGG fc7 here, ResNet-101 in print).")
    assert why_different(DATA, "ALE") == why_different("digits", "CMT*") == ()


def test_the_file_equals_the_benchmark_output():
    from benchmarks.differences import measure_causes
    from zslcore.storage.files import FACTS

    table = pd.read_csv(FACTS / "measured" / "differences.csv", comment="#")
    pd.testing.assert_frame_equal(measure_causes(), table, check_dtype=False)
