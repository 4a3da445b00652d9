"""Plugin methods of three authors, and faults of plugins."""

from zslcore.evaluation import plugins
from zslcore.methods import METHODS

CARD = """    card = MethodCard(
        name="{name}", year=2026, family="closed form", title="A title", authors="Ada",
        url="https://example.org", idea="Regress.", formula="x^T V s",{more}
    )
"""
HEAD = """import numpy as np
from zslcore.methods.base import CompatibilityModel, MethodCard, ZSLEstimator
"""

#: A closed form with a grid, linear in the prototypes.
RIDGE = f"""{HEAD}

class Mine(CompatibilityModel):
{CARD.format(name="Mine", more="")}
    param_grid = {{"lam": (0.1, 10.0)}}

    def __init__(self, lam=1.0):
        self.lam = lam

    def _check_params(self):
        self._check_positive("lam")

    def fit(self, X, y, prototypes):
        X, y, S = self._check_training(X, y, prototypes)
        X = np.asarray(X, dtype=float)
        A = X.T @ X + self.lam * np.eye(X.shape[1])
        self.V_ = np.linalg.solve(A, X.T @ S[y])
        return self
"""

#: A method of the package with another grid; its class adds nothing else.
TUNED = """from zslcore.methods import ESZSL


class Tuned(ESZSL):
    param_grid = {"gamma": (1.0, 100.0)}
"""

#: A method with a seed and epochs, with other names for its arguments.
STEPS = f"""{HEAD}

class Steps(ZSLEstimator):
{CARD.format(name="Steps", more=" stochastic=True,")}
    param_grid = {{"epochs": (20, 80)}}
    iterative = True

    def __init__(self, epochs=40, random_state=0):
        self.epochs, self.random_state = epochs, random_state

    def _check_params(self):
        self._check_count("epochs")

    def fit(self, features, labels, attributes):
        X, y, S = self._check_training(features, labels, attributes)
        X = np.asarray(X, dtype=float)
        V = 0.01 * np.random.default_rng(self.random_state).normal(size=(X.shape[1], S.shape[1]))
        step = 1 / np.linalg.norm(X.T @ X, 2)
        for epoch in range(self.epochs):
            V -= step * X.T @ (X @ V - S[y])
            if self.on_epoch:
                self.on_epoch(epoch + 1, 0.0)
        self.W_ = V
        return self

    def decision_function(self, features, attributes):
        X, S = self._check_scoring(features, attributes)
        return np.asarray(X, dtype=float) @ self.W_ @ S.T
"""

#: A method that generates features.
DRAWN = f"""{HEAD}from zslcore.methods.generative import GenerativeZSL


class Drawn(GenerativeZSL):
{CARD.format(name="Drawn", more=' stochastic=True, depends_on_candidates="one softmax",')}
    param_grid = {{}}

    def __init__(
        self, epochs=1, n_synthetic=2, classifier_epochs=1, components=None, random_state=0
    ):
        self.epochs, self.n_synthetic, self.classifier_epochs = epochs, n_synthetic, 1
        self.components, self.random_state = components, random_state

    def train(self, X, y, S, rng):
        while True:
            yield np.linalg.inv(np.zeros((2, 2)))

    def generate(self, prototypes, n, rng):
        return rng.normal(size=(len(prototypes), n, 64))
"""

#: Fault of a file -> (old text, new text, part of the sentence).
BROKEN = {
    "shape": (
        "return np.asarray(X, dtype=float) @ self.W_ @ S.T",
        "return (np.asarray(X, dtype=float) @ self.W_ @ S.T)[:, 1:]",
        "expected scores, a float64 array of shape",
    ),
    "single precision": (
        "return np.asarray(X, dtype=float) @ self.W_ @ S.T",
        "return (np.asarray(X, dtype=float) @ self.W_ @ S.T).astype(np.float32)",
        "got float32 of shape",
    ),
    "NaN": (
        "@ self.W_ @ S.T",
        "@ self.W_ @ S.T * np.nan",
        "expected finite scores; got nan for sample 0, candidate 0",
    ),
    "no fit": ("def fit(", "def learn(", "fit is missing"),
    "exception": (
        "step = 1 /",
        "raise KeyError('lost')\n        step = 1 /",
        "fit raised KeyError in line 24: 'lost'.",
    ),
    "returns nothing": (
        "self.W_ = V\n        return self",
        "self.W_ = V",
        "fit to return self; got NoneType",
    ),
    "two arguments": ("def fit(self, features, labels, ", "def fit(self, ", "takes 2 positional"),
    "no card": ("card = MethodCard", "paper = MethodCard", "expected a card"),
    "hint": ("epochs=40", "epochs: 'Nothing' = 40", "__init__ raised NameError"),
    "no defaults": ("epochs=40", "epochs", "__init__ raised TypeError"),
    "grid of nothing": ("(20, 80)", "()", "param_grid['epochs']: expected a tuple"),
    "grid of arrays": ("(20, 80)", "(np.ones(2),)", "param_grid['epochs']: expected a tuple"),
    "grid of others": ('{"epochs"', '{"epoch"', "did you mean 'epochs'"),
    "name": ('"Steps"', '"<b>"', "expected a name on the card"),
    "syntax": ("def fit(", "def fit[", "loading raised SyntaxError in line"),
    "import": ("import numpy", "import helper_next_door, numpy", "No module named"),
    "ends": ("import numpy", "import sys\nsys.exit(3)\nimport numpy", "raised SystemExit"),
    "fields without a dataclass": (
        "def __init__(self, epochs=40, random_state=0):\n        self.epochs, self.random_state = "
        "epochs, random_state\n",
        "epochs: int = 40\n    random_state: int = 0\n",
        "expected @dataclass(eq=False) above the class, to make its fields (epochs, random_state)",
    ),
    "no class": ("class Steps(ZSLEstimator)", "class Steps", "derived from"),
}


def forget():
    """Remove the methods of tests from the registry."""
    for name in plugins.registered():
        del METHODS[name]
    plugins._SOURCES.clear()
