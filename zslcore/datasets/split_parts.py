"""Rules on the rows of the parts of a split."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

NO_ROWS = np.empty(0, np.int64)
#: Parts with test images.
TESTS = frozenset({"test", "test_seen", "test_unseen"})


def rows_of_mask(values: np.ndarray) -> np.ndarray:
    """Return the rows marked in a mask of zeros and ones; other numbers are returned unchanged."""
    is_mask = len(values) > 2 and np.isin(values, (0, 1)).all()
    return np.flatnonzero(values) if is_mask else values


def training_rows(parts: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the rows of the training parts, one part after the other."""
    return np.concatenate([parts.get(part, NO_ROWS) for part in ("train", "trainval")])


def add_trainval(
    parts: Mapping[str, np.ndarray], labels: np.ndarray | None
) -> tuple[dict[str, np.ndarray], str]:
    """Return the parts with trainval added, and a remark on validation.

    Without a test part, the validation part is used as the test part. Without labels, validation
    classes are assumed to differ from training classes.
    """
    all_parts, remark = dict(parts), ""
    if not TESTS & {*all_parts}:
        all_parts["test"] = all_parts.pop("val")
        remark = "; val is used as the test part"
    if {"train", "val"} <= {*all_parts}:
        listed = all_parts.get("trainval", NO_ROWS)
        combined = np.concatenate([all_parts["train"], all_parts["val"]])
        # A list of trainval may repeat rows of train and val.
        all_parts["trainval"] = np.concatenate([listed, combined[~np.isin(combined, listed)]])
        if (
            labels is not None
            and np.isin(labels[all_parts["val"]], labels[all_parts["train"]]).any()
        ):
            del all_parts["train"], all_parts["val"]  # validation holds out images, not classes
    elif "train" in all_parts and "trainval" not in all_parts:
        all_parts["trainval"] = all_parts.pop("train")
    return all_parts, remark


def divide_test(parts: dict[str, np.ndarray], labels: np.ndarray) -> str:
    """Divide the part "test" into images of training classes and of other classes.

    Return a remark.
    """
    tested = parts.pop("test")
    is_seen = np.isin(labels[tested], labels[training_rows(parts)])
    for part, chosen in (("test_seen", is_seen), ("test_unseen", ~is_seen)):
        parts[part] = np.concatenate([parts.get(part, NO_ROWS), tested[chosen]])
    return "; test images of classes without training images are unseen"


def rename_test(parts: dict[str, np.ndarray], labels: np.ndarray) -> str:
    """Rename "test" to test_unseen if few of its classes have training rows (:func:`are_few`).

    Return a remark; "" if the part keeps its name.
    """
    of_test, of_train = (np.unique(labels[r]) for r in (parts["test"], training_rows(parts)))
    shared = np.intersect1d(of_test, of_train).size
    few = shared > 0 and are_few(shared, of_test.size, of_train.size)
    if not few or "test_unseen" in parts:
        return ""
    parts["test_unseen"] = parts.pop("test")
    return f"; {shared} of {of_test.size} test classes have training images: all read as unseen"


def are_few(n_shared: int, n_tested: int, n_trained: int) -> bool:
    """Whether at most half of the test classes, and of the training classes, are shared.

    A test set with seen classes usually has more than half of the training classes.
    """
    return n_shared <= min(n_tested, n_trained) / 2
