"""Predictions as one Parquet file with one row per image.

================ =======================================================================
``part``         "test_seen", "test_unseen"; "fold_1_seen", "fold_1_unseen" and so on
``row``          0-based number of the image in the data set or score file
``label``        class of the image, a number from 0
``seen_class``   the best seen class; missing without seen candidates
``unseen_class`` the best unseen class
``margin``       the gamma at which the prediction changes from seen to unseen class
``zsl_class``    optional: prediction among unseen classes alone, if it is not unseen_class
``zsl_rank``     optional: rank of the true class among unseen classes alone, from 1
================ =======================================================================

Class names, unseen classes and provenance are attributes of the table, as pandas writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import open_atomically, reraise_write_errors
from zslcore.texts import clean_text, read_fields
from zslcore.untrusted.client import (
    DEFAULT_LIMITS,
    ColumnRole,
    Columns,
    Limits,
    open_file,
    read_columns,
)

#: Schema, the first attribute of every file.
SCHEMA: Literal["zslcore-predictions/1"] = "zslcore-predictions/1"
#: Role of each column; a file needs all columns that are not optional.
COLUMNS: dict[str, ColumnRole] = {
    "part": "texts",
    **dict.fromkeys(("row", "label"), "numbers"),
    **dict.fromkeys(("seen_class", "unseen_class"), "optional numbers"),
    "margin": "values",
    **dict.fromkeys(("zsl_class", "zsl_rank"), "optional numbers"),
}
OPTIONAL = ("zsl_class", "zsl_rank")
PART = re.compile(r"(test|fold_[1-9][0-9]?)_(seen|unseen)")
#: Maximum length of a text in the attributes.
MAX_LETTERS = 500
#: Longest footer that is searched for the schema, and number of bytes after the footer; the first
#: of these bytes are its length.
MAX_FOOTER, END = 8 << 20, 8


@dataclass(frozen=True, kw_only=True)
class _Attributes(Provenance):
    """Attributes of the file: the classes, the precision of the margins and the provenance."""

    schema: Literal["zslcore-predictions/1"] = SCHEMA
    class_names: tuple[str, ...]
    unseen_classes: tuple[int, ...]
    candidates: tuple[int, ...] | None = None
    resolution: Mapping[str, float] = field(default_factory=dict)


# --- Writing --------------------------------------------------------------------------------------


def write_predictions(path: Path | str, predictions: Predictions) -> None:
    """Write predictions to a file atomically; raises a ZSLError if the file cannot be written."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(_columns(predictions))
    attributes = json.dumps(_attributes(predictions), allow_nan=False)
    options = {
        "compression": "zstd",
        "compression_level": 19,
        "use_dictionary": [name for name in table.column_names if name not in ("row", "margin")],
        "column_encoding": {"row": "DELTA_BINARY_PACKED", "margin": "BYTE_STREAM_SPLIT"},
        "write_statistics": False,
        "store_schema": False,  # the stored schema would repeat the attributes
    }
    path = Path(path)
    with (
        reraise_write_errors(path.name),
        open_atomically(path) as file,
        parquet.ParquetWriter(file, table.schema, **options) as writer,
    ):
        writer.write_table(table)
        writer.add_key_value_metadata({"PANDAS_ATTRS": attributes})


def predictions_bytes(predictions: Predictions) -> bytes:
    """Return the content of the file that :func:`write_predictions` writes."""
    with scratch() as folder:
        path = folder / "predictions.parquet"
        write_predictions(path, predictions)
        return path.read_bytes()


