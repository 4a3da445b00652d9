"""From where on the checks of a review speak, and what counts as a failure; all in the address."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

import streamlit as st

from ui import controls
from zslcore.leakage import AuditContext, Thresholds
from zslcore.leakage.report import FailOn

__all__ = ["as_command", "choose_limits"]

#: Words on screen, and in the address, for the values of ``--fail-on``.
FAILURES: dict[str, FailOn] = {
    "failures": "fail",
    "failures and warnings": "warn",
    "failures, warnings and open questions": "unknown",
}
#: Label, step and help of each threshold.
WORDS = {
    "near": (
        "Near-duplicate below this share of the usual distance",
        0.05,
        "ZSL005: the usual distance is the median distance of a test image to its nearest "
        "training image.",
    ),
    "alone": (
        "And below this share of the tenth nearest distance",
        0.05,
        "ZSL005: in a crowd of similar images, a small distance is nothing special.",
    ),
    "share": (
        "Only a warning up to this share of the test images",
        0.005,
        "ZSL004, ZSL005 and ZSL012: at 0.01, leaking images change an accuracy by one point at "
        "most.",
    ),
    "images": (
        "Fewest images of a test class",
        1,
        "ZSL011: the accuracy of a class with few images means little by itself.",
    ),
}


def choose_limits() -> tuple[Thresholds, FailOn]:
    """Choose the thresholds of the checks and what counts as a failure."""
    with st.popover("Thresholds", icon=":material/tune:"):
        failures = controls.choose(
            "The verdict is “Failed” for", list(FAILURES), key="leakage_fail_on"
        )
        chosen: dict[str, Any] = {}
        usual = Thresholds()
        for field in fields(Thresholds):
            label, step, hint = WORDS[field.name]
            whole = isinstance(step, int)
            chosen[field.name] = st.number_input(
                label,
                min_value=0.0 if field.name == "share" else step,
                max_value=1000 if whole else 1.0,
                value=getattr(usual, field.name),
                step=step,
                format="%d" if whole else "%.3f",
                key=f"leakage_{field.name}",
                bind=controls.bind_number(f"leakage_{field.name}"),
                help=hint,
            )
    return Thresholds(**chosen), FAILURES[failures]


def as_command(context: AuditContext, fail_on: FailOn) -> str:
    """Return the command that audits a split of a data set with the same thresholds."""
    words = ["zslcore", "audit", context.name, "--split", context.split_name]
    for vocabulary in context.vocabularies:
        words += ["--pretraining", vocabulary.name]
    for what in ("hyperparameters", "epochs", "gamma"):
        value = getattr(context.provenance, what)
        words += [f"--{what}-on", value] if value != "unknown" else []
    if context.provenance.prototypes != "unknown":
        words += ["--prototypes-from", context.provenance.prototypes]
    for field in fields(Thresholds):
        value = getattr(context.thresholds, field.name)
        words += [f"--{field.name}", f"{value:g}"] if value != field.default else []
    words += ["--fail-on", fail_on] if fail_on != "fail" else []
    return shlex.join(words)
