"""Results of every revision of every method, and of the protocol, on a small fixed problem.

``figures.json`` has them. After a change of a method's numbers or a parameter's default, increase
its ``revision`` (``REVISION`` of the protocol) and then add the new results:

    python -m tests.revisions

Existing entries are never written again: they identify stored results.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.worlds import linear_world
from zslcore.evaluation import protocol
from zslcore.evaluation.protocol import Problem
from zslcore.features import Preprocessing
from zslcore.methods import METHODS, TRANSDUCTIVE, GenerativeZSL
from zslcore.methods.base import TransductiveEstimator, ZSLEstimator

TABLE = Path(__file__).with_name("figures.json")
ALL = METHODS | TRANSDUCTIVE


def table() -> dict[str, dict[str, Any]]:
    """Return the content of the file: name -> revision -> results."""
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def revisions() -> dict[str, int]:
    """Return the revision of everything with a revision."""
    of_values = {
        f"{name} {parameter}={value}": revision
        for name, method in ALL.items()
        for (parameter, value), revision in method.value_revisions.items()
    }
    of_methods = {name: method.revision for name, method in ALL.items()}
    return of_methods | of_values | {"protocol": protocol.REVISION}


def current_results(name: str) -> dict[str, Any]:
    """Return the current results of ``name``."""
    if name == "protocol":
        return of_protocol()
    name, _, chosen = name.partition(" ")
    return of_method(ALL[name], dict([chosen.split("=")] if chosen else []))


def of_method(method: type[ZSLEstimator], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of a method, and some of its scores with ``params``."""
    world = linear_world(**({"n_features": 6, "joint": True} if method.card.joint_space else {}))
    if method is TRANSDUCTIVE["DSRL"]:  # it factorises features into non-negative parts
        world = replace(world, features=np.abs(world.features))
    split, model = world.splits["PS"], _exact(method).set_params(**params)
    test = np.concatenate([split.test_seen, split.test_unseen])
    problem = Problem.of(world, Preprocessing(), split.trainval, test)
    if isinstance(model, TransductiveEstimator):
        hidden = {"unlabeled": problem.X_test, "candidates": problem.candidates}
        model.fit(problem.X, problem.y, problem.S, **hidden)
    else:
        model.fit(problem.X, problem.y, problem.S)
    F = problem.scores_of(model)
    return {
        "defaults": method().get_params(),
        "scores": [float(f"{score:.9g}") for score in F[::11, ::3].ravel()],
    }


def _exact(method: type[ZSLEstimator]) -> ZSLEstimator:
    """Return a method that iterates until rounding stops it, so that tolerances have no effect.

    Generators take few steps, because adversaries amplify rounding.
    """
    if issubclass(method, GenerativeZSL):
        return method(epochs=5)
    tight = {"tol": 1e-10} if "tol" in inspect.signature(method).parameters else {}
    return method(**tight)


def of_protocol() -> dict[str, Any]:
    """Return the chosen parameters of a method, and its test metrics."""
    world, out = linear_world(noise=1.0), {}
    for task in ("zsl", "gzsl"):
        chosen = protocol.select(METHODS["LinearS2V"](), world, world.splits["PS"], task=task)
        model = METHODS["LinearS2V"](**chosen.params)
        figures = protocol.evaluate(
            protocol.fit_and_score(model, world, world.splits["PS"]), chosen.gamma
        )
        out[task] = [
            *(chosen.params["lam"], chosen.gamma, chosen.score, figures.zsl, figures.ausuc),
            *(figures.calibrated.seen, figures.calibrated.unseen, figures.zsl_per_sample),
        ]
    return {"scores": [float(f"{x:.9g}") for task in out.values() for x in task]}
