"""UCF101 and HMDB51: known facts, and simulated data."""

import numpy as np
import pytest

from zslcore.datasets import Split, ZSLDataset, available, load
from zslcore.datasets.facts import (
    ACTION_SETS,
    action_facts,
    published_table,
    recognise_actions,
    zsl220,
)
from zslcore.datasets.simulated_actions import (
    ACTIONS,
    EXTRACTORS,
    SIMULATED_ACTIONS,
    action_name,
    clip_groups,
    planted_action,
    simulate_action,
)
from zslcore.datasets.simulated_names import name_without_effects
from zslcore.exceptions import ParameterError, UnknownNameError
from zslcore.leakage import get_vocabulary
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.loading import context_of


@pytest.mark.parametrize(
    ("dataset", "classes", "videos"), [("UCF101", 101, 13320), ("HMDB51", 51, 6766)]
)
def test_classes_and_videos_are_those_of_the_release(dataset, classes, videos):
    facts = action_facts(dataset)
    assert (len(facts.class_names), facts.videos.sum()) == (classes, videos)
    assert len(set(facts.class_names)) == classes


def test_the_number_of_overlapping_classes_equals_the_paper():
    for row in published_table("action_splits").to_dict("records"):
        in_set = action_facts(row["dataset"]).overlapping[row["pretraining"]]
        assert (in_set.sum(), (~in_set).sum()) == (row["overlapping"], row["non_overlapping"])


def test_the_first_thirty_released_splits_have_the_share_that_the_paper_states():
    """Section 5.2 states 35.4 % and 32.67 %; all fifty splits have 36.2 and 33.5 %."""
    for dataset, stated in (("UCF101", 0.354), ("HMDB51", 0.3267)):
        facts = action_facts(dataset)
        shares = [facts.overlapping["Sports-1M"][test].mean() for test in facts.released]
        assert len(shares) == 50
        assert np.mean(shares[:30]) == pytest.approx(stated, abs=5e-5)
        assert abs(np.mean(shares) - stated) > 5e-3


def test_none_of_the_220_classes_of_kinetics_600_is_in_kinetics_400():
    facts = zsl220()
    in_400, in_600 = (
        {e.names[0] for e in get_vocabulary(f"kinetics-{n}").entries} for n in (400, 600)
    )
    assert (len(in_400), len(in_600), len(set(facts.class_names))) == (400, 600, 220)
    assert set(facts.class_names) <= in_600 - in_400
    assert len(in_600 - in_400) == 232  # 12 classes are renamed ones of Kinetics-400
    assert facts.class_names == tuple(sorted(facts.class_names))


@pytest.mark.parametrize(
    ("split", "validated", "tested"),
    [
        (1, ("alligator wrestling", "fidgeting", "weaving fabric"), "acting in play"),
        (2, ("adjusting glasses", "hugging baby", "yarn spinning"), "winking"),
        (3, ("acting in play", "hugging baby", "yarn spinning"), "alligator wrestling"),
    ],
)
def test_a_split_of_the_220_validates_on_60_and_tests_on_160(split, validated, tested):
    facts = zsl220()
    validation_names = {
        n for n, out in zip(facts.class_names, facts.validation[split - 1], strict=True) if out
    }
    assert (len(validation_names), len(facts.test_classes(split))) == (60, 160)
    assert validation_names | set(facts.test_classes(split)) == set(facts.class_names)
    assert set(validated) <= validation_names
    assert tested in facts.test_classes(split)


def test_only_ucf101_has_attributes():
    attributes = action_facts("UCF101").attributes
    assert attributes.shape == (101, 115)
    assert set(np.unique(attributes)) == {0, 1}
    assert action_facts("HMDB51").attributes is None
    with pytest.raises(UnknownNameError, match="UCF101"):
        action_facts("UCF11")


@pytest.mark.parametrize("dataset", ACTION_SETS)
def test_facts_are_those_of_the_released_files(shared, dataset):
    facts = action_facts(dataset)
    with np.load(shared / f"data/action/{dataset.lower()}.npz", allow_pickle=False) as archive:
        assert tuple(archive["class_names"]) == facts.class_names
        np.testing.assert_array_equal(np.bincount(archive["video_labels"]), facts.videos)
        for ours, test in zip(facts.released, archive["split_test_classes"], strict=True):
            np.testing.assert_array_equal(ours, np.sort(test))


def test_classes_are_recognised_in_any_spelling():
    names = action_facts("UCF101").class_names
    spaced = ["Apply Eye Makeup", *names[1:]]
    assert recognise_actions(spaced) == "UCF101"
    assert recognise_actions(names[::-1]) is None


