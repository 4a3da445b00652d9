"""Laws of every method trained in steps."""

import numpy as np
import pytest

from tests.methods.plain import relative_difference, training_data
from zslcore.methods import METHODS, GenerativeZSL
from zslcore.methods._sgd import EpochModel

X, Y, S = training_data()[:3]
#: Generators are excluded: the size of Adam's steps does not depend on the gradient.
IN_STEPS = {
    name: method
    for name, method in METHODS.items()
    if issubclass(method, EpochModel) and not issubclass(method, GenerativeZSL)
}


def learned(method, X, y, **params):
    """Return everything that a fit learns, as one vector."""
    model = method(epochs=1, batch_size=len(X), **params).fit(X, y, S)
    arrays = [v for k, v in vars(model).items() if k.endswith("_") and isinstance(v, np.ndarray)]
    return np.concatenate([array.ravel() for array in arrays])


def test_methods_trained_in_steps_are_listed():
    assert {"DEVISE", "ALE", "SJE", "LATEM", "CMT", "CMT*"} <= set(IN_STEPS)


@pytest.mark.parametrize("copies", [100, 300])
@pytest.mark.parametrize("method", IN_STEPS.values(), ids=IN_STEPS)
def test_repeated_images_do_not_change_the_size_of_a_step(method, copies):
    """A batch of 60, 6,000 or 18,000 copies of the images has the same mean gradient."""
    start = learned(method, X, Y, learning_rate=1e-30)
    step = learned(method, X, Y, learning_rate=1e-3) - start
    of_many = learned(method, np.tile(X, (copies, 1)), np.tile(Y, copies), learning_rate=1e-3)
    assert np.abs(step).max() > 0
    assert relative_difference(of_many - start, step) < 0.01
