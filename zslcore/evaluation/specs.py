"""The specification of one run, and its key."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import Any, Literal

from zslcore.datasets import ZSLDataset
from zslcore.evaluation import plugins, protocol
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import ParameterError, closest_name
from zslcore.features import FeatureScaling, Preprocessing, PrototypeScaling
from zslcore.methods import METHODS, get_method
from zslcore.methods.base import TransductiveEstimator, ZSLEstimator
from zslcore.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that a result depends on.

    ``params`` are fixed; all other parameters in ``grid`` (by default the method's own grid) are
    chosen on the folds for the task ``select_for``, but always for ZSL on a split without seen test
    rows; on other splits, a ``gamma`` of None is also chosen on the folds. For ``features`` and
    ``prototypes`` see :class:`zslcore.features.Preprocessing`. A nonempty ``digest`` must match the
    data. A spec with ``revisions`` records an earlier run; this version may lack its method or
    parameters.
    """

    dataset: str
    split: str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    gamma: float | None = None
    select_for: Literal["gzsl", "zsl"] = "gzsl"
    features: FeatureScaling = "l2"
    prototypes: PrototypeScaling = "l2"
    seed: int = 0
    digest: str = ""
    grid: Mapping[str, tuple[Any, ...]] | None = None
    revisions: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("params", dict(sorted(self.params.items())))
        if self.method not in self.revisions:
            method = get_method(self.method)
            grid = method.param_grid if self.grid is None else self.grid
            put("grid", grid)
            values = {**grid, **{name: (value,) for name, value in self.params.items()}}
            put("revisions", revisions_of(method()) | method.revisions_among(values))
        if self.grid is not None:
            searched = {k: tuple(v) for k, v in sorted(self.grid.items()) if k not in self.params}
            put("grid", searched)
        self._check()

    def _check(self) -> None:
        """Validate the spec; a stored spec may have an unknown method."""
        parameters = _parameters(get_method(self.method)) if self.is_of_this_revision else None
        for name in (*self.params, *(self.grid or ())):
            if parameters is not None and name not in parameters:
                raise closest_name(f"parameter of {self.method}", name, parameters)
        if self.select_for not in ("gzsl", "zsl"):
            raise ParameterError(f"select_for must be 'gzsl' or 'zsl'; got {self.select_for!r}.")
        _ = self.preprocessing  # refuses unknown names

    @classmethod
    def of(cls, dataset: ZSLDataset, split: str, method: str) -> RunSpec:
        """Return the spec of a method on a split, with its parameters chosen on the folds."""
        return cls(dataset=dataset.name, split=split, method=method, digest=dataset.digest)

    @classmethod
    def among_unseen(cls, dataset: ZSLDataset, split: str, method: str) -> RunSpec:
        """Return the spec for accuracies among unseen classes alone, which do not depend on gamma.

        The method has its default parameters.
        """
        defaults, grid = get_method(method)().get_params(), get_method(method).param_grid
        return cls(
            dataset=dataset.name,
            split=split,
            method=method,
            params={name: defaults[name] for name in grid},
            gamma=0.0,
            select_for="zsl",
            digest=dataset.digest,
        )

    @property
    def is_of_this_revision(self) -> bool:
        """Whether the method has the spec's revision in this version."""
        if self.method not in METHODS:
            return self.method not in self.revisions  # get_method refuses an unknown method
        return self.revisions.get(self.method) == METHODS[self.method].revision

    @property
    def preprocessing(self) -> Preprocessing:
        """The scaling of features and prototypes."""
        return Preprocessing(self.features, self.prototypes)

    def setting(self, dataset: ZSLDataset, progress: Progress = silent) -> Setting:
        """Return the spec's split of ``dataset``, with its scaling and seed."""
        split = dataset.split(self.split)
        return Setting(dataset, split, self.preprocessing, self.seed, progress)

    @property
    def estimator(self) -> ZSLEstimator:
        """The unfitted method with the given parameters."""
        return get_method(self.method)(**self.params)

    @property
    def at_current_revision(self) -> RunSpec:
        """The spec at the current revisions of method and protocol."""
        return replace(self, revisions={})

    @property
    def key(self) -> str:
        """SHA-256 of the spec, 16 hex digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the spec as JSON; equal specs give the same text."""
        # Avoid ``asdict``: pages compute many keys, and its deep copy would take most of the time.
        return json.dumps({name: getattr(self, name) for name in _FIELDS}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> RunSpec:
        """Return the spec from the JSON of :meth:`to_json`."""
        return cls(**json.loads(text))

    def command(self) -> str:
        """Return the command line that runs this spec."""
        words = ["zslcore", "run"]
        words += ["--dataset", self.dataset, "--split", self.split]
        words += ["--method", plugins.option_value(self.method)]
        for name, value in self.params.items():
            words += ["--param", f"{name}={value}"]
        if self.gamma is not None:
            words += ["--gamma", str(self.gamma)]
        for name in ("select_for", "features", "prototypes", "seed"):
            value = getattr(self, name)
            if value != type(self).__dataclass_fields__[name].default:
                words += [f"--{name.replace('_', '-')}", str(value)]
        method_grid = METHODS[self.method].param_grid if self.method in METHODS else {}
        for name, values in (self.grid or {}).items():
            if values != tuple(method_grid.get(name, ())):
                words += ["--grid", f"{name}={','.join(map(str, values))}"]
        return shlex.join(words)


_FIELDS = tuple(field.name for field in fields(RunSpec))


@cache
def _parameters(method: type[ZSLEstimator]) -> tuple[str, ...]:
    """Return a method's parameter names, cached: scikit-learn inspects the signature each time."""
    return tuple(method().get_params())


def revisions_of(*methods: ZSLEstimator) -> dict[str, int]:
    """Return the revisions that results of these methods depend on, including the protocol's."""
    revisions = {"protocol": protocol.REVISION}
    for method in methods:
        revisions[method.card.name] = method.revision
        params = method.get_params(deep=False)
        revisions |= method.revisions_among({name: (value,) for name, value in params.items()})
        base = method.inductive() if isinstance(method, TransductiveEstimator) else None
        if base is not None:
            revisions[base.card.name] = base.revision
    return dict(sorted(revisions.items()))