def test_each_class_has_25_groups_of_four_to_seven_clips():
    facts = action_facts("UCF101")
    groups, sizes = np.unique(clip_groups(facts, facts.videos), return_counts=True)
    assert len(groups) == 25 * 101
    assert (sizes.min(), sizes.max()) == (4, 7)
    assert sizes.sum() == 13320
    assert clip_groups(action_facts("HMDB51"), action_facts("HMDB51").videos) is None


# --- Simulated data -------------------------------------------------------------------------------


def test_names_describe_the_data_sets():
    assert set(ACTIONS) <= set(available())
    assert not (set(SIMULATED_ACTIONS) - set(ACTIONS)) & set(available())
    assert action_name("UCF101", "kinetics", vectors=False) == "simulated-UCF101"
    name = action_name("UCF101", "sports", vectors=True, planted=False)
    assert name == "simulated-UCF101-sports-vectors-unplanted"
    # The baseline has no planted effect, so it equals the data without the effect.
    assert action_name("HMDB51", "idt", vectors=True, planted=False) == "simulated-HMDB51-idt"
    with pytest.raises(ParameterError, match="its attributes are not published"):
        action_name("HMDB51", "idt", vectors=False)
    with pytest.raises(UnknownNameError, match="sports"):
        action_name("HMDB51", "sport", vectors=True)
    assert name_without_effects("simulated-UCF101") == "simulated-UCF101-unplanted"
    assert name_without_effects("simulated-UCF101-idt") is None


@pytest.mark.parametrize("dataset", ACTION_SETS)
def test_simulated_sets_have_real_classes_attributes_and_shares_of_videos(dataset):
    facts = action_facts(dataset)
    for extractor, name in EXTRACTORS.items():
        data = load(action_name(dataset, extractor, vectors=True))
        assert data.simulated
        assert data.class_names == facts.class_names
        assert data.pretraining == (name.pretraining,)
        assert data.prototypes.shape == (len(facts.videos), 300)
        np.testing.assert_allclose(np.bincount(data.labels), 0.15 * facts.videos, atol=0.51)
    if dataset == "UCF101":
        np.testing.assert_array_equal(load("simulated-UCF101").prototypes, facts.attributes)


def test_the_full_size_has_the_real_number_of_videos():
    assert load("simulated-HMDB51-idt-full").features.shape == (6766, 2048)


def test_simulated_actions_are_reproducible_and_depend_on_the_seed():
    first, again = (simulate_action("simulated-HMDB51") for _ in range(2))
    assert first.digest == again.digest
    assert simulate_action("simulated-HMDB51", seed=1).digest != first.digest


def test_only_a_planted_gain_makes_classes_in_the_set_easier():
    """An easier class has images nearer to its mean."""
    in_set = action_facts("UCF101").overlapping["Kinetics-400"]
    ratios = {}
    for name in ("simulated-UCF101", "simulated-UCF101-unplanted"):
        data = load(name)
        spread = np.array([data.features[data.labels == c].std(axis=0).mean() for c in range(101)])
        ratios[name] = spread[in_set].mean() / spread[~in_set].mean()
    assert ratios["simulated-UCF101"] < 0.85
    assert ratios["simulated-UCF101-unplanted"] == pytest.approx(1, abs=0.03)
    assert planted_action("simulated-UCF101").gain
    assert planted_action("simulated-UCF101").pretraining == "Kinetics-400"
    assert not planted_action("simulated-UCF101-unplanted").gain
    assert not planted_action("simulated-UCF101-idt").gain


def test_a_random_split_of_videos_leaks_and_a_split_of_groups_does_not(tmp_path):
    """The 13,320 clips have as many groups as the released data."""
    facts = action_facts("UCF101")
    labels = np.repeat(np.arange(101), facts.videos)
    groups = clip_groups(facts, facts.videos)
    by_videos = Split.from_classes("by videos", labels, facts.released[0])
    data = ZSLDataset(
        name="clips",
        features=np.zeros((13320, 1), np.float32),
        labels=labels,
        prototypes=facts.attributes,
        class_names=facts.class_names,
        splits=[by_videos],
        image_files=groups,
    )
    (check,) = [check for check in CHECKS if check.id == "ZSL012"]
    (finding,) = run_check(check, context_of(data, into=tmp_path))
    assert finding.mark == "leak"
    # Nearly every group of a training class has clips on both sides.
    trained, tested = (set(groups[rows]) for rows in (by_videos.trainval, by_videos.test_seen))
    assert len(trained & tested) > 700
    assert len(finding.rows) == sum(group in trained for group in groups[by_videos.test_seen])
    simulated = load("simulated-UCF101")
    (finding,) = run_check(check, context_of(simulated, into=tmp_path))
    assert finding.mark == "ok"
