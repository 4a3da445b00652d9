import numpy as np
import pytest

from zslcore.analysis import recognition
from zslcore.datasets.digits import read_digits
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.exceptions import ParameterError
from zslcore.features.views import l2_rows
from zslcore.methods import LinearS2V
from zslcore.metrics import mean_class_accuracy

DIGITS = read_digits()
PS = DIGITS.split("PS")


@pytest.fixture(scope="module")
def recognised():
    return recognition.recognise(DIGITS, PS, lam=0.01)


def accuracy(table):
    return mean_class_accuracy(table["class"].to_numpy(), table["answer"].to_numpy())


def test_answers_are_those_of_the_protocol(recognised):
    evaluation = evaluate(fit_and_score(LinearS2V(lam=0.01), DIGITS, PS), gamma=0.05)
    for gamma, expected in (
        (np.inf, evaluation.zsl),
        (0.0, evaluation.plain.unseen),
        (0.05, evaluation.calibrated.unseen),
    ):
        assert accuracy(recognition.answers(recognised, gamma)) == pytest.approx(expected)


def test_an_infinite_gamma_never_answers_with_a_seen_class(recognised):
    assert not recognition.answers(recognised, np.inf)["seen"].any()
    assert recognition.answers(recognised, -np.inf)["seen"].all()


def test_only_images_of_unseen_classes_are_answered(recognised):
    table = recognition.answers(recognised, 0.0)
    assert sorted(table["row"]) == sorted(PS.test_unseen)
    assert (DIGITS.labels[table["row"]] == table["class"]).all()
    assert (table["right"] == (table["class"] == table["answer"])).all()


def test_distances_are_those_to_the_predicted_looks(recognised):
    row = int(PS.test_unseen[5])
    table = recognition.candidates(recognised, row, gamma=0.2)
    x = l2_rows(DIGITS.features[row : row + 1].astype(float))
    expected = ((x - recognised.looks[table["position"]]) ** 2).sum(axis=1)
    np.testing.assert_allclose(table["distance"], expected, rtol=1e-9)
    assert table["total"].is_monotonic_increasing
    assert (table.loc[table["seen"], "held_back"] == 0.2).all()


def test_the_nearest_candidate_is_the_answer_at_every_gamma(recognised):
    for gamma in (0.0, 0.07, np.inf):
        table = recognition.answers(recognised, gamma)
        for row, answer in table[["row", "answer"]].iloc[::60].itertuples(index=False):
            assert recognition.candidates(recognised, row, gamma)["class"][0] == answer


def test_a_training_image_cannot_be_looked_up(recognised):
    with pytest.raises(ParameterError, match="is not a test image"):
        recognition.candidates(recognised, int(PS.trainval[0]), 0.0)


def test_a_sample_is_balanced_and_the_same_at_every_gamma(recognised):
    a, b = (recognition.sample(recognition.answers(recognised, g), 6) for g in (0.0, np.inf))
    assert a["row"].tolist() == b["row"].tolist()
    assert a["class"].value_counts().tolist() == [6, 6, 6]


def test_the_telling_example_is_lost_and_found_again(recognised):
    best = recognised.scores.curve.best().gamma
    zsl, gzsl, calibrated = (recognition.answers(recognised, g) for g in (np.inf, 0.0, best))
    k = recognition.telling_example(zsl, gzsl, calibrated)
    assert zsl["right"][k]
    assert gzsl["seen"][k]
    assert calibrated["right"][k]
    only_lost = recognition.telling_example(zsl, gzsl, gzsl)
    assert zsl["right"][only_lost]
    assert gzsl["seen"][only_lost]


def test_pictures_are_ink_between_nothing_and_full():
    drawn = recognition.pictures(np.array([[-1.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, -3.0]]), (2, 2))
    np.testing.assert_allclose(drawn, [[[0, 1], [0.5, 0]], [[0, 0], [0, 0]]])
