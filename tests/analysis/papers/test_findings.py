"""Every number of every finding, computed again."""

import re
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from scipy.io import loadmat

from tests.pages import ROOT
from tools.findings import findings_of_tables
from zslcore.analysis.cross_dataset import cross_tests, printed_table
from zslcore.analysis.leak_cost import measured_prices
from zslcore.analysis.overlap import GAIN_METHODS, UNTRAINED, OverlapStudy
from zslcore.analysis.papers.claims import FINDINGS, judge_all, printed_evidence, read_lint
from zslcore.datasets import load
from zslcore.datasets.facts import action_facts, class_facts, earlier_version, published
from zslcore.jobs.studies import stored_result
from zslcore.leakage import get_vocabulary
from zslcore.leakage.counts import overlaps

OF = {finding.id: finding for finding in FINDINGS}
V1 = {
    "AWA1": "AWA1/att_splits_v1.mat",
    "AWA2": "AWA2/att_splits_v1.mat",
    "CUB": "CUB/att_splits_v1.mat",
    "SUN": "SUN/first_release/att_splits_v1.mat",
    "aPY": "APY/first_release/att_splits_v1.mat",
}


@pytest.fixture(scope="module")
def xlsa17(shared):
    return shared / "data/xlsa17"


def rows_of(path):
    """Return the row lists of a split file, counted from 0."""
    found = loadmat(path)
    return {name: found[name].ravel().astype(int) - 1 for name in found if name.endswith("_loc")}


def labels_of(xlsa17, name):
    folder = xlsa17 / name.upper()
    file = {"AWA1": "lss.mat", "CUB": "vgg_fc7.mat"}.get(name, "labels.mat")
    return loadmat(folder / file, variable_names=["labels"])["labels"].ravel()


