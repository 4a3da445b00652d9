"""Scores of seen and of unseen classes, or of their images, in two files or arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text, listed, refusal_of


def files_of_sides(path: Path) -> tuple[Path, Path | None]:
    """Return the files of seen and of unseen images in a folder; other paths unchanged."""
    files = sorted(path.iterdir()) if path.is_dir() else []
    files = [file for file in files if not file.name.startswith(".")]
    of_unseen = ["unseen" in file.stem.lower() for file in files]
    if [*sorted(of_unseen)] != [False, True] or any(file.suffix == ".npy" for file in files):
        return path, None
    first, second = sorted(files, key=lambda file: "unseen" in file.stem.lower())
    return (first, second) if "seen" in first.stem.lower() else (path, None)


def append_images(parts: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Append the rows of images of unseen classes to those of seen classes."""
    parts.setdefault("unseen", np.unique(np.asarray(more["labels"])))
    for part in ("scores" if "scores" in more else "predicted", "labels"):
        parts[part] = np.concatenate([np.asarray(half[part]) for half in (parts, more)])
    return {}


def are_other_images(name: str, parts: Mapping[str, Any], more: Mapping[str, Any]) -> bool:
    """Whether two files have the same columns, and rows of images that share no class."""
    if all("predicted" in half and half.get("scores") is None for half in (parts, more)):
        shared = np.intersect1d(parts["labels"], more["labels"])
        if shared.size:
            classes = listed([clean_text(str(label), 40) for label in shared])
            raise FileRefusedError(
                f"{name}: expected the two files to have images of different classes; got images "
                f"of {classes} in both."
            )
        return True
    if any(half.get(part) is None for half in (parts, more) for part in ("scores", "labels")):
        return False
    names = [tuple(half.get("class_names", ())) for half in (parts, more)]
    columns = [np.shape(half["scores"])[1] for half in (parts, more)]
    labels = [{*np.asarray(half["labels"]).tolist()} for half in (parts, more)]
    same = columns[0] == columns[1] and (names[0] == names[1] or not names[1])
    return same and labels[0].isdisjoint(labels[1])


def join_blocks(
    name: str, parts: dict[str, Any], second: np.ndarray, names: tuple[str, ...]
) -> None:
    """Join seen and unseen columns into one matrix, in the ``parts`` of the file."""
    first = parts.get("scores")
    if first is None:
        raise refusal_of(name, "scores of seen classes", "predicted classes")
    first = np.asarray(first)
    if len(first) != len(second):
        raise FileRefusedError(
            f"{name}: expected seen and unseen columns of the same images; got {len(first):,} and "
            f"{len(second):,} rows. Images scored only among the classes of their own side are "
            "not GZSL."
        )
    S, C = first.shape[1], first.shape[1] + second.shape[1]
    F = np.hstack([first, second])
    listed = parts.get("unseen")
    seen_names = tuple(parts.pop("class_names", ()))
    if seen_names and names and not ({*seen_names} & {*names} and all(map(str.isdigit, names))):
        parts["class_names"] = (*seen_names, *names)
    numbers = None if listed is None else np.asarray(listed)
    if numbers is not None and numbers.dtype.kind in "iu" and len(np.unique(numbers)) == C - S:
        if numbers.min() < 0 or numbers.max() >= C:
            where, got = f"{name}, unseen classes", f"{numbers.min()} to {numbers.max()}"
            raise refusal_of(where, f"class numbers from 0 to {C - 1}", got)
        # Numbers count all classes; the columns of a block are in increasing order of its classes.
        order = np.concatenate([np.setdiff1d(np.arange(C), numbers), np.unique(numbers)])
        position = np.argsort(order)
        F = F[:, position]
        if "class_names" in parts:
            parts["class_names"] = tuple(parts["class_names"][k] for k in position)
    elif listed is None:
        parts["unseen"] = np.arange(S, C)
    parts["scores"] = F
