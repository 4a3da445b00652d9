from dataclasses import replace

import numpy as np
import pytest

from tests.leakage.worlds import clean
from zslcore.datasets import load
from zslcore.datasets.facts import FINE_TUNED
from zslcore.exceptions import ParameterError
from zslcore.leakage import (
    AuditContext,
    DeclaredProvenance,
    Vocabulary,
    audit_context,
    get_vocabulary,
)
from zslcore.leakage.counts import find_trained_classes

NAMES = ("cat", "dog", "cow", "hen", "duck", "zebra", "seal", "wolf")
#: zebra is in the set, wolf under a synonym; seal is not.
EXTRACTOR = Vocabulary.of("extractor", ["n02391049 zebra", "n02114100 loup"])


@pytest.fixture
def world():
    return replace(clean(), class_names=NAMES, vocabularies=(EXTRACTOR,))


def severities(world, check="ZSL006"):
    return [f.mark for f in audit_context(world).of(check)]


def test_decisions_change_the_verdict(world):
    rejected = {"extractor": {"zebra": "rejected", "WOLF": "rejected"}}
    assert severities(replace(world, decisions=rejected)) == ["ok"]
    confirmed = {"extractor": {"zebra": "rejected", "wolf": "rejected", "seal": "confirmed"}}
    findings = audit_context(replace(world, decisions=confirmed)).of("ZSL006")
    assert [f.mark for f in findings] == ["leak", "ok"]
    assert findings[0].classes == ("seal",)
    other = {"another": {"zebra": "rejected"}}
    assert severities(replace(world, decisions=other)) == ["leak"]


def test_related_classes_are_open_until_a_person_decides(world):
    seals = Vocabulary.of("sea", ["n02077923 sea lion"])
    world = replace(world, vocabularies=(seals,))
    assert severities(world) == ["warning"]
    assert severities(replace(world, decisions={"sea": {"seal": "confirmed"}})) == ["leak"]
    assert severities(replace(world, decisions={"sea": {"seal": "rejected"}})) == ["ok"]


def test_seen_classes_may_be_in_the_pretraining_set(world):
    cats = Vocabulary.of("cats", ["cat"])
    assert severities(replace(world, vocabularies=(cats,))) == ["ok"]


@pytest.mark.parametrize(
    ("images", "severity"), [("training-images", "ok"), ("seen-classes", "warning")]
)
def test_fine_tuning_on_images_of_the_data_set_is_reported(world, images, severity):
    tuned = get_vocabulary(images)
    world = replace(world, folds=((np.arange(4), np.array([4])),))
    first, second = audit_context(replace(world, vocabularies=(EXTRACTOR, tuned))).of("ZSL006")
    assert first.mark == "leak"
    assert second.mark is severity
    assert f"fine-tuned on {FINE_TUNED[images]}" in second.sentence
    assert "The validation classes of the folds" in second.sentence
    assert severities(replace(world, vocabularies=(tuned,)), "ZSL007") == ["ok"]
    zsl_alone = {**world.parts, "test_seen": np.empty(0, int)}
    assert severities(replace(world, vocabularies=(tuned,), parts=zsl_alone)) == ["ok"]


def test_the_effect_of_classes_in_the_pretraining_set_is_measured(world):
    assert severities(world, "ZSL007") == ["open"]
    accuracies = {"mine": {5: 0.9, 6: 0.1, 7: 0.8}}
    (finding,) = audit_context(replace(world, accuracies=accuracies)).of("ZSL007")
    assert finding.mark == "ok"  # three classes are too few for a significant effect
    row = dict(zip(finding.evidence[0].columns, finding.evidence[0].rows[0], strict=True))
    assert row["ACC_OUC"] == pytest.approx(0.85)
    assert row["ACC_TUC"] == pytest.approx(0.1)
    assert row["gain"] == pytest.approx((0.85 - 0.1) / 0.475, abs=1e-4)


