"""Words: what the terms on screen mean, and words that nobody vouches for."""

from __future__ import annotations

__all__ = ["AUSUC", "GAP_OF_ALL", "GAP_OF_GAMMA", "GAP_OF_PARAMETERS", "GLOSSARY", "plain"]

#: Three gaps, called by the same words on every page; all in points.
GAP_OF_GAMMA = "Gap of γ"
GAP_OF_PARAMETERS = "Gap of parameters"
GAP_OF_ALL = "Gap of parameters and γ"
AUSUC = "AUSUC"

_BOUND = "An oracle, chosen on the test set: it is a bound, never a result."

#: What a term means; every page shows these sentences as the help of the term.
GLOSSARY = {
    "ZSL accuracy": "Accuracy of unseen images among unseen classes (A_U→Cu), averaged over "
    "classes.",
    "H at γ = 0": "Harmonic mean of seen and unseen accuracy among all classes, without "
    "calibration.",
    "H, validated γ": "H when γ, chosen on the folds inside the training classes, is subtracted "
    "from the scores of seen classes.",
    "H, oracle γ": f"The highest H on the curve of the test set. {_BOUND}",
    AUSUC: "Area under the seen-unseen curve: seen accuracy over unseen accuracy for every γ.",
    GAP_OF_GAMMA: "Points of H that the best γ of the test set would add, with the parameters as "
    f"they are. {_BOUND}",
    GAP_OF_PARAMETERS: "Points of ZSL accuracy that the best parameters of the grid on the test "
    f"set would add. {_BOUND}",
    GAP_OF_ALL: "Points of H that the best parameters of the grid and the best γ on the test set "
    f"would add together; never less than the {GAP_OF_GAMMA.lower()}. {_BOUND}",
}

_MARKS = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|~$:<>"})


def plain(words: str) -> str:
    """Return words that may come from a file or an address so that markdown leaves them alone."""
    return words.translate(_MARKS)
