"""What exactly was run, what came out, and where it is kept.

A :class:`RunSpec` is the unit of everything: hashed for caches, stored in SQLite, printed as a
command line, put in a URL. The same spec run twice gives the same numbers; the app and
``python -m zslcore run`` produce the same :class:`RunResult` for the same spec.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import scipy
from sklearn.base import clone

from zslcore import __version__, protocol
from zslcore.base import ZSLEstimator, with_seed
from zslcore.datasets import ZSLDataset, load
from zslcore.exceptions import DatasetError, ParameterError, ZSLError, closest_name
from zslcore.features import Preprocessing
from zslcore.files import data_folder
from zslcore.methods import get_method
from zslcore.metrics import OperatingPoint

__all__ = [
    "RunResult",
    "RunSpec",
    "RunStore",
    "choose",
    "evaluation_from",
    "execute",
    "execute_with_scores",
    "fit_again",
]

Origin = Literal["validated", "given"]


# --- What is run ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything a result depends on.

    Parameters
    ----------
    dataset, split, method : names
    params : mapping, optional
        Parameters that are given. Those of the method's grid that are not are chosen on the folds.
    gamma : float, optional
        The calibration gamma, where it is given; chosen on the folds otherwise.
    select_for : "gzsl" or "zsl"
        What parameters are chosen for; a split without seen test rows is always chosen for ZSL.
    features, prototypes : preprocessing, see :class:`zslcore.features.Preprocessing`
    seed : int
    digest : str
        Content digest of the data, filled in by :func:`execute`; one that is given has to match.
    version : str
        Of this package.
    """

    dataset: str
    split: str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    gamma: float | None = None
    select_for: Literal["gzsl", "zsl"] = "gzsl"
    features: str = "l2"
    prototypes: str = "l2"
    seed: int = 0
    digest: str = ""
    version: str = __version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", dict(sorted(self.params.items())))
        known = get_method(self.method)().get_params()
        for name in self.params:
            if name not in known:
                raise closest_name(f"parameter of {self.method}", name, known)
        if self.select_for not in ("gzsl", "zsl"):
            raise ParameterError(f"select_for must be 'gzsl' or 'zsl'; got {self.select_for!r}.")
        _ = self.preprocessing  # refuses unknown names

    @classmethod
    def among_unseen(
        cls, dataset: ZSLDataset, split: str, method: str, *, validated: bool = False
    ) -> RunSpec:
        """Return the run for accuracies among unseen classes alone, where gamma plays no part.

        Parameters
        ----------
        dataset : ZSLDataset
        split, method : names
        validated : bool, default=False
            Choose the parameters of the method's grid on the folds; its defaults otherwise.
        """
        params: dict[str, Any] = {}
        if not validated:
            defaults, grid = get_method(method)().get_params(), get_method(method).param_grid
            params = {name: defaults[name] for name in grid}
        return cls(
            dataset=dataset.name,
            split=split,
            method=method,
            params=params,
            gamma=0.0,
            select_for="zsl",
            digest=dataset.digest,
        )

    @property
    def preprocessing(self) -> Preprocessing:
        """The scaling of features and prototypes."""
        return Preprocessing(self.features, self.prototypes)

    @property
    def estimator(self) -> ZSLEstimator:
        """The unfitted method with the given parameters."""
        return get_method(self.method)(**self.params)

    @property
    def grid(self) -> dict[str, tuple]:
        """The part of the method's grid that is not given, still to be chosen."""
        grid = get_method(self.method).param_grid
        return {name: values for name, values in grid.items() if name not in self.params}

    @property
    def key(self) -> str:
        """SHA-256 of the spec, 16 hex digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the spec as JSON, the same text for the same spec."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote."""
        return cls(**json.loads(text))

    def command(self) -> str:
        """Return the command line that runs this spec."""
        words = ["python", "-m", "zslcore", "run"]
        words += ["--dataset", self.dataset, "--split", self.split, "--method", self.method]
        for name, value in self.params.items():
            words += ["--param", f"{name}={value}"]
        if self.gamma is not None:
            words += ["--gamma", str(self.gamma)]
        for name in ("select_for", "features", "prototypes", "seed"):
            value = getattr(self, name)
            if value != type(self).__dataclass_fields__[name].default:
                words += [f"--{name.replace('_', '-')}", str(value)]
        return shlex.join(words)


