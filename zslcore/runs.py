"""What exactly was run, what came out, and where it is kept.

A :class:`RunSpec` is the unit of everything: hashed for caches, stored in SQLite, printed as a
command line, put in a URL. The same spec run twice gives the same numbers; the app and
``python -m zslcore run`` produce the same :class:`RunResult` for the same spec. What could change
them, the grid that is searched and the revisions of method and protocol, is part of it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
from sklearn.base import clone

from zslcore import protocol, version
from zslcore.base import TransductiveEstimator, ZSLEstimator, with_seed
from zslcore.datasets import Split, ZSLDataset, load
from zslcore.exceptions import (
    ParameterError,
    UnknownNameError,
    ZSLError,
    closest_name,
)
from zslcore.features import FeatureScaling, Preprocessing, PrototypeScaling
from zslcore.files import data_folder
from zslcore.methods import METHODS, get_method
from zslcore.metrics import SeenUnseenCurve
from zslcore.records import Schema, UnreadableError
from zslcore.run_file import Row, prepare, rows_of, seal
from zslcore.version import release

__all__ = [
    "Choice",
    "Execution",
    "ImportMark",
    "KeptRun",
    "Origin",
    "RunResult",
    "RunSpec",
    "RunStore",
    "choose",
    "execute",
    "execute_in_full",
    "execute_with_scores",
    "fit_again",
    "fold_curves",
    "revisions_of",
    "spec_from_0_1_0",
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
        Parameters that are given. Those of the grid that are not are chosen on the folds.
    gamma : float, optional
        The calibration gamma, where it is given; chosen on the folds otherwise.
    select_for : "gzsl" or "zsl"
        What parameters are chosen for; a split without seen test rows is always chosen for ZSL.
    features, prototypes : preprocessing, see :class:`zslcore.features.Preprocessing`
    seed : int
    digest : str
        Content digest of the data, filled in by :func:`execute`; one that is given has to match.
    grid : mapping, optional
        What is searched, parameter -> values; the method's own grid by default. Parameters that are
        given are left out of it. None in results of version 0.1.0, which did not say.
    revisions : mapping
        Of the method and the protocol, filled in; 0 in results of version 0.1.0. A spec that comes
        with them is a record, whose method or parameters this version may not have.
    release : str
        Of this package, filled in.
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
    release: str = ""

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("params", dict(sorted(self.params.items())))
        if self.method not in self.revisions:
            put("revisions", revisions_of(get_method(self.method)()))
            put("grid", get_method(self.method).param_grid if self.grid is None else self.grid)
        if self.grid is not None:
            searched = {k: tuple(v) for k, v in sorted(self.grid.items()) if k not in self.params}
            put("grid", searched)
        put("release", self.release or release())
        self._check()

    def _check(self) -> None:
        """Refuse what cannot be run, and of a record only what cannot be shown."""
        known = _parameters(get_method(self.method)) if self.is_of_this_revision else None
        for name in (*self.params, *(self.grid or ())):
            if known is not None and name not in known:
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
    def is_of_this_revision(self) -> bool:
        """Whether this version has the method, in the revision that the spec names."""
        if self.method not in METHODS:
            return self.method not in self.revisions  # no record: the name is refused
        return self.revisions.get(self.method) == METHODS[self.method].revision

    @property
    def preprocessing(self) -> Preprocessing:
        """The scaling of features and prototypes."""
        return Preprocessing(self.features, self.prototypes)

    @property
    def estimator(self) -> ZSLEstimator:
        """The unfitted method with the given parameters."""
        return get_method(self.method)(**self.params)

    @property
    def present(self) -> RunSpec:
        """The same question, as this version of method and protocol would answer it."""
        return replace(self, revisions={}, release="")

    @property
    def key(self) -> str:
        """SHA-256 of the spec, 16 hex digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the spec as JSON, the same text for the same spec."""
        # Field by field: pages ask for many keys, and a deep copy would take most of the time.
        return json.dumps({name: getattr(self, name) for name in _FIELDS}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> RunSpec:
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
        own = METHODS[self.method].param_grid if self.method in METHODS else {}
        for name, values in (self.grid or {}).items():
            if values != tuple(own.get(name, ())):
                words += ["--grid", f"{name}={','.join(map(str, values))}"]
        return shlex.join(words)


_FIELDS = tuple(each.name for each in fields(RunSpec))


@cache
def _parameters(method: type[ZSLEstimator]) -> tuple[str, ...]:
    """Return the names of a method's parameters, which scikit-learn reads off its signature."""
    return tuple(method().get_params())


