"""Predictions files: a valid one, and ones with wrong bytes, columns or attributes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tests.hostile.making import spoiled
from tests.hostile.results import VALUES
from tests.hostile.scores import CHANGES, CLASSES, LABELS, SCORES, UNSEEN
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.predictions_file import write_predictions
from zslcore.scores import judge
from zslcore.scores.predicted import read_predicted


def honest_predictions(folder: Path) -> Path:
    """Write the predictions of the shared scores; return their path."""
    folder.mkdir(parents=True, exist_ok=True)
    classes = np.arange(len(CLASSES))
    test = ScoredTest(SCORES, LABELS, classes, ~np.isin(classes, UNSEEN))
    text = Provenance(dataset="mine", method="M", gamma=0.1, gamma_origin="given", source="made")
    path = folder / "predictions.parquet"
    write_predictions(
        path, Predictions.of_scores(test, np.arange(len(LABELS)), CLASSES, provenance=text)
    )
    return path


def spoiled_predictions(path: Path, content: bytes, rng: Random) -> None:
    """Write a predictions file with faults in its bytes, its columns or its attributes.

    Parameters
    ----------
    path : path of the new file
    content : content of the valid file
    rng : random generator
    """
    way = rng.randrange(3)
    if way == 0:
        path.write_bytes(spoiled(content, rng))
        return
    table = parquet.read_table(pa.BufferReader(content))
    message = json.loads(parquet.read_metadata(pa.BufferReader(content)).metadata[b"PANDAS_ATTRS"])
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    for _ in range(rng.randint(1, 3)):
        if way == 1 and columns:
            _change_column(columns, rng)
        elif message:
            message[rng.choice(list(message))] = rng.choice(VALUES)
    actual = pa.table(columns).replace_schema_metadata({"PANDAS_ATTRS": json.dumps(message)})
    parquet.write_table(actual, path)


def _change_column(columns: dict[str, Any], rng: Random) -> None:
    """Remove one column, or change it and cut all columns to the shortest."""
    name = rng.choice(list(columns))
    values = columns.pop(name)
    if rng.random() < 0.1:
        return
    with warnings.catch_warnings():  # overflow of the type is intended
        warnings.simplefilter("ignore")
        array = np.asarray(values.to_numpy(zero_copy_only=False))
        array = array.astype(str) if array.dtype.kind == "O" else array
        result = rng.choice(CHANGES)(array, rng)
    try:
        columns[name] = pa.array(np.ravel(result))
    except (pa.ArrowException, ValueError):  # Arrow has no such type
        columns[name] = values
    n = min(map(len, columns.values()))
    columns |= {item: column[:n] for item, column in columns.items()}


def judged_predictions(path: Path) -> None:
    """Read predictions and compute their metrics."""
    report = judge(read_predicted(path))
    assert report.as_text()
    assert report.to_json()
