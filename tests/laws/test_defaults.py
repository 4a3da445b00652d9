"""Defaults are a fair first choice: quick views and draws use no other parameters."""

from dataclasses import replace

import numpy as np
import pytest

from zslcore.datasets import load, read_xlsa17
from zslcore.evaluation.protocol import select
from zslcore.methods import get_method

#: Maximum loss against the best of the grid, in points of accuracy on validation classes.
NEAR = 5.0
CHEAP = ["LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL"]


def lost(name, dataset):
    """Return the loss of the defaults against the best of the grid, in points, mean over folds."""
    method = get_method(name)()
    defaults = {param: getattr(method, param) for param in method.param_grid}
    grid = {param: {*values, defaults[param]} for param, values in method.param_grid.items()}
    grid = {param: sorted(values) for param, values in grid.items()}
    table = select(method, dataset, dataset.split("PS"), task="zsl", grid=grid, rule="best").table
    scores = table.groupby(list(grid))["score"].mean()
    at = tuple(defaults.values())
    return 100 * (scores.max() - scores.loc[at if len(at) > 1 else at[0]])


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["simulated-aPY", "simulated-CUB"])
@pytest.mark.parametrize("method", CHEAP)
def test_defaults_are_near_the_best_on_simulated_data(method, name):
    assert lost(method, load(name)) < NEAR


@pytest.mark.nightly
@pytest.mark.parametrize(
    # SYNC loses most: 4.3 points on AWA2 and 3.2 on aPY.
    ("method", "name"),
    [("DAP", "simulated-aPY"), ("SYNC", "simulated-aPY"), ("SYNC", "simulated-AWA2")],
)
def test_defaults_of_methods_with_classifiers_are_near_the_best(method, name):
    assert lost(method, load(name)) < NEAR


@pytest.fixture(scope="module")
def narrow_cub(shared):
    """Every eighth column of CUB: decomposing all columns takes ten seconds."""
    cub = read_xlsa17(shared / "data" / "xlsa17" / "CUB", features="vgg_fc7.mat")
    return replace(cub, features=np.ascontiguousarray(cub.features[:, ::8]))


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["LinearS2V", "ESZSL", "GFZSL"])
def test_defaults_are_near_the_best_on_real_features(method, narrow_cub):
    assert lost(method, narrow_cub) < NEAR
