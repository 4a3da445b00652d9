"""Where the error of predicted attributes comes from: a tab of Regularization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from ui import tables
from ui.figures.regularization import bias_variance_figure
from ui.frame import chart
from ui.numbers import percent, three_digits
from ui.waiting import parts_of
from zslcore.analysis.bias_variance import BiasVariance, Decomposition
from zslcore.analysis.regularization import RegularizationPath, RegularizationSpec, regularized
from zslcore.methods import METHODS

__all__ = ["show_parts"]

#: Values along the path: every third of 25.
N_VALUES = 9


def show_parts(spec: RegularizationSpec, path: RegularizationPath, label: str) -> None:
    """Show bias and variance of the method along the path, its other parameters as they are there.

    Parameters
    ----------
    spec, path : what the page shows
    label : how the regulariser is written
    """
    predicted = spec.estimator.predicted_attributes
    if predicted == "no":
        able = [name for name in regularized() if METHODS[name].predicted_attributes != "no"]
        st.info(
            f"{spec.method} predicts no attributes, so there is no error of attributes to look at. "
            f"Methods that predict attributes: {', '.join(able)}.",
            icon=":material/info:",
        )
        return
    found = parts_of(replace(spec, params=path.params, choose=False, n_values=N_VALUES))
    place = int(np.argmin(np.abs(np.log(found.values / path.values[path.for_gzsl]))))
    st.markdown(_said(found, place, label))
    chart(
        bias_variance_figure(found, path, label),
        f"Error of predicted attributes over {label}, by component. {_said(found, place, label)}",
        key="regularization_parts",
    )
    st.caption(_explained(found, predicted))
    tables.show(
        found.table(),
        f"bias_variance_{spec.dataset}_{spec.method}_{spec.parameter}",
        labels={
            "value": label,
            "side": "images",
            "error": "error",
            "bias": "bias² and noise",
            "between": "variance between classes",
            "within": "variance within classes",
            "share": "classes' share",
            "low": "from",
            "high": "to",
        },
        percent=["share", "low", "high"],
        significant=["value", "error", "bias", "between", "within"],
    )


def _explained(found: BiasVariance, predicted: str) -> str:
    """Say how the parts were measured."""
    text = (
        f"The method is fitted to {found.class_draws * found.image_draws} training sets: "
        f"{found.class_draws} draws of the training classes with replacement, and "
        f"{found.image_draws} draws of their images for each. Bias² and noise cannot be separated "
        "on these data. Bands are 95 % intervals over the draws of classes (jackknife). A seen "
        "image counts where its class was drawn."
    )
    if predicted == "implied":
        text += (
            " This method is not fitted to the attributes themselves, so only the shape of its "
            "curves says something, not their height."
        )
    return text


def _said(found: BiasVariance, place: int, label: str) -> str:
    """Say the share of classes in the variance near the value for GZSL."""

    def share(parts: tuple[Decomposition, ...]) -> str:
        part = parts[place]
        return f"{percent(part.share)} ({percent(part.low)} to {percent(part.high)})"

    text = (
        f"At {label} = {three_digits(found.values[place])}, the choice of training classes makes "
        f"{share(found.unseen)} of the variance for unseen images"
    )
    return text + (f" and {share(found.seen)} for seen images." if found.seen else ".")
