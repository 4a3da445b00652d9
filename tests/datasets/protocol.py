"""The whole protocol in one call: choose on the folds, fit, score the test set."""

from zslcore.evaluation.protocol import evaluate, fit_and_score, select
from zslcore.methods import get_method


def run(dataset, method, split="PS", task="gzsl", grid=None, **params):
    """Return the test metrics, with parameters and gamma chosen on the folds."""
    split = dataset.split(split)
    chosen = select(get_method(method)(**params), dataset, split, task=task, grid=grid)
    fitted = get_method(method)(**params, **chosen.params)
    return evaluate(fit_and_score(fitted, dataset, split), chosen.gamma)
