"""Each study of simulated data shows its planted effect, and no effect in data without it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ttest_ind

from zslcore.analysis.action_tables import action_gains
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, ActionSpec, simulated_sets, stored_study
from zslcore.analysis.large_scale import measure, printed_accuracies
from zslcore.datasets import load
from zslcore.datasets.imagenet import SIMULATED_IMAGENET

#: p-value below which an effect is shown.
SIGNIFICANT = 0.05
IMAGENET = SIMULATED_IMAGENET[0]
METHOD = "ESZSL"
#: Test sets of equal size, of the classes with the most and with the fewest images.
PAIRS = (("M500", "L500"), ("M1K", "L1K"), ("M5K", "L5K"))


@cache
def on_imagenet(name):
    """Evaluate the method on a simulated ImageNet, which takes some seconds."""
    dataset = load(name)
    return measure(METHOD, dataset)


def p_of_population(result, many, few):
    """Return p of Welch's test of the class accuracies of two lists of the same size."""
    of_lists = (result.counts.per_class(name, 1, task="zsl")[1] for name in (many, few))
    return ttest_ind(*of_lists, equal_var=False).pvalue


@pytest.mark.nightly
@pytest.mark.parametrize(("many", "few"), PAIRS)
def test_planted_rarity_makes_classes_with_few_images_harder(many, few):
    result, twin = on_imagenet(IMAGENET), on_imagenet(f"{IMAGENET}-unplanted")
    assert result.counts.accuracy(many, 1, task="zsl") > result.counts.accuracy(few, 1, task="zsl")
    assert p_of_population(result, many, few) < SIGNIFICANT
    assert p_of_population(twin, many, few) > SIGNIFICANT


@pytest.mark.nightly
def test_accuracies_fall_in_the_printed_order_of_the_nine_sets():
    """Lists of one kind are ordered from the easiest to the hardest."""
    result, printed_row = on_imagenet(IMAGENET), printed_accuracies().loc[METHOD]
    for names in (("2H", "3H"), ("M500", "M1K", "M5K"), ("L500", "L1K", "L5K"), *PAIRS):
        ours = [result.counts.accuracy(name, 1, task="zsl") for name in names]
        assert ours == sorted(ours, reverse=True)
        assert printed_row[[*names]].is_monotonic_decreasing


def kept_and_lost_images(result):
    """Count the images of M500 that stay right, and that turn wrong, with the training classes."""
    classes, alone = result.counts.per_class("M500", 1, task="zsl")
    candidates, together = result.counts.per_class("M500", 1, task="gzsl")
    together = together[np.isin(candidates, classes)]
    images = result.counts.totals[np.searchsorted(result.counts.classes, classes)]
    right, right_in_both = (int(np.rint(share @ images)) for share in (alone, together))
    return right_in_both, right - right_in_both


@pytest.mark.nightly
def test_planted_bias_assigns_unseen_images_to_training_classes():
    result, twin = on_imagenet(IMAGENET), on_imagenet(f"{IMAGENET}-unplanted")
    table = [kept_and_lost_images(result), kept_and_lost_images(twin)]
    assert chi2_contingency(table).pvalue < SIGNIFICANT
    assert table[0][1] / sum(table[0]) > table[1][1] / sum(table[1])
    curve, of_twin = (item.counts.curve("All") for item in (result, twin))
    assert curve.at(0.0).seen > 10 * curve.at(0.0).unseen
    assert curve.best().gamma > 0  # a positive gamma lowers the scores of seen classes
    assert of_twin.best().gamma <= 0


def p_of_gains(study):
    """The smallest p of all gains above the baseline's gain, adjusted by Holm's method."""
    return action_gains(study, "idt", configuration="OS1")["p_holm"].min()


@pytest.mark.nightly
@pytest.mark.parametrize("planted", [True, False])
def test_planted_gain_of_actions_in_the_set_is_found(own_data, planted):
    sets = simulated_sets(CONFIGURATIONS["OS1"], ("idt", "kinetics"), planted=planted)
    sets = tuple(replace(test_set, digest=load(test_set.dataset).digest) for test_set in sets)
    # This method has the largest planted gain.
    spec = ActionSpec("OS1", sets, ("SYNC ovo",), n_draws=DRAWS)
    units = spec.fits()
    for unit in units:
        unit.complete()
    assert (p_of_gains(stored_study(units)) < SIGNIFICANT) == planted
