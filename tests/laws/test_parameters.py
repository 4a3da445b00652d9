"""Law on the parameters of every method: fitting refuses values outside of their annotation."""

from typing import Annotated, Literal, get_args, get_origin

import numpy as np
import pytest

from tests.methods.plain import training_data
from zslcore.exceptions import ParameterError
from zslcore.methods import METHODS, TRANSDUCTIVE

X, Y, S, _ = training_data()
UNLABELED = {"unlabeled": np.abs(training_data(seed=2)[0]), "candidates": S[:4]}
#: Type of a parameter -> values that it never has.
OUTSIDE = {bool: ("yes", 2), int: (0, 2.5), float: (0, -1.0, float("nan"), "2"), Literal: ("half",)}
#: Shares have limits of their own.
SHARES = {"alpha": (-0.1, 1.0), "coverage": (0.0, 1.0), "prune": (-0.1, 1.0)}


def values_outside(name, kind):
    """Return invalid values of a parameter by its annotation."""
    if get_origin(kind) is Annotated:
        return SHARES[name]
    kinds = {get_origin(kind), kind, *get_args(kind)}
    return next(values for kind, values in OUTSIDE.items() if kind in kinds)


CASES = [
    (method, name, value)
    for method in (*METHODS.values(), *TRANSDUCTIVE.values())
    for name, kind in method.hints().items()
    if name not in ("random_state", "base", "base_params")
    for value in values_outside(name, kind)
]


@pytest.mark.parametrize(
    ("method", "name", "value"), CASES, ids=[f"{m.card.name} {n}={v}" for m, n, v in CASES]
)
def test_a_value_outside_of_its_annotation_is_refused(method, name, value):
    more = UNLABELED if method.card.transductive else {}
    with pytest.raises(
        ParameterError, match=rf"^{method.card.name.replace('*', '.')}: {name} must "
    ):
        method(**{name: value}).fit(np.abs(X), Y, S, **more)