def revisions_of(*methods: ZSLEstimator) -> dict[str, int]:
    """Return the revisions that numbers of these methods depend on, the protocol's among them."""
    found = {"protocol": protocol.REVISION}
    for method in methods:
        found[method.card.name] = method.revision
        base = method.inductive() if isinstance(method, TransductiveEstimator) else None
        if base is not None:
            found[base.card.name] = base.revision
    return dict(sorted(found.items()))


# --- What came out --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunResult:
    """The figures of one run, and where every one of them comes from.

    Attributes
    ----------
    key : what the result is kept under, ``spec.key`` of the version that made it
    spec : RunSpec, with the digest of the data
    params, params_origin : the parameters used, "validated" (chosen on folds) or "given"
    gamma, gamma_origin : the calibration gamma used, None where nothing could choose it
    fold_choices : what every fold alone would have chosen; empty where parameters were given, and
        in results of versions before 0.2
    evaluation : the figures of the test set
    oracle : what choosing on the test set would have reached, or None when not computed
    class_names : names of the classes in ``evaluation``, by class
    simulated : True when no camera was involved
    source : where the data come from
    seconds : wall time
    created : ISO 8601, UTC
    version, commit : of the package that made it
    environment : versions of what else numbers can depend on, and the digest of the package's own
        files that make them, see :func:`zslcore.version.sources`
    rule : how the folds' scores chose, "best" or "one standard error", see
        :func:`zslcore.protocol.select`; None where they chose no parameters, or nobody noted it
    """

    key: str
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
    version: str
    commit: str
    environment: dict[str, str]
    fold_choices: tuple[protocol.FoldChoice, ...] = ()
    rule: protocol.Rule | None = None

    @property
    def oracle_gap(self) -> dict[str, float]:
        """What choosing on the test set would have gained.

        In "zsl" and "harmonic" by parameters, the latter with gamma. Parameters that were given
        were compared with no others: then gamma alone, in "gamma", has a gap of H.
        """
        if self.oracle is None:
            return {}
        searched = self.params_origin != "given"
        gap = {"zsl": self.oracle.zsl - self.evaluation.zsl} if searched else {}
        if self.oracle.harmonic is not None and self.evaluation.calibrated is not None:
            more = self.oracle.harmonic - self.evaluation.calibrated.harmonic
            gap["harmonic" if searched else "gamma"] = more
        return gap

    def row(self) -> dict[str, Any]:
        """Return one tidy row: the spec, the figures and their origin."""
        e, plain, calibrated = self.evaluation, self.evaluation.plain, self.evaluation.calibrated
        row = {"key": self.key, "dataset": self.spec.dataset, "simulated": self.simulated}
        row |= {name: getattr(self.spec, name) for name in ("split", "method", "select_for")}
        row |= {"params": json.dumps(self.params), "params_origin": self.params_origin}
        row |= {
            "rule": self.rule,
            "gamma": self.gamma,
            "gamma_origin": self.gamma_origin,
            "zsl": e.zsl,
        }
        for name, point in (("plain", plain), ("calibrated", calibrated)):
            for figure in ("unseen", "seen", "harmonic"):
                row[f"{name}_{figure}"] = getattr(point, figure, None)
        row["ausuc"] = e.ausuc
        row |= {f"oracle_gap_{name}": gap for name, gap in self.oracle_gap.items()}
        row |= {name: getattr(self.spec, name) for name in ("features", "prototypes", "seed")}
        row |= {"seconds": self.seconds, "created": self.created, "digest": self.spec.digest}
        row |= {"version": self.version, "commit": self.commit}
        revisions = json.dumps(self.spec.revisions) if self.spec.revisions else ""
        return row | {"revisions": revisions, "sources": self.environment.get("sources", "")}

    def to_json(self) -> str:
        """Return the result as JSON, under the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> RunResult:
        """Read what :meth:`to_json` wrote, in this version or an earlier one.

        Raises
        ------
        UnreadableError
            When the text is none of these.
        """
        return SCHEMA.load(text)


def spec_from_0_1_0(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a spec of version 0.1.0, which told neither grid nor revisions."""
    old = dict(values)
    return old | {
        "release": old.pop("version"),
        "revisions": {"protocol": 0, old["method"]: 0},
        "grid": None,
    }