# --- What came out --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunResult:
    """The figures of one run, and where every one of them comes from.

    Attributes
    ----------
    spec : RunSpec, with the digest of the data
    params, params_origin : the parameters used, "validated" (chosen on folds) or "given"
    gamma, gamma_origin : the calibration gamma used, None where nothing could choose it
    evaluation : the figures of the test set
    oracle : what choosing on the test set would have reached, or None when not computed
    class_names : names of the classes in ``evaluation``, by class
    simulated : True when no camera was involved
    source : where the data come from
    seconds : wall time
    created : ISO 8601, UTC
    environment : versions that numbers can depend on
    """

    spec: RunSpec
    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    evaluation: protocol.Evaluation
    oracle: protocol.Oracle | None
    class_names: dict[int, str]
    simulated: bool
    source: str
    seconds: float
    created: str
    environment: dict[str, str]

    @property
    def oracle_gap(self) -> dict[str, float]:
        """What choosing on the test set would have gained, in "zsl" and "harmonic"."""
        if self.oracle is None:
            return {}
        gap = {"zsl": self.oracle.zsl - self.evaluation.zsl}
        if self.oracle.harmonic is not None and self.evaluation.calibrated is not None:
            gap["harmonic"] = self.oracle.harmonic - self.evaluation.calibrated.harmonic
        return gap

    def row(self) -> dict[str, Any]:
        """Return one tidy row: the spec, the figures and their origin."""
        e, plain, calibrated = self.evaluation, self.evaluation.plain, self.evaluation.calibrated
        row = {"key": self.spec.key, "dataset": self.spec.dataset, "simulated": self.simulated}
        row |= {name: getattr(self.spec, name) for name in ("split", "method", "select_for")}
        row |= {"params": json.dumps(self.params), "params_origin": self.params_origin}
        row |= {"gamma": self.gamma, "gamma_origin": self.gamma_origin, "zsl": e.zsl}
        for name, point in (("plain", plain), ("calibrated", calibrated)):
            for figure in ("unseen", "seen", "harmonic"):
                row[f"{name}_{figure}"] = getattr(point, figure, None)
        row["ausuc"] = e.ausuc
        row |= {f"oracle_gap_{name}": gap for name, gap in self.oracle_gap.items()}
        row |= {name: getattr(self.spec, name) for name in ("features", "prototypes", "seed")}
        return row | {"seconds": self.seconds, "created": self.created, "digest": self.spec.digest}

    def to_json(self) -> str:
        """Return the result as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote."""
        values = json.loads(text)
        values["spec"] = RunSpec(**values["spec"])
        values["evaluation"] = evaluation_from(values["evaluation"])
        if values["oracle"]:
            values["oracle"] = protocol.Oracle(**values["oracle"])
        values["class_names"] = _int_keys(values["class_names"])
        return cls(**values)


def evaluation_from(values: dict[str, Any]) -> protocol.Evaluation:
    """Rebuild an evaluation from JSON, which knows neither points nor whole-number keys."""
    for name, value in values.items():
        if isinstance(value, dict):
            point = set(value) == {"gamma", "seen", "unseen"}
            values[name] = OperatingPoint(**value) if point else _int_keys(value)
    return protocol.Evaluation(**values)


def _int_keys(values: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in values.items()}


