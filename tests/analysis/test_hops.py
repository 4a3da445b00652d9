"""Distances from pre-training classes in WordNet, and accuracy over them."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.wordnet_hops import class_hops, hop_trend
from zslcore.datasets.facts import class_facts
from zslcore.exceptions import DatasetError
from zslcore.leakage import get_vocabulary
from zslcore.leakage.vocabularies import Vocabulary, wordnet

ANIMALS = [name.replace("+", " ") for name in class_facts("AWA2").classes["class"]]


def hops_of(*names, of="imagenet-1k", context=()):
    table = class_hops(names, get_vocabulary(of), context)
    return dict(zip(table["class"], table["hops"], strict=True))


def test_a_class_of_the_list_is_at_0_a_kind_at_1_a_sibling_at_2():
    found = hops_of("beaver", "grizzly bear", "blue whale", context=ANIMALS)
    assert found == {"beaver": 0, "grizzly bear": 1, "blue whale": 2}
    nearest = class_hops(["blue whale"], get_vocabulary("imagenet-1k"), ANIMALS)["nearest"]
    assert nearest.tolist() == ["grey whale"]


def test_the_way_may_be_walked_back_edge_by_edge():
    """The distances are those of a plain breadth-first search from every class itself."""
    listed = {e.synset for e in get_vocabulary("imagenet-1k").entries}
    kinds = {}
    for synset in wordnet().synsets.values():
        for parent in synset.parents:
            kinds.setdefault(parent, set()).add(synset.id)
    for name in ("walrus", "mole", "giraffe", "moose"):
        level, steps = set(wordnet().senses(name, "n")), 0
        level = {s for s in level if wordnet().synsets[s].category == "05"}
        while not level & listed:
            above = {p for s in level for p in wordnet().synsets[s].parents}
            level |= above | {k for s in level for k in kinds.get(s, ())}
            steps += 1
        assert hops_of(name, context=ANIMALS) == {name: steps}


def test_a_name_that_wordnet_lacks_is_a_kind_of_its_last_words():
    found = hops_of("Laysan Albatross", "albatross", "Zzyzx", context=["albatross", "gull", "tern"])
    assert (found["Laysan Albatross"], found["albatross"]) == (1, 0)
    assert np.isnan(found["Zzyzx"])


def test_more_classes_in_the_list_bring_no_class_further_away():
    few, many = (hops_of(*ANIMALS, of=f"imagenet-{n}", context=ANIMALS) for n in ("1k", "21k"))
    assert all(many[name] <= few[name] for name in ANIMALS)
    assert sum(hops == 0 for hops in many.values()) > sum(hops == 0 for hops in few.values())


def test_a_list_without_places_in_wordnet_is_refused():
    with pytest.raises(DatasetError, match="expected pre-training classes with WordNet ids"):
        class_hops(["beaver"], Vocabulary.of("mine", ["beaver", "otter"]))


def test_the_correlation_is_spearmans_and_its_p_that_of_permutations():
    rng = np.random.default_rng(3)
    hops = rng.integers(0, 5, 60).astype(float)
    accuracy = 0.9 - 0.1 * hops + 0.2 * rng.random(60)
    trend = hop_trend(accuracy, hops)
    assert trend.rho == pytest.approx(spearmanr(hops, accuracy).statistic, abs=1e-12)
    assert (trend.p, trend.classes) == (1 / 10_000, 60)
    assert trend.means["classes"].sum() == 60
    assert trend.means["accuracy"].iloc[0] == pytest.approx(accuracy[hops == 0].mean())
    shuffled = [hop_trend(rng.permutation(accuracy), hops).p for _ in range(40)]
    assert 0.3 < np.mean(shuffled) < 0.7


def test_classes_without_a_distance_are_left_out_and_few_are_refused():
    hops = [0, 1, 2, 3, 4, np.nan]
    assert hop_trend([0.9, 0.8, 0.7, 0.6, 0.5, 0.0], hops).rho == pytest.approx(-1)
    assert np.isnan(hop_trend([0.5] * 6, [0, 1, 2, 3, 4, 5]).rho)
    with pytest.raises(DatasetError, match="at least 5 classes that WordNet knows; got 4"):
        hop_trend([0.9, 0.8, 0.7, 0.6], [0, 1, 2, 3])
