"""The address of Evaluate that shows a run: what :func:`ui.controls.choose_run` reads back."""

from __future__ import annotations

from typing import Any, Literal, get_origin, get_type_hints

from ui.numbers import three_digits
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS, get_method

__all__ = ["address_of"]


def address_of(spec: RunSpec) -> dict[str, str] | None:
    """Return the choices that make Evaluate show this run, by their names in the address.

    None where the page has no widget for something that was asked: a gamma that is given,
    parameters chosen for ZSL, a grid or a value of one's own, only some parameters given; or where
    this version lacks the method, or one of its parameters.
    """
    method = METHODS.get(spec.method)
    if method is None or not {*spec.params, *(spec.grid or ())} <= set(method().get_params()):
        return None
    hints = get_type_hints(method.__init__)
    asked = method().get_params() | dict(spec.params)
    variants = {name for name in asked if get_origin(hints.get(name)) is Literal}
    given = {name for name in method.param_grid if name in spec.params} - variants
    if spec.gamma is not None or spec.select_for != "gzsl" or not _fits(spec, variants, given):
        return None
    address = {"dataset": spec.dataset, "split": spec.split, "method": spec.method}
    address["parameters"] = "given" if given else "validated"
    for name in sorted(variants | given):
        value = asked[name]
        address[f"{spec.method}_{name}"] = value if name in variants else three_digits(value)
    more = {"features": spec.features, "prototypes": spec.prototypes, "seed": str(spec.seed)}
    return address | more


def _fits(spec: RunSpec, variants: set[str], given: set[str]) -> bool:
    """Whether all else is as the page would ask it."""
    method = get_method(spec.method)
    grid, defaults = method.param_grid, method().get_params()
    sliders = {name for name in grid if name not in variants}
    others: dict[str, Any] = {n: v for n, v in spec.params.items() if n not in variants | given}
    searched = {name: tuple(grid[name]) for name in sliders - given}
    return (
        given in (set(), sliders)
        and all(spec.params[name] in grid[name] for name in given)
        and all(defaults[name] == value for name, value in others.items())
        and {n: v for n, v in (spec.grid or {}).items() if n not in variants} == searched
    )