def execute(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    with_oracle: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> RunResult:
    """Run a spec: choose what is not given, fit on trainval, look at the test set once.

    Parameters
    ----------
    spec : RunSpec
    dataset : ZSLDataset, optional
        The data of that name, where it is open already.
    with_oracle : bool, default=True
        Also sweep the grid on the test set, for the oracle gap; costs as much as a fold.
    on_progress : callable(done, total), optional
        Called after every fit-and-score of the selection.
    on_epoch : callable(epoch, loss), optional
        Called after every epoch of every training, by methods that have epochs. Whatever either of
        the two raises ends the run.

    Raises
    ------
    ZSLError
        For unknown names, a split without folds where something is to be chosen, or a digest that
        is not the data's.
    """
    return execute_with_scores(
        spec, dataset, with_oracle=with_oracle, on_progress=on_progress, on_epoch=on_epoch
    )[0]


def execute_with_scores(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    with_oracle: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> tuple[RunResult, protocol.ScoredTest]:
    """Run a spec as :func:`execute` does, and return the scores it has read its figures off."""
    start = time.perf_counter()
    spec, dataset = _with_data(spec, dataset)
    split = dataset.split(spec.split)
    method = with_seed(spec.estimator, spec.seed)
    method.on_epoch = on_epoch
    params, gamma, origins = choose(spec, method, dataset, split, on_progress)
    model = clone(method).set_params(**params)
    shared = {"preprocessing": spec.preprocessing, "seed": spec.seed}
    scores = protocol.fit_and_score(model, dataset, split, **shared)
    peek = None
    if with_oracle:
        peek = protocol.oracle(method, dataset, split, grid=spec.grid, **shared)
    result = RunResult(
        spec=spec,
        params=params,
        params_origin=origins[0],
        gamma=gamma,
        gamma_origin=origins[1],
        evaluation=protocol.evaluate(scores, 0.0 if gamma is None else gamma),
        oracle=peek,
        class_names={int(c): dataset.class_names[c] for c in scores.classes},
        simulated=dataset.simulated,
        source=dataset.source,
        seconds=time.perf_counter() - start,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        environment=_environment(),
    )
    return result, scores


def fit_again(
    result: RunResult,
    dataset: ZSLDataset | None = None,
    *,
    on_epoch: Callable[[int, float], None] | None = None,
) -> tuple[RunResult, protocol.ScoredTest]:
    """Return a known result with its scores: fitted with what it chose, nothing chosen again.

    Its figures are read off these very scores, so that the two agree to the last digit.
    """
    spec, dataset = _with_data(result.spec, dataset)
    model = replace(spec, params=result.params).estimator
    model.on_epoch = on_epoch
    scores = protocol.fit_and_score(
        model,
        dataset,
        dataset.split(spec.split),
        preprocessing=spec.preprocessing,
        seed=spec.seed,
    )
    gamma = 0.0 if result.gamma is None else result.gamma
    return replace(result, evaluation=protocol.evaluate(scores, gamma)), scores


def _with_data(spec: RunSpec, dataset: ZSLDataset | None) -> tuple[RunSpec, ZSLDataset]:
    """Return the spec with its data's digest, and the data; other data are refused."""
    dataset = load(spec.dataset) if dataset is None else dataset
    if spec.digest not in ("", dataset.digest):
        raise DatasetError(
            f"{spec.dataset}: the run was made on data {spec.digest}, these are {dataset.digest}."
        )
    return replace(spec, digest=dataset.digest), dataset


def choose(spec: RunSpec, method: ZSLEstimator, dataset, split, on_progress=None):
    """Return (params, gamma, their origins); only what is not given is chosen, on the folds."""
    given = method.get_params()
    generalized = bool(len(split.test_seen))
    wants_gamma = generalized and bool(split.folds) and spec.gamma is None
    if not spec.grid and not wants_gamma:
        return given, spec.gamma, ("given", None if spec.gamma is None else "given")
    chosen = protocol.select(
        method,
        dataset,
        split,
        task=spec.select_for if spec.grid and generalized else "gzsl" if wants_gamma else "zsl",
        grid=spec.grid,
        preprocessing=spec.preprocessing,
        seed=spec.seed,
        on_progress=on_progress,
    )
    gamma, gamma_origin = spec.gamma, None if spec.gamma is None else "given"
    if wants_gamma:
        gamma, gamma_origin = chosen.gamma, "validated"
    return given | chosen.params, gamma, ("validated" if spec.grid else "given", gamma_origin)


def _environment() -> dict[str, str]:
    return {
        "zslcore": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": version("torch"),  # asked of the installation: importing it takes seconds
        "machine": platform.machine(),
    }


# --- Where it is kept -----------------------------------------------------------------------------


class RunStore:
    """Results in one SQLite file, one row a spec; a spec run again replaces its row.

    Parameters
    ----------
    path : path, optional
        ``runs.sqlite`` in the data folder by default; made when the first result is put.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path else data_folder() / "runs.sqlite"

    def put(self, result: RunResult) -> None:
        """Keep a result."""
        with closing(self._connect()) as db, db:
            db.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?)",
                (result.spec.key, result.created, result.to_json()),
            )

    def get(self, key: str) -> RunResult | None:
        """Return the result of the spec with this key, or None."""
        with closing(self._connect()) as db:
            row = db.execute("SELECT result FROM runs WHERE key = ?", (key,)).fetchone()
        return RunResult.from_json(row[0]) if row else None

    def run(
        self,
        spec: RunSpec,
        dataset: ZSLDataset | None = None,
        *,
        with_oracle: bool = True,
        on_progress: Callable[[int, int], None] | None = None,
        on_epoch: Callable[[int, float], None] | None = None,
    ) -> tuple[RunResult, protocol.ScoredTest]:
        """Run a spec and keep its result; one that is kept already chooses nothing again.

        Parameters are those of :func:`execute`. A result without the oracle that is asked for does
        not count.
        """
        spec, dataset = _with_data(spec, dataset)
        known = self.get(spec.key)
        if known is not None and (known.oracle is not None or not with_oracle):
            return fit_again(known, dataset, on_epoch=on_epoch)
        result, scores = execute_with_scores(
            spec, dataset, with_oracle=with_oracle, on_progress=on_progress, on_epoch=on_epoch
        )
        self.put(result)
        return result, scores

    def results(self) -> list[RunResult]:
        """Return every result, newest first."""
        with closing(self._connect()) as db:
            rows = db.execute("SELECT result FROM runs ORDER BY created DESC, rowid DESC")
            return [RunResult.from_json(text) for (text,) in rows]

    def runs_on(self, dataset: ZSLDataset, split: str) -> list[RunResult]:
        """Return the results on one split of these very data, oldest first."""
        return [
            result
            for result in reversed(self.results())
            if (result.spec.digest, result.spec.split) == (dataset.digest, split)
        ]

    def table(self) -> pd.DataFrame:
        """Return one row per result, newest first; the columns of :meth:`RunResult.row`."""
        return pd.DataFrame([result.row() for result in self.results()])

    def delete(self, key: str) -> None:
        """Forget the result of the spec with this key."""
        with closing(self._connect()) as db, db:
            db.execute("DELETE FROM runs WHERE key = ?", (key,))

    def _connect(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=10)
            db.execute(
                "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, created TEXT, result TEXT)"
            )
        except (sqlite3.Error, OSError) as error:
            raise ZSLError(f"{self.path}: expected a run store, got: {error}.") from error
        return db
