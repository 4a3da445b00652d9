"""Read-only precomputed results, and the data sets of these results, without features.

``data/results`` has one folder per data set and one JSON per run, named by its key, with
predictions in a Parquet file of the same name; ``python -m tools.shipped`` writes them. The run
store returns a precomputed result if it has no stored result with the same key, which includes the
digest of the data. Results of earlier revisions are not returned.

The features of some of these data sets are not installed. The package has the labels, classes and
folds of the benchmarks (:mod:`zslcore.datasets.facts`), and the predictions have the row numbers of
the test images, so all results that follow from labels and predictions can be shown.
Importing a data set of the same name adds its features.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from zslcore.datasets import Split, ZSLDataset, imports, load
from zslcore.datasets.facts import benchmark_classes, recognise, row_facts
from zslcore.evaluation.predictions import Predictions
from zslcore.exceptions import DatasetError, FileRefusedError, closest_name
from zslcore.methods import METHODS
from zslcore.names import class_key, readable_names
from zslcore.storage import settings
from zslcore.storage.files import FACTS
from zslcore.storage.records import UnreadableError

if TYPE_CHECKING:
    from zslcore.evaluation.runs import RunResult
    from zslcore.evaluation.specs import RunSpec

FOLDER = FACTS / "results"
#: Number of predictions files kept in memory; one of AWA1 takes 3 MB.
MOST_IN_MEMORY = 32


def shipped_result(key: str) -> RunResult | None:
    """Return the precomputed result of the spec with this key; None without a current result."""
    path = _paths(FOLDER, "json").get(key)
    return None if path is None else _read(path)


def shipped_results() -> list[RunResult]:
    """Return the precomputed results of current revisions, newest first."""
    results = (_read(path) for path in _paths(FOLDER, "json").values())
    current = [result for result in results if result is not None]
    return sorted(current, key=lambda result: result.created, reverse=True)


def shipped_predictions(key: str) -> Predictions | None:
    """Return the precomputed predictions of the run with this key; None if none are current."""
    path = _paths(FOLDER, "parquet").get(key)
    return None if path is None else _read_predictions(path)


def has_predictions(key: str) -> bool:
    """Whether the package has a predictions file of the run with this key, without reading it."""
    return key in _paths(FOLDER, "parquet")


def plain_spec(spec: RunSpec) -> RunSpec:
    """Return the spec without parameters that have their default value and are not in the grid.

    Pages state all parameters of a variant, command lines only the changed parameters.
    """
    if spec.method not in METHODS:
        return spec
    method = METHODS[spec.method]
    defaults = method().get_params()
    params = {
        name: value
        for name, value in spec.params.items()
        if name in method.param_grid or defaults.get(name) != value
    }
    return spec if params == spec.params else replace(spec, params=params)


@cache
def _paths(folder: Path, kind: str) -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(folder.glob(f"*/*.{kind}"))}


@cache
def _read(path: Path) -> RunResult | None:
    from zslcore.evaluation.runs import RunResult

    with suppress(UnreadableError):
        result = RunResult.from_json(path.read_text(encoding="utf-8"))
        if (
            result.key == path.stem
            and result.spec.at_current_revision.revisions == result.spec.revisions
        ):
            return result
    return None


@lru_cache(maxsize=MOST_IN_MEMORY)
def _read_predictions(path: Path) -> Predictions | None:
    from zslcore.evaluation.predictions_file import read_packaged
    from zslcore.evaluation.specs import RunSpec

    with suppress(FileRefusedError, ValueError, TypeError):
        predictions = read_packaged(path)
        spec = RunSpec(**dict(predictions.provenance.spec or {}))
        if spec.key == path.stem and spec.at_current_revision.revisions == spec.revisions:
            return predictions
    return None


class ResultsOnly(ZSLDataset):
    """Data set of labels, classes and splits, without readable features and prototypes."""

    @property
    def without_features(self) -> str:
        """Sentence on the missing features and how to import them."""
        return _without_features(self.name)

    def _check(self) -> None:
        super()._check()
        object.__setattr__(self, "prototypes", _Missing(self.name, len(self.class_names)))


class _Missing:
    """Placeholder for a missing array, with its length; reading it raises DatasetError."""

    ndim = 2

    def __init__(self, name: str, n: int) -> None:
        self._name, self._n = name, n

    def __len__(self) -> int:
        return self._n

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        raise DatasetError(_without_features(self._name))

    def __getitem__(self, rows: Any) -> NoReturn:
        self.__getattr__("__array__")


def _without_features(name: str) -> str:
    return (
        f"{name} has only precomputed results, but this step needs its features. Import them "
        f"under the name {name}, with `zslcore import` or on the page Data."
    )


@cache
def precomputed_digests() -> Mapping[str, str]:
    """Return the digest of each real data set with precomputed predictions, by name.

    Imported data sets are included; the digits are left out.
    """
    digests = {
        result.spec.dataset: result.spec.digest
        for result in shipped_results()
        if not result.simulated and has_predictions(result.key)
    }
    return {name: digests[name] for name in sorted(digests) if name != "digits"}


def is_precomputed_only(name: str) -> bool:
    """Whether a data set has precomputed results, but its features are not installed."""
    return settings.SHIPPED() and name in precomputed_digests() and name not in imports.names()


@cache
def load_results_only(name: str) -> ResultsOnly:
    """Return a data set of :func:`precomputed_digests`, else raise UnknownNameError.

    Raises DatasetError if the predictions contradict the facts of the benchmark.
    """
    digests = precomputed_digests()
    if name not in digests:
        raise closest_name("data set", name, digests)
    predictions_by_split: dict[str, Predictions] = {}
    for result in shipped_results():
        split = result.spec.split
        if result.spec.dataset != name or split in predictions_by_split:
            continue
        if (predictions := shipped_predictions(result.key)) is not None:
            predictions_by_split[split] = predictions
    any_result = next(iter(predictions_by_split.values()))
    labels = _labels(any_result)
    return ResultsOnly(
        name=name,
        features=_Missing(name, len(labels)),  # type: ignore[arg-type]
        labels=labels,
        prototypes=np.zeros((len(any_result.class_names), 0), np.float32),
        class_names=readable_names(any_result.class_names),
        splits={
            name: _split(predictions_by_split[name], labels)
            for name in sorted(predictions_by_split)
        },
        source="Precomputed results only; the features are not installed.",
        known_digest=digests[name],
        pretraining=any_result.provenance.pretraining,
    )


@lru_cache(maxsize=2)
def read_once(name: str, stamp: str) -> ZSLDataset:
    """Read a data set once per ``stamp``, which changes if the name is imported again."""
    return load_results_only(name) if is_precomputed_only(name) else load(name)


def cached_dataset(name: str) -> ZSLDataset:
    """Return a data set, cached per process; it lacks features if only results are available."""
    return read_once(name, imports.version_token(name))


def _labels(predictions: Predictions) -> np.ndarray:
    """Return the class of each image of the benchmark, numbered as in the predictions."""
    benchmark = predictions.provenance.benchmark
    column_of = {class_key(name): c for c, name in enumerate(predictions.class_names)}
    names = benchmark_classes(benchmark)
    labels = np.array([column_of[class_key(name)] for name in names])[row_facts(benchmark).labels]
    for part in (predictions.test, *predictions.folds):
        if not np.array_equal(labels[part.rows], part.labels):
            raise DatasetError(
                f"{predictions.provenance.dataset}: the predictions contradict the labels of "
                f"{benchmark}."
            )
    return labels


def _split(predictions: Predictions, labels: np.ndarray) -> Split:
    """Return the split of the predictions, with all other images as training images."""
    test = predictions.test
    of_seen = test.seen[test.y]
    trainval = np.setdiff1d(np.arange(len(labels)), test.rows)
    build = partial(
        Split.from_rows,
        predictions.provenance.split,
        labels,
        trainval=trainval,
        test_seen=test.rows[of_seen],
        test_unseen=test.rows[~of_seen],
        note="Test rows of the predictions; all other images are training images.",
    )
    benchmark = recognise(predictions.class_names, labels)
    return build(folds=[] if benchmark is None else benchmark.folds(labels, build()))
