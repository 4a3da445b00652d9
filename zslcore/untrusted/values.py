"""Values of nested lists and objects, rows of texts, word vectors and counts of captions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.untrusted.answers import Limits, worker_answer
from zslcore.untrusted.containers import container_of
from zslcore.untrusted.files import check_size
from zslcore.untrusted.readers import (
    captions,
    json_files,
    pickle_files,
    tensor_files,
    text_rows,
    word_vectors,
    yaml_files,
)

#: Kind of a file that is read as one value of nested lists and objects.
ValueKind = Literal["JSON", "TOML", "YAML", "PyTorch", "pickle"]
#: Suffix of a text -> its kind, if its content is read as one value.
KIND_OF_SUFFIX: dict[str, ValueKind] = {".yaml": "YAML", ".yml": "YAML", ".toml": "TOML"}
#: Container that is read as one value -> its kind; a text has the kind of its suffix.
KIND_OF_CONTAINER: dict[str, ValueKind] = {"PyTorch": "PyTorch", "pickle": "pickle", "JSON": "JSON"}
#: Advice on a large text with lists and objects, such as annotations of objects in images.
ADVICE_ON_SIZE = "; keep only the needed fields, or write a CSV with one row per image"
#: Memory in bytes for reading lines, besides a multiple of the size: a text may be one long line.
ROWS_MEMORY = 64 << 20
#: Limits in bytes: the size of a file of word vectors, and the memory of the process that reads it.
MAX_WORDS_BYTES, WORDS_MEMORY = 16 << 30, 256 << 20
#: Limits of a file of captions: one second per 128 KiB, since counting is slower than reading.
CAPTION_LIMITS = Limits(bytes_per_second=1 << 17)


def read_value(
    path: Path,
    kind: ValueKind | Literal["lines", "CSV", "TSV", "CSV with semicolons"],
    *,
    max_bytes: int,
    max_items: int = 1 << 17,
) -> Any:
    """Read the value of a small file, or its lines or rows of texts; texts are not cleaned.

    A row is a tuple of its cells, empty for a blank line. ``max_items`` limits the number of lines,
    rows, or nested values.
    """
    advice = ADVICE_ON_SIZE if kind in get_args(ValueKind) else ""
    size = check_size(path, max_bytes, "text" if kind == "lines" else kind, advice)
    file_type = "a text file" if kind == "lines" else f"a {kind} file"
    if kind not in get_args(ValueKind):
        memory = ROWS_MEMORY + 16 * size
        arguments = (text_rows.copy_text_rows, path, kind, max_items)
        with worker_answer(*arguments, memory=memory, file_type=file_type) as answer:
            read = text_rows.lines_in if kind == "lines" else text_rows.rows_in
            return [*read(answer.folder, max_items)]
    readers: dict[str, Callable[..., Any]] = {
        "YAML": yaml_files.read_value,
        "PyTorch": tensor_files.read_value,
        "pickle": pickle_files.read_value,
    }
    reader = readers.get(kind, json_files.read_value)
    with worker_answer(
        reader, path, kind, max_items, memory=64 * size, file_type=file_type
    ) as answer:
        json_files.refuse_more(answer.value, max_items)
        if kind == "TOML" and not isinstance(answer.value, dict):
            raise TypeError
        return answer.value


def read_plain_value(path: Path, *, max_bytes: int, max_items: int) -> Any:
    """Return the lists and objects in JSON, YAML, TOML, PyTorch or a pickle; else None.

    Raises a FileRefusedError for a damaged file that is JSON by its name.
    """
    container, suffix = container_of(path), path.suffix.lower()
    kind = KIND_OF_CONTAINER.get(container)
    if container in ("text", "JSON"):
        kind = KIND_OF_SUFFIX.get(suffix, kind)
    if kind is None:
        return None
    try:
        return read_value(path, kind, max_bytes=max_bytes, max_items=max_items)
    except FileRefusedError:
        # Other texts may begin like JSON, such as a printed dictionary.
        if kind == "JSON" and suffix.startswith(".json"):
            raise
        return None


def read_words(path: Path, words: Sequence[str], *, binary: bool) -> dict[str, np.ndarray]:
    """Read the float32 vectors of words from a file; words without a vector are left out."""
    check_size(path, MAX_WORDS_BYTES, "word vector")
    arguments = (word_vectors.read_words, path, list(words), binary)
    options: dict[str, Any] = {"memory": WORDS_MEMORY, "file_type": "a file of word vectors"}
    with worker_answer(*arguments, **options) as answer:
        words_with_vector = answer.value
        if not words_with_vector:
            return {}
        vectors = answer.array("vectors", "rows")
        if len(vectors) != len(words_with_vector) or not {*words_with_vector} <= {*words}:
            raise ValueError
        return {word: np.array(vectors[k], np.float32) for k, word in enumerate(words_with_vector)}


def count_captions_of(
    path: Path, kind: str, classes: Sequence[Sequence[Sequence[str]]]
) -> tuple[list[int], int]:
    """Count, in a worker process, the captions that name each class, and all captions.

    ``classes`` has the names of each class, split into words; ``kind`` is ".txt", ".csv" or ".tsv".
    """
    check_size(path, MAX_WORDS_BYTES, "caption")
    options: dict[str, Any] = {"limits": CAPTION_LIMITS, "memory": WORDS_MEMORY}
    arguments = (captions.count_file, path, kind, list(classes))
    with worker_answer(*arguments, file_type="captions", **options) as answer:
        counts, n = list(map(int, answer.value["counts"])), int(answer.value["captions"])
        if len(counts) != len(classes) or not all(0 <= count <= n for count in counts):
            raise ValueError
        return counts, n