def said(name):
    """Return the sentence of a finding and its numbers; a test has to look at each."""
    text = OF[name].sentence
    return text, [x.replace(",", "") for x in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def linted(rule):
    return next(each for each in read_lint() if each.name == rule).disagreements


def judged(name):
    return judge_all(ids=[name], evidence={"printed": printed_evidence()})[name]["printed"]


# --- From the released files ----------------------------------------------------------------------


def test_apys_boxes_share_photographs(xlsa17):
    split = rows_of(xlsa17 / "APY/att_splits.mat")
    names = loadmat(xlsa17 / "APY/image_files.mat")["image_files"].ravel()
    photograph = np.array([str(name[0]).replace("\\", "/").rpartition("/")[2] for name in names])
    trained = np.unique(photograph[split["trainval_loc"]])
    numbers = []
    for part in ("test_seen_loc", "test_unseen_loc"):
        rows = split[part]
        numbers += [int(np.isin(photograph[rows], trained).sum()), len(rows)]
    assert said("apy-photographs")[1] == [str(n) for n in numbers]


@pytest.mark.parametrize("name", V1)
def test_the_first_release_differs_in_two_lists(xlsa17, name):
    labels = labels_of(xlsa17, name)
    first, second = rows_of(xlsa17 / V1[name]), rows_of(xlsa17 / name.upper() / "att_splits.mat")
    for part in ("trainval_loc", "test_seen_loc", "test_unseen_loc"):
        assert set(first[part]) == set(second[part])
    test = second["test_seen_loc"]
    for part in ("train_loc", "val_loc"):
        of_classes = test[np.isin(labels[test], np.unique(labels[second[part]]))]
        assert set(first[part]) == set(second[part]) | set(of_classes)
        assert set(first[part]) != set(second[part])
    text, _ = said("v1-holds-test-rows")
    assert f"{len(test):,} of {name}" in text
    assert set(test) <= set(first["train_loc"]) | set(first["val_loc"])


def test_two_rows_of_awa1_are_one_picture(xlsa17):
    split = rows_of(xlsa17 / "AWA1/att_splits.mat")
    names = loadmat(xlsa17 / "AWA1/att_splits.mat")["allclasses_names"].ravel()
    first, second = (int(n) for n in said("awa1-one-picture-two-whales")[1][:2])
    file = loadmat(xlsa17 / "AWA1/phog.mat")
    X, y = file["features"], file["labels"].ravel().astype(int)
    assert np.array_equal(X[:, first], X[:, second])
    whales = [str(names[y[row] - 1][0]) for row in (first, second)]
    assert whales == ["blue+whale", "humpback+whale"]
    assert first in split["test_unseen_loc"]
    assert second in split["trainval_loc"]


def test_the_folds_of_ucf101_hold_every_seen_test_row(shared):
    rows = rows_of(shared / "data/action/ucf101_att_splits.mat")
    held = np.intersect1d(np.union1d(rows["train_loc"], rows["val_loc"]), rows["test_seen_loc"])
    assert said("ucf101-folds-hold-test-rows")[1][-1] == str(len(held))
    assert len(held) == len(rows["test_seen_loc"])


# --- From data/ alone -----------------------------------------------------------------------------


def test_folds_of_sun_and_apy():
    text, _ = said("folds-of-sun-and-apy")
    printed = published("dataset_statistics").set_index("dataset")
    for name in ("SUN", "aPY"):
        t = class_facts(name).classes
        for column, printed_too in (("ss_fold1", False), ("fold1", True)):
            numbers = tuple(int((t[column] == part).sum()) for part in ("train", "val"))
            assert f"{numbers[0]} + {numbers[1]}" in text
            there = tuple(printed.loc[name, ["train_classes", "val_classes"]])
            assert (numbers == there) is printed_too


def test_imagenets_validation_classes():
    released = published("imagenet_released").set_index("split")["classes"]
    assert said("imagenet-validation-classes")[1] == [
        *(str(released[part]) for part in ("val", "train")),
        *("200", "1000"),
    ]
    assert any("200" in line and "250" in line for line in linted("ImageNet"))


def test_videos_of_hmdb51():
    numbers = said("hmdb51-videos")[1]
    assert numbers[1:] == [str(action_facts("HMDB51").videos.sum()), "6670"]
    (line,) = linted("action text")
    assert "states 6,670, the release has 6,766" in line


def test_other_tests_on_sun():
    numbers, lines = said("sun-other-tests")[1], linted("other tests")
    assert sum("on SUN" in line for line in lines) == 3
    for number in numbers[1:]:
        assert any(number in line for line in lines) or number == "205", number


def test_the_paired_test():
    tests = cross_tests(printed_table())
    numbers = said("paired-test")[1]
    assert f"{tests['training set'].p:.3f}" == "0.351" in numbers
    assert f"{tests['test set'].p:.5f}" == "0.00716" in numbers
    assert str(tests["training set"].pairs) in numbers


def test_ale_on_apy():
    table = published("zsl_top1").set_index(["method", "dataset", "split"])["top1_per_class"]
    assert f"{100 * table['ALE', 'aPY', 'PS']:.1f}" == "39.7" in said("ale-on-apy")[1]
    assert any("37.1" in line for line in linted("text") if line.startswith("ALE on aPY"))


def test_sse_on_sun():
    row = published("reproduction").query("method == 'SSE' and dataset == 'SUN'").iloc[0]
    numbers = said("sse-on-sun")[1]
    assert numbers[1:] == ["2", f"{100 * row.reproduced:.1f}", f"{100 * row.original:.1f}"]
    assert any("74.5" in line for line in linted("text") if line.startswith("SSE on SUN"))


def test_iap_on_sun():
    (line,) = linted("H")
    for number in said("iap-on-sun")[1]:
        assert number in f"{line} 70 1.9"
    for end, edge in (("1.85", -0.05), ("2.04", 0.05)):
        u, s = 1.0 + edge, 37.8 + edge
        assert f"{2 * u * s / (u + s):.2f}" == end
        assert end in said("iap-on-sun")[0]
    assert len(published("gzsl_ps")) == 70
    assert round(2 * 1.0 * 37.8 / 38.8, 1) == 1.9


def test_latem_and_sje():
    (line,) = linted("repeated rows")
    assert line.startswith("LATEM and SJE on aPY: the same 1.3 / 71.4 / 2.6; 0.1 / 73.0 / 0.2 and")
    text = said("latem-and-sje")[0]
    for name, table in (("now", published("gzsl_ps")), ("before", earlier_version("gzsl_ps"))):
        for method in ("LATEM", "SJE"):
            row = table.set_index(["method", "dataset"]).loc[(method, "aPY")]
            figures = [f"{100 * row[c]:.1f}" for c in ("unseen", "seen", "harmonic")]
            assert " / ".join(figures) in text.partition("before it")[2 * (name == "before")]


def test_an_earlier_version_explains_table_4_and_the_quotations():
    text, numbers = said("earlier-version")
    lines = linted("versions")
    assert len(lines) == 9
    assert all("as the earlier version of" in line for line in lines)
    for line in lines:
        method, figure = re.match(r"(\w+) on .* has ([\d.]+),", line).groups()
        assert method in text
        assert figure in numbers
    moved = published("earlier_version")["table"].value_counts()
    assert [str(moved["zsl_top1"]), str(len(published("zsl_top1")))] == numbers[2:4]
    assert [str(moved["gzsl_ps"]), str(3 * len(published("gzsl_ps")))] == numbers[4:6]
    keys = ["method", "dataset", "split"]
    now, before = (
        table.set_index(keys)["top1_per_class"]
        for table in (published("zsl_top1"), earlier_version("zsl_top1"))
    )
    shown = (("DEVISE", "aPY"), ("SYNC", "AWA2"), ("ESZSL", "CUB"))
    pairs = [f"{100 * table[*cell, 'PS']:.1f}" for cell in shown for table in (before, now)]
    assert pairs == [*numbers[6:8], *numbers[9:13]]
    assert len(published("text_figures").query("paper == 'CAL'")) == 36


def test_figure_4_refutes_three_sentences_of_its_paragraph(shared):
    """Places by plain sorting of the text of the figure; five other claims on it hold."""
    text, numbers = said("who-ranks-first")
    paper = (shared / "papers/gbu_version_with_figure4.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(?:<.*>)?([A-Z]+) \[(\d+\.\d)\]$", paper, re.MULTILINE)
    ss, ps = found[:13], found[13:]
    place = {"SS": [name for name, _ in ss], "PS": [name for name, _ in ps]}
    assert (place["PS"].index("SYNC"), place["SS"].index("ALE"), place["PS"].index("ALE")) == (
        *(7, 2),
        1,
    )
    of_ss, of_ps = dict(ss), dict(ps)
    assert numbers == [
        *("6.1", "4", "8", of_ps["SYNC"], of_ss["ALE"], of_ss["SYNC"], of_ps["ALE"]),
        of_ps["GFZSL"],
    ]
    names = ["gfzsl-first-ss", "gfzsl-first-ps", "sync-second-ss", "sync-seventh-ps"]
    names += ["ale-second-ss", "ale-first-ps", "top-three-ps", "last-three-ps"]
    verdicts = [judged(f"gbu-{name}").verdict for name in names]
    assert (verdicts.count("holds"), verdicts.count("does not hold")) == (5, 3)
    assert "Five other statements" in text
    flat = " ".join(paper.split())
    assert "while it drops to the seventh rank on the proposed split" in flat
    assert "ALE ranks the second on the SS and the first on the PS" in flat


def test_the_caption_of_figure_4():
    numbers = said("caption-of-figure-4")[1]
    table = published("zsl_top1")
    methods, data = table["method"].nunique(), table["dataset"].nunique()
    rows = published("zsl_mean_ranks").groupby("split").size()
    assert set(rows) == {methods} == {13}
    counted = ["4", "12", "12", "4", "3", "13", "5", "3", str(3 * data), "3", "10", "4"]
    assert numbers == [*counted, str(methods), str(data)]


def images_of(name, part):
    """Return the images of every class of a part, from the file of classes."""
    t = pd.read_csv(ROOT / "data" / "classes" / f"{name}.csv")
    if part == "test":
        return t["images"][t["ps"] == "test"].to_numpy()
    if part == "trainval":
        t = t[t["ps"] == "trainval"]
        return (t["images"] - t["test_seen"]).to_numpy()
    return t["images"].to_numpy()


def test_awa2_is_less_balanced():
    text, numbers = said("awa2-is-less-balanced")
    expected = []
    for part in ("all", "trainval", "test"):
        a, b = (images_of(name, part) for name in ("AWA2", "AWA1"))
        assert a.std() / a.mean() > b.std() / b.mean()
        expected += [f"{x.std() / x.mean():.3f}" for x in (a, b)]
    ratios = [f"{images_of(name, 'test').max() / images_of(name, 'test').min():.1f}"
              for name in ("AWA2", "AWA1")]  # fmt: skip
    assert [n for n in numbers if n.startswith("0.")] == expected
    assert [*re.findall(r"(\d\.\d) (?:times|in AWA1)", text)] == ratios


def test_counts_of_awa2_are_those_of_the_released_labels(xlsa17):
    labels = labels_of(xlsa17, "AWA2")
    split = rows_of(xlsa17 / "AWA2/att_splits.mat")
    for part, rows in (("test", "test_unseen_loc"), ("trainval", "trainval_loc")):
        released = np.unique(labels[split[rows]], return_counts=True)[1]
        assert sorted(released) == sorted(images_of("AWA2", part))


def test_awa2_is_not_fairly_balanced(shared):
    text, numbers = said("awa2-is-not-fairly-balanced")
    paper = (shared / "papers/cal_calibration.txt").read_text(encoding="utf-8")
    assert "classes in both CUB and AwA2\nare fairly balanced" in paper
    t = pd.read_csv(ROOT / "data/published/calibration_10crop.csv")
    awa2 = images_of("AWA2", "test")
    assert [str(awa2.min()), str(awa2.max())] == ["174", "1645"]
    assert {"174", "1645"} <= set(numbers)
    v2s = t[(t["method"] == "LinearV2S") & (t["dataset"] == "AWA2")].iloc[0]
    assert f"{v2s.zsl_per_class_percent} per class against {v2s.zsl_per_sample_percent}" in text
    for name in ("AWA2", "CUB"):
        of = t[t["dataset"] == name]
        gaps = [
            *(of["zsl_per_sample_percent"] - of["zsl_per_class_percent"]).abs(),
            *(of["harmonic_per_sample_percent"] - of["harmonic_per_class_percent"]).abs(),
        ]
        assert len(gaps) == 16
        assert f"{np.mean(gaps):.1f}" in numbers
        assert bool(np.mean(gaps) > 2) is (name == "AWA2")


def test_the_revision_changes_conclusions(shared):
    text, _ = said("revision-changes-conclusions")
    before = {}
    for r in pd.read_csv(ROOT / "data/published/earlier_version.csv").itertuples():
        before[r.table, r.method, r.dataset, r.split] = r.earlier_percent
    now = {
        (r.method, r.dataset, r.split): r.top1_per_class_percent
        for r in pd.read_csv(ROOT / "data/published/zsl_top1.csv").itertuples()
    }
    devise = before["zsl_top1", "DEVISE", "aPY", "PS"]
    ale = now["ALE", "aPY", "PS"]
    assert f"DEVISE was best on aPY, {devise} against ALE's {ale}" in text
    assert devise > ale > now["DEVISE", "aPY", "PS"]
    assert now["SYNC", "SUN", "SS"] == now["ALE", "SUN", "SS"] == 59.1
    assert now["SAE", "AWA1", "SS"] > now["ALE", "AWA1", "SS"] == 78.6
    paper = (shared / "papers/gbu_cvpr2017.txt").read_text(encoding="utf-8")
    assert all(figure in paper for figure in ("59.1%", "39.8%", "78.6%"))
    assert [judged(f"cvpr-best-{split}").verdict for split in ("ps", "ss")] == ["holds"] * 2


def test_ausuc_is_openworldauc_on_the_released_scores(shared):
    """The pairs of images, counted by sorting; the curve of the package; the printed digits."""
    numbers = [n for n in said("ausuc-is-openworldauc")[1] if n.startswith("0.")]
    for file, number in zip(("AWA1_LAGO", "CUB_XianGAN"), numbers, strict=True):
        with np.load(shared / f"data/gzsl_scores/{file}.npz", allow_pickle=False) as stored:
            F, y, unseen = (stored[name] for name in ("scores", "y", "unseen_classes"))
        seen = np.setdiff1d(np.arange(F.shape[1]), unseen)
        a, b = seen[F[:, seen].argmax(1)], unseen[F[:, unseen].argmax(1)]
        margin = F[:, seen].max(1).astype(float) - F[:, unseen].max(1)
        is_unseen = np.isin(y, unseen)
        m, n = margin[~is_unseen & (a == y)], np.sort(margin[is_unseen & (b == y)])
        below = np.searchsorted(n, m, "left") + np.searchsorted(n, m, "right")
        pairs = below.sum() / 2 / ((~is_unseen).sum() * is_unseen.sum())
        assert f"{pairs:.12f}" == number


def test_a_protocol_is_named_after_its_test_set():
    text, numbers = said("a-protocol-named-after-its-test-set")
    t = pd.read_csv(ROOT / "data/protocols.csv", keep_default_na=False)
    epochs = t[t["choice"] == "epoch"]
    assert numbers == [str(t["code"].nunique()), str((epochs["how"] == "test").sum())]
    (named,) = epochs["code"][epochs["says"].str.contains("test_used_for_selection: true")]
    assert f"{named} calls its protocol test_selected_inductive_gzsl" in text
    assert epochs.set_index("code").loc[named, "how"] == "test"


def test_ale_between_awa1_and_awa2():
    t = (
        published("zsl_top1")
        .query("split == 'PS'")
        .pivot_table("top1_per_class", "method", "dataset")
    )
    apart = (t["AWA1"] - t["AWA2"]).abs().round(9) > 0.02
    apart = apart.drop("GFZSL")
    assert set(apart.index[apart]) == {"DEVISE", "SJE", "SYNC", "ALE"}
    assert said("ale-between-awa1-and-awa2")[0].endswith(
        f"{100 * t['AWA1']['ALE']:.1f} and {100 * t['AWA2']['ALE']:.1f}."
    )


def test_detector_on_cub():
    h = published("gzsl_ps").set_index(["method", "dataset"])["harmonic"]
    numbers = [f"{100 * h[method, 'CUB']:.1f}" for method in ("CMT*", "CMT")]
    assert said("detector-on-cub")[1] == ["7", "6", *numbers]


def test_word2vec_range():
    gains = (
        100
        * published("overlap_gain_action")
        .query("semantics == 'word2vec'")["overlap_gain_minus_idt"]
        .sort_values()
    )
    low, *others = gains.round(2)
    assert [f"{x:.2f}" for x in (min(others), max(others), -low)] == [
        number for number in said("word2vec-range")[1] if "." in number
    ]


def test_devises_margin():
    rng = np.random.default_rng(0)
    y, n_classes = rng.integers(0, 6, 40), 6
    right = np.eye(n_classes)[y]

    def loss(F, margin):
        return np.maximum(margin + F - F[right > 0][:, None], 0).sum(axis=1).mean()

    nothing, learned = np.zeros((40, n_classes)), 2 * right
    wrong = [rng.normal(size=(40, n_classes)) for _ in range(50)]
    assert loss(nothing, right) == 1 <= min(loss(F, right) for F in [learned, *wrong])
    # The other way round W = 0 costs 1 for every wrong class, and what is learned costs nothing.
    assert (loss(nothing, 1 - right), loss(learned, 1 - right)) == (n_classes - 1, 0)
    assert "minimum, 1 for each image, already at W = 0" in OF["devise-margin"].sentence


def test_the_file_of_findings_is_what_the_printed_tables_give():
    assert [asdict(finding) for finding in FINDINGS] == findings_of_tables()


# --- From our runs --------------------------------------------------------------------------------


def test_the_price_of_epochs_is_what_the_benchmark_measured():
    from benchmarks.generators import shipped
    from benchmarks.measuring import RESULTS
    from zslcore.analysis.leak_cost import MEASURED
    from zslcore.version import read_stamped

    again = shipped(read_stamped(RESULTS / "generators.csv"))
    assert MEASURED.read_text(encoding="utf-8") == again, "run python -m benchmarks.generators"


def test_the_price_of_epochs_names_its_data_seeds_and_bounds():
    text, _ = said("price-of-epochs")
    of = dict(iter(measured_prices().groupby("figure")))
    gain, last = of["calibrated"]["over_folds"], of["plain"]["over_last"]
    for values in (gain, last):
        assert f" {100 * min(values):.1f} to {100 * max(values):.1f} points more" in text
    assert min(*gain, *last) >= 0  # a maximum over the same epochs
    assert "never below another choice" in text
    assert "interval" not in text
    assert "stay below the published systems" in text
    assert set(measured_prices()["seeds"]) == {5}
    assert all(
        name in text for name in {*measured_prices()["features"], *measured_prices()["method"]}
    )
    assert "5 seeds each" in text
    assert "bounds" in text


def test_related_classes_are_in_the_control_group(monkeypatch):
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    text, _ = said("related-classes-are-no-control")
    awa = list(class_facts("AWA2").classes["class"])
    # By sight of ImageNet's list: the kinds and the broader classes of animals that it lacks.
    related = {"antelope", "bobcat", "buffalo", "dolphin", "elephant", "fox", "grizzly bear"}
    related |= {"horse", "rabbit", "seal", "sheep", "squirrel", "wolf"}
    planted = set(class_facts("AWA2").classes.query("imagenet1k != ''")["class"])
    inside = planted - related
    assert f"for {len(planted & related)} of the related ones" in text
    assert f"{len(related)} of the {50 - len(inside)} animals" in text
    found = overlaps(awa, get_vocabulary("imagenet-1k"), awa)
    groups = {each.class_name: each.group for each in found}
    assert {name for name, group in groups.items() if group == "related"} == related
    assert {name for name, group in groups.items() if group == "in the set"} == inside
    for dataset, outside in (("UCF101", 40), ("HMDB51", 23)):
        assert f"{outside} " in text
        assert (~action_facts(dataset).overlapping["Kinetics-400"]).sum() == outside
    name, baseline = "simulated-AWA2", UNTRAINED["simulated-AWA2"]
    numbers = [k for k, each in enumerate(awa) if each in inside]
    study = OverlapStudy.of([load(name), load(baseline)], GAIN_METHODS, numbers, 30)
    rows = stored_result(study).query("method == 'LinearV2S'")
    mean = rows.pivot_table(index="class", columns="features", values="accuracy")
    gain = {awa[c]: value for c, value in (mean[name] - mean[baseline]).items()}
    within = np.mean([gain[each] for each in gain if each in inside])
    others = np.mean([gain[each] for each in gain if each not in inside])
    unrelated = np.mean([gain[each] for each in gain if each not in inside | related])
    assert f"{100 * (within - others):.1f} points more on classes in the set than on all" in text
    assert f"{100 * (within - unrelated):.1f} more than on unrelated ones" in text


# --- All of them ----------------------------------------------------------------------------------


def test_there_are_findings_of_every_kind_each_with_a_command():
    assert len(FINDINGS) == len(OF) >= 25
    assert {finding.where for finding in FINDINGS} == {"data", "tables", "runs"}
    assert all(finding.command.startswith("zslcore ") for finding in FINDINGS)


def test_numbers_of_the_guide_are_those_of_a_finding():
    text = (ROOT / "docs" / "guide" / "papers.md").read_text(encoding="utf-8")
    shown = text.partition("## Findings")[2].partition("\n## ")[0].split("\n- ")[1:]
    numbers = [set(re.findall(r"\b\d[\d,.]*\d\b|\b\d\b", each)) for each in shown]
    assert [len(each) >= 4 for each in numbers] == [True, False, True, True]  # one states none
    for each in numbers:
        assert any(all(number in finding.sentence for number in each) for finding in FINDINGS), each
