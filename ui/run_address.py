"""The address of Play that shows a run."""

from __future__ import annotations

from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS

__all__ = ["address_of"]


def address_of(spec: RunSpec) -> dict[str, str] | None:
    """Return the choices that make Play show this run; None where it would show another one.

    Play shows methods as they are, with parameters and gamma chosen on the folds for GZSL.
    """
    if spec.method not in METHODS:
        return None
    asked = {"dataset": spec.dataset, "split": spec.split, "method": spec.method}
    return (
        asked
        if RunSpec(spec.dataset, spec.split, spec.method, digest=spec.digest).key == spec.key
        else None
    )