def _columns(predictions: Predictions) -> dict[str, Any]:
    """Return the columns of the file as Arrow arrays, test rows first."""
    import pyarrow as pa

    parts = (predictions.test, *predictions.folds)
    number = np.int16 if len(predictions.class_names) <= np.iinfo(np.int16).max else np.int32

    def joined(column: str) -> np.ndarray:
        return np.concatenate([getattr(part, column) for part in parts])

    def optional(values: np.ndarray, is_known: np.ndarray) -> pa.Array:
        return pa.array(values.astype(number), mask=~is_known)

    sides = [np.where(part.seen[part.y], "seen", "unseen") for part in parts]
    names = [
        f"{part.name}_{side}"
        for part, columns in zip(parts, sides, strict=True)
        for side in columns
    ]
    seen, unseen = joined("seen_class"), joined("unseen_class")
    zsl, rank = (
        np.concatenate(
            [np.full(len(p.rows), -1) if (v := getattr(p, name)) is None else v for p in parts]
        )
        for name in OPTIONAL
    )
    return {
        "part": pa.array(names).dictionary_encode(),
        "row": pa.array(joined("rows").astype(np.int64)),
        "label": pa.array(joined("labels").astype(number)),
        "seen_class": optional(seen, seen >= 0),
        "unseen_class": optional(unseen, unseen >= 0),
        "margin": pa.array(joined("margin").astype(np.float64)),
        "zsl_class": optional(zsl, (zsl >= 0) & (zsl != unseen)),
        "zsl_rank": optional(rank, rank >= 1),
    }


def _attributes(predictions: Predictions) -> dict[str, Any]:
    """Return the non-empty attributes of the file."""
    test, n = predictions.test, len(predictions.class_names)
    values: dict[str, Any] = {
        "schema": SCHEMA,
        "class_names": predictions.class_names,
        "unseen_classes": predictions.unseen_classes.tolist(),
        "candidates": None if len(test.classes) == n else test.classes.tolist(),
        "resolution": {part.name: part.resolution for part in (test, *predictions.folds)},
    }
    values |= asdict(predictions.provenance)
    return {key: value for key, value in values.items() if value not in ("", (), {}, None)}


# --- Reading --------------------------------------------------------------------------------------


def is_predictions(path: Path) -> bool:
    """Return whether the footer of a file has the schema of predictions."""
    return b"zslcore-predictions/" in read_footer(path)


def read_footer(path: Path) -> bytes:
    """Return the footer of a Parquet table, with column names and extreme values, or b""."""
    with open_file(path) as file:
        head = file.read(4)
        size = file.seek(0, 2)
        if head != b"PAR1" or size < 3 * END:
            return b""
        file.seek(-END, 2)
        length = min(int.from_bytes(file.read(4), "little"), size - END, MAX_FOOTER)
        file.seek(-END - length, 2)
        return file.read(length)


def read_predictions(path: Path | str, *, limits: Limits = DEFAULT_LIMITS) -> Predictions:
    """Read an untrusted file of predictions in a sandbox.

    Raises a FileRefusedError with the file, the column, and the expected and actual content.
    """
    path = Path(path)
    required = [column for column in COLUMNS if column not in OPTIONAL]
    return _build_predictions(read_columns(path, COLUMNS, required, limits=limits), path)


def read_packaged(path: Path) -> Predictions:
    """Read a file of predictions of the package itself, without a sandbox."""
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path, use_threads=False)
        attrs = json.loads(table.schema.metadata[b"PANDAS_ATTRS"])
        texts, arrays = table["part"].combine_chunks().dictionary_encode(), {}
        for name in set(COLUMNS) & set(table.column_names) - {"part"}:
            column = table[name] if name == "margin" else table[name].cast("int64").fill_null(-1)
            arrays[name] = column.to_numpy()
        arrays["part"] = texts.indices.to_numpy()
    except (OSError, ArrowException, KeyError, TypeError, ValueError) as error:
        raise FileRefusedError(f"{path.name}: expected predictions; got {error}.") from None
    return _build_predictions(
        Columns(arrays, {"part": tuple(texts.dictionary.to_pylist())}, attrs), path
    )


def _build_predictions(columns: Columns, path: Path) -> Predictions:
    """Build predictions from the columns and attributes of a file."""
    name = clean_text(path.name)
    if columns.attrs.get("schema", SCHEMA) != SCHEMA or "class_names" not in columns.attrs:
        raise FileRefusedError(
            f"{name}: expected predictions, with the schema {SCHEMA!r} and class_names among the "
            f"attributes; got schema {clean_text(repr(columns.attrs.get('schema', 'none')), 60)}."
        )
    try:
        attributes = read_fields(_Attributes, _clean_json(columns.attrs), path.name)
        provenance = Provenance(**{f.name: getattr(attributes, f.name) for f in fields(Provenance)})
        folds = dict(_parts(columns.arrays, columns.texts["part"], attributes))
        if "test" not in folds:
            raise DatasetError("part: expected rows of test_seen or test_unseen; got none.")
        test = folds.pop("test")
        return Predictions(test, attributes.class_names, tuple(folds.values()), provenance)
    except FileRefusedError:
        raise
    except DatasetError as error:
        raise FileRefusedError(f"{name}, {error}") from None