def _from_0_1_0(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a result that version 0.1.0 kept; its key was that of its spec."""
    key = hashlib.sha256(json.dumps(values["spec"], sort_keys=True).encode()).hexdigest()[:16]
    return values | {
        "key": key,
        "spec": spec_from_0_1_0(values["spec"]),
        "version": values["environment"]["zslcore"],
        "commit": "",
    }


SCHEMA = Schema(RunResult, version=2, migrations={1: _from_0_1_0})


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
    done = execute_in_full(
        spec, dataset, with_oracle=with_oracle, on_progress=on_progress, on_epoch=on_epoch
    )
    return done.result, done.scores


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """What a run leaves.

    Attributes
    ----------
    result : RunResult
    scores : ScoredTest that its figures were read off
    validation : answers on the folds that chose gamma; empty where nothing chose it
    dataset : the data
    """

    result: RunResult
    scores: protocol.ScoredTest
    validation: tuple[protocol.FoldAnswers, ...]
    dataset: ZSLDataset


def execute_in_full(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    with_oracle: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Execution:
    """Run a spec as :func:`execute` does, and return all that it leaves."""
    start = time.perf_counter()
    spec, dataset = _with_data(spec, dataset)
    split = dataset.split(spec.split)
    method = with_seed(spec.estimator, spec.seed)
    method.on_epoch = on_epoch
    chosen = choose(spec, method, dataset, split, on_progress)
    model = clone(method).set_params(**chosen.params)
    preprocessing, seed = spec.preprocessing, spec.seed
    scores = protocol.fit_and_score(model, dataset, split, preprocessing=preprocessing, seed=seed)
    peek = None
    if with_oracle:
        peek = protocol.oracle(
            method, dataset, split, grid=spec.grid, preprocessing=preprocessing, seed=seed
        )
    result = RunResult(
        key=spec.key,
        spec=spec,
        params=chosen.params,
        params_origin=chosen.params_origin,
        gamma=chosen.gamma,
        gamma_origin=chosen.gamma_origin,
        evaluation=protocol.evaluate(scores, 0.0 if chosen.gamma is None else chosen.gamma),
        oracle=peek,
        class_names={int(c): dataset.class_names[c] for c in scores.classes},
        simulated=dataset.simulated,
        source=dataset.source,
        seconds=time.perf_counter() - start,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version.version(),
        commit=version.commit(),
        environment=_environment(),
        fold_choices=chosen.fold_choices,
        rule=chosen.rule,
    )
    return Execution(result, scores, chosen.validation, dataset)


def fit_again(
    result: RunResult,
    dataset: ZSLDataset | None = None,
    *,
    on_epoch: Callable[[int, float], None] | None = None,
) -> tuple[RunResult, protocol.ScoredTest]:
    """Return a known result with its scores: fitted with what it chose, nothing chosen again.

    Its figures are read off these very scores, so that the two agree to the last digit.

    Raises
    ------
    ParameterError
        When method or protocol give other numbers since.
    """
    spec, dataset = _with_data(result.spec, dataset)
    if spec.revisions != result.spec.revisions:
        raise ParameterError(
            f"{spec.method}: the result was made by revision {result.spec.revisions}, this is "
            f"{spec.revisions}; run it again."
        )
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


def fold_curves(
    result: RunResult, dataset: ZSLDataset | None = None
) -> tuple[SeenUnseenCurve, ...]:
    """Return the seen-unseen curve of every validation fold, with a result's own parameters.

    They are the curves on which its gamma was chosen, if the folds chose it.

    Raises
    ------
    DatasetError
        When the split has no folds.
    """
    spec, dataset = _with_data(result.spec, dataset)
    chosen = protocol.select(
        with_seed(replace(spec, params=result.params).estimator, spec.seed),
        dataset,
        dataset.split(spec.split),
        grid={},
        preprocessing=spec.preprocessing,
        seed=spec.seed,
    )
    return chosen.curves[0]


def _with_data(spec: RunSpec, dataset: ZSLDataset | None) -> tuple[RunSpec, ZSLDataset]:
    """Return the spec as it would be run now, with its data's digest, and the data.

    Other data are refused.
    """
    dataset = (load(spec.dataset) if dataset is None else dataset).required(spec.digest)
    return replace(spec.present, digest=dataset.digest), dataset


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run uses, and where it comes from.

    Attributes
    ----------
    params, params_origin : every parameter of the method; "validated" when the folds chose any
    gamma, gamma_origin : the calibration gamma, None where nothing could choose it
    fold_choices : what every fold alone would have chosen, where the folds chose parameters
    rule : how the folds' scores chose the parameters, None where they chose none
    validation : answers on the folds that chose gamma; empty where nothing chose it
    """

    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    fold_choices: tuple[protocol.FoldChoice, ...] = ()
    rule: protocol.Rule | None = None
    validation: tuple[protocol.FoldAnswers, ...] = ()


def choose(
    spec: RunSpec,
    method: ZSLEstimator,
    dataset: ZSLDataset,
    split: Split,
    on_progress: protocol.Progress | None = None,
) -> Choice:
    """Choose what is not given, and nothing else, on the folds."""
    params = method.get_params()
    generalized = bool(len(split.test_seen))
    wants_gamma = generalized and bool(split.folds) and spec.gamma is None
    given = Choice(params, "given", spec.gamma, None if spec.gamma is None else "given")
    if not spec.grid and not wants_gamma:
        return given
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
    params = params | chosen.params
    choice = replace(given, params=params)
    if spec.grid:
        choice = replace(
            choice,
            params_origin="validated",
            rule=chosen.rule,
            fold_choices=chosen.of_folds,
        )
    if wants_gamma:
        choice = replace(
            choice,
            gamma=chosen.gamma,
            gamma_origin="validated",
            validation=chosen.validation,
        )
    return choice


def _environment() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": installed("torch"),  # asked of the installation: importing it takes seconds
        "machine": platform.machine(),
        "sources": version.sources(),
    }


