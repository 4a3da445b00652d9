"""The settings of a map."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from math import ceil
from numbers import Integral, Real
from typing import Any, Literal, Self

from zslcore.exceptions import ParameterError

Method = Literal["pca", "tsne", "umap"]

#: Changes when the same settings would give other coordinates.
FORMAT = 1
#: Iterations of t-SNE with attraction exaggerated, before those that are counted.
EARLY = 250
#: UMAP takes fewer epochs above this many points, as umap-learn does.
MANY = 10_000

#: What a layout is called on screen.
METHOD_NAMES: dict[Method, str] = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}
_LIBRARIES = {"pca": (), "tsne": ("openTSNE",), "umap": ("umap-learn", "numba")}
#: What only one of the methods reads.
_OF_ONE = {"perplexity": "tsne", "n_neighbors": "umap", "min_dist": "umap"}


@dataclass(frozen=True, slots=True)
class MapSettings:
    """How images are laid out; what the chosen method does not read is no part of the key.

    t-SNE reads the perplexity, UMAP ``n_neighbors``, itself included, and ``min_dist``.
    ``n_samples`` images are drawn by ``sample_seed`` in proportion from every class of every data
    set, so that maps with other seeds show the same ones. Iterations are by default 500 for t-SNE,
    after 250 with exaggeration, and for UMAP 500 epochs up to 10,000 points and 200 beyond.
    ``seed`` jitters the start (by a hundredth of its spread for t-SNE) and drives UMAP's sampling
    of edges. Sums on other numbers of threads are other numbers; UMAP's layout always takes one.
    """

    method: Method = "tsne"
    perplexity: float = 30.0
    n_neighbors: int = 15
    min_dist: float = 0.1
    n_components: int = 50
    n_samples: int | None = 8_000
    iterations: int | None = None
    seed: int = 0
    sample_seed: int = 0
    threads: int = 2
    features: Literal["l2", "none"] = "l2"

    def __post_init__(self) -> None:
        for name, choices in (("method", tuple(METHOD_NAMES)), ("features", ("l2", "none"))):
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"Map: {name} must be one of {', '.join(choices)}; got {getattr(self, name)!r}."
                )
        for name, lowest, kind in (
            ("perplexity", 2, Real),
            ("n_neighbors", 2, Integral),
            ("min_dist", 0, Real),
            ("n_components", 2, Integral),
            ("n_samples", 10, Integral),
            ("iterations", 1, Integral),
            ("seed", 0, Integral),
            ("sample_seed", 0, Integral),
            ("threads", 1, Integral),
        ):
            self._check(name, lowest, kind)
        if self.min_dist > 1:
            raise ParameterError(f"Map: min_dist must be at most 1; got {self.min_dist!r}.")

    def _check(self, name: str, lowest: float, kind: type) -> None:
        value = getattr(self, name)
        if value is None and name in ("n_samples", "iterations"):
            return
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not is_number or not value >= lowest:
            what = "whole number" if kind is Integral else "number"
            raise ParameterError(f"Map: {name} must be a {what} from {lowest}; got {value!r}.")

    @property
    def relevant(self) -> dict[str, Any]:
        """The settings that the method reads, and the libraries that compute it."""
        ours = {
            name: value
            for name, value in asdict(self).items()
            if _OF_ONE.get(name, self.method) == self.method
        }
        if self.method == "pca":
            del ours["iterations"]
        return ours | {"libraries": self.libraries, "format": FORMAT}

    @property
    def libraries(self) -> dict[str, str]:
        """Name and version of every library that decides on coordinates."""
        names = ("numpy", "scipy", "scikit-learn", *_LIBRARIES[self.method])
        return {name: version(name) for name in names}

    @property
    def layout(self) -> str:
        """What is relevant but for the libraries, as JSON."""
        own = {name: value for name, value in self.relevant.items() if name != "libraries"}
        return json.dumps(own, sort_keys=True)

    @property
    def key(self) -> str:
        """SHA-256 of what is relevant, 16 hex digits."""
        text = json.dumps(self.relevant, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the settings as JSON, the same text for the same settings."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote."""
        return cls(**json.loads(text))

    @property
    def n_neighbours(self) -> int:
        """Nearest neighbours, itself not counted, that the method reads of every point."""
        return {"pca": 0, "tsne": ceil(3 * self.perplexity), "umap": self.n_neighbors - 1}[
            self.method
        ]

    def n_iterations(self, n: int) -> int:
        """Return the iterations for ``n`` points, those with exaggeration not counted."""
        if self.method == "tsne":
            return self.iterations or 500
        return self.iterations or (500 if n <= MANY else 200)

    def caption(self) -> str:
        """Return the settings in words, as they stand below a map."""
        seed = f"seed {self.seed}, {self.threads} thread{'s' if self.threads > 1 else ''}"
        if self.method == "pca":
            return f"The first two principal components, {seed}"
        own = {
            "tsne": f"perplexity {self.perplexity:g}",
            "umap": f"{self.n_neighbors} neighbours, minimal distance {self.min_dist:g}",
        }[self.method]
        space = f"{self.n_components} principal components"
        return f"{METHOD_NAMES[self.method]} of {space}, {own}, {seed}"
