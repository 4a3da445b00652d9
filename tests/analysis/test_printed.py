import pytest

from zslcore.analysis.printed import figures_table
from zslcore.datasets import load
from zslcore.runs import RunSpec, execute


def run(dataset, split="PS", method="ESZSL", **params):
    params = params or {"gamma": 1.0, "lam": 0.1}
    return execute(RunSpec(dataset, split, method, params, gamma=0.2), load(dataset))


def test_every_figure_is_the_evaluations():
    result = run("digits")
    table = figures_table(result)
    e = result.evaluation
    assert list(table["figure"]) == ["zsl", "u", "s", "H", "u", "s", "H"]
    assert list(table["per_class"]) == [
        e.zsl,
        *(e.plain.unseen, e.plain.seen, e.plain.harmonic),
        *(e.calibrated.unseen, e.calibrated.seen, e.calibrated.harmonic),
    ]
    assert table["per_sample"].iloc[0] == e.zsl_per_sample
    assert table["per_sample"].iloc[-1] == e.calibrated_per_sample.harmonic
    assert table["gamma"].iloc[-1] == 0.2
    assert table[["benchmark_paper", "calibration_paper"]].isna().all(axis=None)


def test_printed_figures_stand_in_their_rows():
    table = figures_table(run("simulated-aPY")).set_index(["figure", "calibrated"])
    paper = table["benchmark_paper"]  # ESZSL on aPY, PS, as printed: 38.3, ts 2.4, tr 70.1, H 4.6
    assert paper["zsl", False] == pytest.approx(0.383)
    assert paper["u", False] == pytest.approx(0.024)
    assert paper["s", False] == pytest.approx(0.701)
    assert paper["H", False] == pytest.approx(0.046)
    assert paper["H", True] != paper["H", True]
    assert table["calibration_paper"].isna().all()


def test_split_without_seen_test_images_has_one_figure():
    table = figures_table(run("simulated-aPY", split="SS"))
    assert list(table["figure"]) == ["zsl"]
    assert table["benchmark_paper"].iloc[0] == pytest.approx(0.344)  # ESZSL on aPY, SS