def _clean_json(value: Any) -> Any:
    """Return a JSON value with all texts and keys cleaned for display."""
    if isinstance(value, str):
        return clean_text(value, MAX_LETTERS)
    if isinstance(value, list):
        return [_clean_json(entry) for entry in value]
    if isinstance(value, dict):
        return {clean_text(key): _clean_json(entry) for key, entry in value.items()}
    return value


def _parts(
    arrays: Mapping[str, np.ndarray], parts: tuple[str, ...], attributes: _Attributes
) -> Iterator[tuple[str, PredictedRows]]:
    """Yield the test rows, then the rows of each fold."""
    for part in parts:
        if not PART.fullmatch(part):
            raise DatasetError(
                f"part: expected test_seen, test_unseen, fold_1_seen, fold_1_unseen and so on; got "
                f"{clean_text(part, 40)!r}."
            )
    n = len(attributes.class_names)
    _check_classes("unseen_classes", attributes.unseen_classes, n)
    candidates = tuple(range(n)) if attributes.candidates is None else attributes.candidates
    _check_classes("candidates", candidates, n)
    of_row = np.array([part.rpartition("_")[0] for part in parts])[arrays["part"]]
    unseen_side = np.array([part.endswith("_unseen") for part in parts])[arrays["part"]]
    for name in sorted(set(of_row.tolist()), key=lambda n: (n != "test", len(n), n)):
        in_part = of_row == name
        columns = {column: arrays[column][in_part] for column in COLUMNS if column in arrays}
        columns["unseen_side"] = unseen_side[in_part]
        classes = np.unique(candidates) if name == "test" else None
        yield name, _rows(name, columns, classes, attributes)


def _check_classes(name: str, classes: tuple[int, ...], n: int) -> None:
    outside = [c for c in classes if not 0 <= c < n]
    if outside or not classes or len(set(classes)) < len(classes):
        got = f"class {outside[0]}" if outside else "some twice" if classes else "none"
        raise DatasetError(f"{name}: expected different numbers from 0 to {n - 1}; got {got}.")


def _rows(
    name: str, columns: dict[str, np.ndarray], classes: np.ndarray | None, attributes: _Attributes
) -> PredictedRows:
    """Return the rows of one part; ``classes`` are the test candidates, None for a fold."""
    unseen_side, labels = columns["unseen_side"], columns["label"]
    seen_class, unseen_class = columns["seen_class"], columns["unseen_class"]
    unseen = np.array(attributes.unseen_classes)
    if classes is None:  # the candidates of a fold are the classes in its rows
        unseen = np.unique(np.append(labels[unseen_side], unseen_class))
        classes = np.unique(np.concatenate([labels, seen_class, unseen_class]))
        classes = classes[classes >= 0]
    wrong = np.isin(labels, unseen) != unseen_side
    if wrong.any():
        k = int(np.argmax(wrong))
        side = "an unseen" if unseen_side[k] else "a seen"
        raise DatasetError(
            f"{name}, label: expected {side} class, as its part states; got class {labels[k]} for "
            f"row {columns['row'][k]:,}."
        )
    zsl, rank = columns.get("zsl_class"), columns.get("zsl_rank")
    return PredictedRows(
        rows=columns["row"],
        labels=labels,
        seen_class=seen_class,
        unseen_class=unseen_class,
        margin=columns["margin"],
        classes=classes,
        seen=~np.isin(classes, unseen),
        resolution=_resolution(name, columns["margin"], attributes),
        zsl_class=None if zsl is None else np.where(zsl == -1, unseen_class, zsl),
        zsl_rank=rank,
        name=name,
    )


def _resolution(name: str, margin: np.ndarray, attributes: _Attributes) -> float:
    """Return the stated resolution of a part, by default the rounding of its largest margin."""
    if name in attributes.resolution:
        return attributes.resolution[name]
    largest = np.abs(margin).max(initial=0, where=np.isfinite(margin))
    return float(np.finfo(margin.dtype).eps * largest)
