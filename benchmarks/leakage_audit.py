"""Audit at AWA2 size: time and memory of ZSL001-ZSL005, against plain implementations.

    python -m benchmarks.leakage_audit

The data are 37,322 x 2,048 float32 features in a memory map, as after an import. Goals on two
cores: ZSL001-ZSL004 below 2 s, ZSL005 below 20 s, memory of the process below twice the features.

The plain implementations are a Python loop that hashes each row (ZSL004) and scikit-learn's
brute-force nearest neighbours on all features (ZSL005), timed on a share of the test rows and
scaled up.
"""

from __future__ import annotations

import argparse
import tempfile
from hashlib import sha256
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.measuring import check, peak_mib, report, seconds
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.context import AuditContext

N, D, CLASSES = 37_322, 2_048, 50
DUPLICATES, NEAR = 40, 60
#: Share of the test rows for timing the plain nearest neighbours.
SHARE = 1 / 16


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        dataset = _dataset(Path(folder) / "features.npy")
        split = dataset.splits["PS"]
        seconds_of_check = _audit(AuditContext.of_split(split, dataset))
        check("ZSL001-ZSL004", sum(seconds_of_check[f"ZSL00{k}"] for k in (1, 2, 3, 4)), "s", 2)
        check("ZSL005", seconds_of_check["ZSL005"], "s", 20)
        check("peak memory", peak_mib() / (dataset.features.nbytes / 2**20), "x the features", 2)
        plain = seconds(lambda: {sha256(row.tobytes()).digest() for row in dataset.features})
        report("ZSL004 against a loop over rows", seconds_of_check["ZSL004"], plain, 1)
        nearest = seconds(lambda: _plain_neighbours(dataset, split)) / SHARE
        report("ZSL005 against brute-force neighbours", seconds_of_check["ZSL005"], nearest, 1)


def _dataset(path: Path) -> ZSLDataset:
    """Write clustered, rectified features with planted duplicates, block by block."""
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(CLASSES, size=N))
    centres = rng.gamma(0.5, 1.0, size=(CLASSES, D)).astype(np.float32)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(N, D))
    for start in range(0, N, 2048):
        part = slice(start, min(start + 2048, N))
        noise = rng.standard_normal((part.stop - part.start, D), dtype=np.float32)
        X[part] = np.maximum(centres[labels[part]] + 0.5 * noise, 0)
    folds = [np.arange(k, k + 13) for k in (0, 13, 26)]
    split = Split.from_classes("PS", labels, np.arange(40, 50), folds=folds)
    _plant(X, split, rng)
    X.flush()
    del X
    features = np.load(path, mmap_mode="r")
    return ZSLDataset(
        "AWA2-size",
        features,
        labels,
        rng.random((CLASSES, 85)),
        [f"c{k}" for k in range(CLASSES)],
        splits=[split],
        known_digest="benchmark",
    )


def _plant(X: np.ndarray, split: Split, rng) -> None:
    train = rng.permutation(split.trainval)[: DUPLICATES + NEAR]
    test = rng.permutation(split.test_seen)[: DUPLICATES + NEAR]
    noise = 0.02 * rng.standard_normal((NEAR, D), dtype=np.float32)
    X[test[:DUPLICATES]] = X[train[:DUPLICATES]]
    X[test[DUPLICATES:]] = X[train[DUPLICATES:]] + noise


def _audit(context: AuditContext) -> dict[str, float]:
    seconds_of_check = {}
    for audit_check in CHECKS[:5]:
        findings = []
        seconds_of_check[audit_check.id] = seconds(
            lambda check=audit_check, findings=findings: findings.extend(run_check(check, context))
        )
        print(f"{audit_check.id} {seconds_of_check[audit_check.id]:6.2f} s  {findings[0].sentence}")
    return seconds_of_check


def _plain_neighbours(dataset: ZSLDataset, split: Split) -> None:
    test = np.union1d(split.test_seen, split.test_unseen)[:: round(1 / SHARE)]
    train = dataset.features[split.trainval]
    NearestNeighbors(n_neighbors=1, algorithm="brute").fit(train).kneighbors(dataset.features[test])


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