# --- Where it is kept -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImportMark:
    """Where a result comes from that was not computed here.

    Attributes
    ----------
    who : whose result it is, as whoever imported it says
    file : name of the file it was read from
    when : of the import, ISO 8601, UTC
    """

    who: str
    file: str
    when: str


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A result in the store, and whether it was computed here.

    Attributes
    ----------
    result : RunResult
    imported : ImportMark, None for a result of our own
    """

    result: RunResult
    imported: ImportMark | None = None

    @property
    def id(self) -> str:
        """What the store knows it by: its key, and whose it is where it is not our own."""
        return self.result.key + (f"@{self.imported.who}" if self.imported else "")

    @property
    def origin(self) -> str:
        """Where it comes from: "here", or who, which file and which day."""
        mark = self.imported
        return f"{mark.who}, {mark.file}, imported {mark.when[:10]}" if mark else "here"

    def row(self) -> dict[str, Any]:
        """Return one tidy row: its id and origin, then :meth:`RunResult.row`."""
        return {"id": self.id, "origin": self.origin} | self.result.row()

    def to_json(self) -> str:
        """Return the result as :meth:`RunResult.to_json` does, with the mark of its import."""
        mark = {"imported": asdict(self.imported)} if self.imported else {}
        return json.dumps(json.loads(self.result.to_json()) | mark)


class RunStore:
    """Results in one SQLite file, one row a spec; a spec run again replaces its row.

    Results of other people lie in a table of their own: they are listed and compared with ours, and
    never answer for them, whatever their key. Every change is one transaction that waits for
    others, so that writers side by side lose nothing. There is no log beside the file, as SQLite's
    WAL would have it: it may be copied, and may lie on a network drive. Rows that this version
    cannot read, or that have changed on the disk (:mod:`zslcore.run_file`), are passed over, and
    counted by :meth:`unreadable`.

    Parameters
    ----------
    path : path, optional
        ``runs.sqlite`` in the data folder by default; made when the first result is put.

    Attributes
    ----------
    unkept : why a result of :meth:`run` is not kept, in one sentence; empty when it is
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path else data_folder() / "runs.sqlite"
        self.unkept = ""

    # --- Our own results ---

    def put(self, result: RunResult) -> None:
        """Keep a result; an oracle that is known of the same figures stays."""
        with self.writing() as db:
            rows = _texts(rows_of(db, "runs", result.key))
            for known in _readable(rows if result.oracle is None else []):
                if known.evaluation == result.evaluation:
                    result = replace(result, oracle=known.oracle)
            values = (result.key, result.created, result.to_json())
            db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", values)

    def get(self, key: str) -> RunResult | None:
        """Return our result of the spec with this key; None without one that can be read."""
        return next(iter(_readable(self._select("runs", key))), None)

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
        known = self.recall(spec.key)
        if known is not None and (known.oracle is not None or not with_oracle):
            return fit_again(known, dataset, on_epoch=on_epoch)
        result, scores = execute_with_scores(
            spec, dataset, with_oracle=with_oracle, on_progress=on_progress, on_epoch=on_epoch
        )
        self.keep(result)
        return result, scores

    def recall(self, key: str) -> RunResult | None:
        """Return what :meth:`get` does; None where the store cannot be read, see ``unkept``."""
        try:
            return self.get(key)
        except ZSLError as error:
            self.unkept = str(error)
            return None

    def keep(self, result: RunResult) -> None:
        """Keep a result where that is possible; why it is not, ``unkept`` says.

        Figures that were computed are never lost to a disk that is full.
        """
        try:
            self.put(result)
        except ZSLError as error:
            self.unkept = str(error)

    def results(self) -> list[RunResult]:
        """Return every result of our own that can be read, newest first."""
        return list(_readable(self._select("runs")))

    def runs_on(self, dataset: ZSLDataset, split: str) -> list[RunResult]:
        """Return our results on one split of these very data, oldest first."""
        return [
            result
            for result in reversed(self.results())
            if (result.spec.digest, result.spec.split) == (dataset.digest, split)
        ]

    # --- Ours and those of other people ---

    def add(self, others: Iterable[KeptRun]) -> None:
        """Keep results of other people, all or none; an earlier one of the same id goes.

        See :func:`zslcore.foreign_runs.import_runs`, which reads and checks them.
        """
        rows = [
            (one.id, *asdict(one.imported).values(), one.result.created, one.result.to_json())
            for one in others
            if one.imported
        ]
        with self.writing() as db:
            db.executemany("INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?, ?, ?)", rows)

    def kept(self) -> list[KeptRun]:
        """Return every result that can be read, ours and those of other people, newest first."""
        found = []
        for row in sorted(self._all(), key=lambda row: str(row[-1]), reverse=True):
            imported = ImportMark(*map(str, row[1:-1])) if len(row) > 2 else None
            found += [KeptRun(result, imported) for result in _readable([row])]
        return found

    def find(self, name: str) -> KeptRun:
        """Return the result with this id, or the only one whose id begins so.

        Raises
        ------
        UnknownNameError
            When there is none, or more than one.
        """
        kept = {one.id: one for one in self.kept()}
        begin = [id_ for id_ in kept if id_.startswith(name)] if name else []
        if name in kept:
            return kept[name]
        if len(begin) == 1:
            return kept[begin[0]]
        if begin:
            raise UnknownNameError(
                f"{len(begin)} runs begin with {name!r}: {', '.join(begin[:4])} ..."
            )
        raise UnknownNameError(f"No run is kept under {name!r}; `zslcore runs` lists them.")

    def unreadable(self, kept: Sequence[KeptRun] | None = None) -> str:
        """Say in one sentence how many results cannot be read; empty when all can.

        ``kept`` are those that can, where they have been read already.
        """
        rows = self._all()
        changed = sum(row[0] is CHANGED for row in rows)
        n = len(rows) - len(self.kept() if kept is None else kept) - changed
        what = "1 result was" if n == 1 else f"{n} results were"
        said = [f"{what} kept by another version or program and cannot be read."] if n > 0 else []
        if changed:
            what = "1 result has" if changed == 1 else f"{changed} results have"
            said.append(f"{what} changed on the disk; `zslcore doctor --mend` sets the file aside.")
        return " ".join(said)

    def table(self) -> pd.DataFrame:
        """Return one row per result, newest first; the columns of :meth:`KeptRun.row`."""
        return pd.DataFrame([one.row() for one in self.kept()])

    def delete(self, id_: str) -> None:
        """Forget the result with this id."""
        with self.writing() as db:
            db.execute("DELETE FROM runs WHERE key = ?", (id_,))
            db.execute("DELETE FROM imported WHERE id = ?", (id_,))

    # --- The file ---

    def _all(self) -> list[tuple[Any, ...]]:
        return self._select("runs") + self._select("imported")

    def _select(self, table: str, key: str | None = None) -> list[tuple[Any, ...]]:
        """Return rows as :func:`_texts` has them: none without the file. Writes nothing."""
        if not self.path.exists():
            return []
        with self._open("rw") as db:  # what a writer that was killed has left is undone first
            db.execute("BEGIN")
            return _texts(rows_of(db, table, key))

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one change, made where it is missing; others wait until it is done.

        Raises
        ------
        ZSLError
            When nothing can be written there: the disk is full, read-only, or another one writes.
        """
        with ExitStack() as stack:
            db = self._begun(stack)
            prepare(db)
            yield db
            try:
                seal(db)
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:  # locked, full or read-only
                    raise  # else another row is damaged: this one is kept, without a checksum
            db.execute("COMMIT")

    def _begun(self, stack: ExitStack) -> sqlite3.Connection:
        """Begin a change of the file that has the name, which a repair may just have replaced."""
        for _ in range(TRIES):
            before = self._inode()
            with ExitStack() as attempt:
                db = attempt.enter_context(self._open("rwc"))
                db.execute("BEGIN IMMEDIATE")
                if before == self._inode():
                    stack.push(attempt.pop_all())
                    return db
        raise ZSLError(f"{self.path}: expected a run store, got: another file each time.")

    def _inode(self) -> int | None:
        """Return what tells the file from another of its name; None without one."""
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    @contextmanager
    def _open(self, mode: Literal["rw", "rwc"]) -> Iterator[sqlite3.Connection]:
        """Open the file; whatever is wrong with it is one sentence."""
        try:
            if mode == "rwc":
                self.path.parent.mkdir(parents=True, exist_ok=True)
            address = f"{self.path.absolute().as_uri()}?mode={mode}"
            opened = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
            with closing(opened) as db:
                db.text_factory = lambda text: text.decode(errors="replace")
                yield db
        except (sqlite3.Error, OSError) as error:
            damaged = type(error) is sqlite3.DatabaseError  # not locked, full or read-only
            advice = "; `zslcore doctor --mend` sets it aside" if damaged else ""
            raise ZSLError(f"{self.path}: expected a run store, got: {error}{advice}.") from error


#: Seconds that a writer waits for another one, which takes milliseconds.
PATIENCE = 30.0
#: Times that a change begins again because a repair has replaced the file.
TRIES = 10
#: Stands for the text of a result that has changed on the disk.
CHANGED = "changed on the disk"


def _texts(rows: Iterable[tuple[Row, bool]]) -> list[Row]:
    """Return each row with the text of its result first, then its mark and when it was made."""
    return [(row[-1] if whole else CHANGED, *row[1:-1]) for row, whole in rows]


def _readable(rows: Iterable[Row]) -> Iterator[RunResult]:
    """Yield the results that this version can read."""
    for text, *_ in rows:
        with suppress(UnreadableError):
            yield RunResult.from_json(text)