def test_related_classes_are_left_out_of_the_comparison(world):
    """A kind of seal is in the set, so seal is on neither side of the comparison."""
    seal, *other_classes = sorted(
        (int(c) for c in world.required_unseen_classes),
        key=lambda c: world.class_names[c] != "seal",
    )
    inside, outside = other_classes[:2]
    listed = Vocabulary.of("sea", ["n02077923 sea lion", world.class_names[inside]])
    accuracies = {"mine": {inside: 0.9, outside: 0.3, seal: 0.0}}
    world = replace(world, vocabularies=(listed,), accuracies=accuracies)
    (finding,) = audit_context(world).of("ZSL007")
    row = dict(zip(finding.evidence[0].columns, finding.evidence[0].rows[0], strict=True))
    assert (row["ACC_OUC"], row["ACC_TUC"]) == pytest.approx((0.9, 0.3))
    assert "(1 related left out)" in finding.sentence


def test_an_open_decision_does_not_count_as_no_overlap(world):
    """ZSL007 does not claim that no test class is in the set while a decision is open."""
    world = replace(world, vocabularies=(Vocabulary.of("sea", ["n02077923 sea lion"]),))
    (finding,) = audit_context(world).of("ZSL007")
    assert finding.mark == "open"
    assert finding.sentence == "No confirmed match among the classes of sea; 1 open (seal)."
    rejected = replace(world, decisions={"sea": {"seal": "rejected"}})
    (finding,) = audit_context(rejected).of("ZSL007")
    assert finding.mark == "ok"
    assert finding.sentence == "Nothing to compare: no test class counts as a class of sea."


# --- Declared choices -----------------------------------------------------------------------------


def findings_on_choices(**declared):
    return audit_context(replace(clean(), provenance=DeclaredProvenance(**declared))).of("ZSL008")


def test_declared_choices_are_judged():
    everything = {"hyperparameters": "validation", "epochs": "none", "gamma": "validation"}
    assert [f.mark for f in findings_on_choices(**everything)] == ["ok"]
    on_test = findings_on_choices(**everything | {"epochs": "test"})
    assert [f.mark for f in on_test] == ["leak", "ok"]
    undeclared, declared = findings_on_choices(**everything | {"epochs": "unknown"})
    assert (undeclared.mark, declared.mark) == ("open", "ok")
    assert undeclared.sentence == "Not declared by the author: how epochs were chosen."
    findings = findings_on_choices(**everything | {"gamma": "given"})
    assert [f.mark for f in findings] == ["ok", "ok"]
    assert findings_on_choices(hyperparameters="none", epochs="none", gamma="none")[0].mark == "ok"
    with pytest.raises(ParameterError, match="Provenance of gamma"):
        findings_on_choices(gamma="guessed")


def test_prototypes_are_judged_by_their_origin():
    from_test = replace(clean(), provenance=DeclaredProvenance(prototypes="test images"))
    assert "leak" in severities(from_test, "ZSL009")
    world = replace(clean(), independent_prototypes=False)
    assert severities(world, "ZSL009") == ["open"]
    declared = replace(world, provenance=DeclaredProvenance(prototypes="independent"))
    (passed,) = audit_context(declared).of("ZSL009")
    assert passed.mark == "ok"
    assert passed.sentence.endswith(
        "; the author declares that they were made without test images."
    )
    digits = load("digits")
    context = AuditContext.of_split(digits.split("PS"), digits)
    (passed,) = audit_context(context).of("ZSL009")
    assert passed.mark == "ok"
    assert "declared" not in passed.sentence
    assert severities(
        AuditContext.of_split(digits.split("PS"), replace(digits, independent_prototypes=False)),
        "ZSL009",
    ) == ["open"]


def test_a_class_certain_in_one_list_is_not_listed_as_possible_in_another():
    lists = [Vocabulary.of("one", ["zebra"]), Vocabulary.of("two", ["zebra crossing", "tabby cat"])]
    names = ("zebra", "cat", "quagga")
    for vocabularies, classes, related in ((lists[1:], (), 2), (lists, ("zebra",), 1)):
        finding = find_trained_classes(names, vocabularies)
        assert finding.classes == classes
        assert finding.numbers["related"] == related
