"""Real features with given parameters: known metrics, and textbook formulas."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import solve, solve_sylvester

from tests.methods.plain import textbook_rows
from zslcore.analysis.papers.claims import FINDINGS
from zslcore.datasets import read_xlsa17
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.methods import LinearS2V, get_method

#: ZSL, u, s and H at gamma 0, best H, AUSUC, in percent, computed independently.
LINEAR_S2V = (50.3, 17.8, 57.2, 27.1, 42.8, 25.7)


@pytest.fixture(scope="module")
def cub(shared):
    return read_xlsa17(shared / "data" / "xlsa17" / "CUB", features="vgg_fc7.mat")


@pytest.fixture(scope="module")
def narrow(cub):
    """Every eighth column: decomposing all columns takes ten seconds."""
    return replace(cub, features=np.ascontiguousarray(cub.features[:, ::8]))


def figures_of(scores):
    """Return ZSL, u, s and H at gamma 0, best H and AUSUC, in percent."""
    metrics = evaluate(scores)
    plain, best = metrics.plain, scores.curve.best().harmonic
    measured = (metrics.zsl, plain.unseen, plain.seen, plain.harmonic, best, metrics.ausuc)
    return [100 * metric for metric in measured]


@pytest.mark.nightly
def test_cub_gives_the_known_metrics(cub):
    scores = fit_and_score(get_method("LinearS2V")(lam=10**-3.5), cub, cub.split("PS"))
    assert figures_of(scores) == pytest.approx(LINEAR_S2V, abs=0.1)


@pytest.mark.nightly
def test_training_on_lists_of_the_first_release_adds_the_stated_points(cub):
    """The finding v1-adds-points uses lambda and gamma chosen on the folds for GZSL."""
    (finding,) = (finding for finding in FINDINGS if finding.id == "v1-adds-points")
    split, gamma = cub.split("PS"), 0.05078204224684241
    leaky = replace(split, trainval=np.union1d(split.trainval, split.test_seen))
    model = LinearS2V(lam=10**-3.5)
    without, with_leak = (
        evaluate(fit_and_score(model, cub, part), gamma) for part in (split, leaky)
    )
    zsl = 100 * (with_leak.zsl - without.zsl)
    seen = 100 * (with_leak.plain.seen - without.plain.seen)
    harmonic = 100 * (with_leak.calibrated.harmonic - without.calibrated.harmonic)
    assert f"gains {seen:.1f} points on seen classes" in finding.sentence
    assert f"{harmonic:.1f} points of calibrated H" in finding.sentence
    assert f"({abs(zsl):.1f})" in finding.sentence


def linear_v2s(X, Y, S, codes, lam):
    """Ridge regression of attributes."""
    return solve(X.T @ X + lam * len(X) * np.eye(X.shape[1]), X.T @ codes)


def sae(X, Y, S, codes, lam):
    """Tied weights of an autoencoder, from their equation."""
    return solve_sylvester(codes.T @ codes, lam * X.T @ X, (1 + lam) * codes.T @ X).T


def eszsl(X, Y, S, codes, gamma, lam):
    """Ridge regression of one-vs-rest targets."""
    visual = X.T @ X + gamma * np.eye(X.shape[1])
    semantic = S.T @ S + lam * np.eye(S.shape[1])
    return solve(semantic, solve(visual, X.T @ Y @ S).T).T


def encoded(X, W, S):
    """Cosine of the encoded image and the prototype."""
    return textbook_rows(X @ W) @ textbook_rows(S).T


def decoded(X, W, S):
    """Cosine of the image and the decoded prototype."""
    return X @ textbook_rows(S @ W.T).T


def product(X, W, S):
    """Image times map times prototype."""
    return X @ W @ S.T


BOOK = [
    ("LinearV2S", {"lam": 10**-4.5}, {}, linear_v2s, encoded),
    ("SAE", {"lam": 0.1}, {}, sae, decoded),
    ("SAE", {"lam": 10**2.5}, {"direction": "V2S"}, sae, encoded),
    ("ESZSL", {"gamma": 1.0, "lam": 0.1}, {}, eszsl, product),
    ("ESZSL", {"gamma": 0.1, "lam": 0.1}, {"coding": "+-1"}, eszsl, product),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "weights", "options", "solution", "compared"), BOOK)
def test_metrics_equal_textbook_formulas(narrow, name, weights, options, solution, compared):
    split = narrow.split("PS")
    ours = fit_and_score(get_method(name)(**weights, **options), narrow, split)

    classes = np.unique(narrow.labels[split.trainval])
    X = textbook_rows(narrow.features[split.trainval].astype(float))
    S = textbook_rows(narrow.prototypes[classes])
    Y = (narrow.labels[split.trainval][:, None] == classes).astype(float)
    if options.get("coding") == "+-1":
        Y = 2 * Y - 1
    W = solution(X, Y, S, Y.clip(0) @ S, **weights)
    test = np.concatenate([split.test_seen, split.test_unseen])
    X = textbook_rows(narrow.features[test].astype(float))
    F = compared(X, W, textbook_rows(narrow.prototypes[ours.classes]))

    assert np.abs(ours.F - F).max() < 1e-4 * np.abs(F).max()
    assert figures_of(ours) == pytest.approx(figures_of(replace(ours, F=F)), abs=0.1)
    assert 20 < figures_of(ours)[0] < 60  # better than chance, but not trained on test classes


def test_the_standard_split_of_cub_has_the_published_image_counts(cub):
    split = cub.split("SS")
    assert (len(split.trainval), len(split.test_unseen)) == (8855, 2933)
    assert len(split.unseen_classes) == 50
    metrics = evaluate(fit_and_score(get_method("LinearS2V")(lam=10**-3.5), cub, split))
    assert 0.45 <= metrics.zsl <= 0.60  # as on PS: hardly any class of CUB is in ImageNet-1K
