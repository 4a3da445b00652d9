"""Extraction of features batch by batch; a stopped extraction resumes at the unfinished batch.

A finished batch is a file next to the output, written atomically, with a digest of the sizes and
times of its images, so that only batches with changed images are read again. Finally all batches
are joined in one NumPy archive for :mod:`zslcore.datasets.table`, with the origin of the features
and the pre-training sets of the encoder.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError
from zslcore.extraction.encoders import Encoder
from zslcore.extraction.images import (
    CROPS,
    MAX_PIXELS,
    DecodedImage,
    ImageReader,
    Listing,
    ReadResult,
    crops_of,
    read_batches,
)
from zslcore.progress import Progress, silent
from zslcore.storage import artifacts
from zslcore.storage.files import open_atomically, reraise_write_errors
from zslcore.texts import clean_text
from zslcore.version import version

#: Version of the batch files, increased when their content changes.
SCHEMA = 1
OnBad = Literal["refuse", "skip"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of an extraction.

    ``output`` is the archive, ``provenance`` the origin of the features in words. ``skipped`` maps
    skipped images to the reason, ``unusual`` maps a property such as "rotated" to its images;
    ``resumed`` is the number of images in batches that were finished before.
    """

    output: Path
    n_images: int
    n_features: int
    provenance: tuple[str, ...]
    skipped: dict[str, str]
    unusual: dict[str, list[str]]
    resumed: int


def provenance_of(encoder: Encoder, crops: int) -> tuple[str, ...]:
    """Describe the origin of features: encoder, weights, crops, versions."""
    p = encoder.preset
    crop_text = "middle crop" if crops == 1 else f"mean over {crops} crops"
    libraries = ", ".join(f"{name} {number}" for name, number in encoder.versions.items())
    return (
        f"encoder {encoder.name}",
        f"weights {encoder.weights}",
        f"SHA-256 {encoder.sha256}",
        f"shorter side {p.resize}, {p.interpolation}, {crop_text} of {p.crop}",
        f"trained on {', '.join(encoder.pretraining) or 'data with unlisted classes'}",
        f"zslcore {version()}, {libraries}",
    )


def extract(
    images: Listing,
    encoder: Encoder,
    output: Path,
    *,
    crops: int = 1,
    batch: int = 32,
    on_bad: OnBad = "refuse",
    workers: int = 0,
    max_pixels: int = MAX_PIXELS,
    prototypes: np.ndarray | None = None,
    progress: Progress = silent,
) -> Extraction:
    """Extract the features of images into an archive; resume a stopped extraction.

    Parameters
    ----------
    output : ``.npz`` file to write; until it is complete, batches are in ``<output>.parts``
    crops : 1, or 10 with averaged features
    batch : number of images in a batch, and of crops that the network encodes at a time
    on_bad : "refuse" ends at the first unreadable image, "skip" leaves unreadable images out
    workers : number of processes that read images; 0 reads in this process, which a crash would end
    prototypes : float array of shape (n_classes, n_attributes), optional; one row per class in
        ``images.class_names``, to be stored with the features
    progress : callable(done, total, message)
        Called after each batch; an exception ends the extraction.

    Raises
    ------
    FileRefusedError
        For an unreadable image, if ``on_bad="refuse"``.
    ParameterError
        When the output, or batches with other settings, already exist.
    DatasetError
        When no image is readable.
    """
    if crops not in CROPS:
        raise ParameterError(f"crops must be 1 or 10; got {crops!r}.")
    if batch < 1 or encoder.preset.crop > encoder.preset.resize:
        raise ParameterError(
            "A batch needs at least one image, and a crop must fit into the resized image."
        )
    parts = _Parts(output.with_name(f"{output.name}.parts"), images, batch)
    parts.begin(_settings(encoder, crops, batch), output)
    reader = ImageReader(
        encoder.preset.resize,
        encoder.preset.interpolation,
        max_pixels,
        workers=workers,
        inside=images.root,
    )
    finished = {k for k in parts.numbers if parts.is_finished(k)}
    missing = [k for k in parts.numbers if k not in finished]
    done = resumed = sum(len(parts.names(k)) for k in finished)
    read = read_batches(reader, (parts.paths(k) for k in missing))
    for k, results in zip(missing, read, strict=True):
        parts.put(k, *_encode_batch(results, parts.names(k), encoder, crops, batch, on_bad))
        done += len(results)
        progress(done, len(images.files), f"{done:,} of {len(images.files):,} images")
    return parts.join(output, provenance_of(encoder, crops), encoder, prototypes, resumed)


def _settings(encoder: Encoder, crops: int, batch: int) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "encoder": encoder.name,
        "sha256": encoder.sha256,
        "crops": crops,
        "batch": batch,
        "preset": asdict(encoder.preset),
    }


def _encode_batch(
    results: Sequence[ReadResult],
    names: Sequence[str],
    encoder: Encoder,
    crops: int,
    batch: int,
    on_bad: OnBad,
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the features of readable images, and notes on skipped and unusual images."""
    pairs = list(zip(names, results, strict=True))
    skipped = {name: why for name, why in pairs if isinstance(why, str)}
    if skipped and on_bad == "refuse":
        raise FileRefusedError(next(iter(skipped.values())))
    decoded = {name: image for name, image in pairs if isinstance(image, DecodedImage)}
    unusual = {name: image.unusual for name, image in decoded.items() if image.unusual}
    notes = {"skipped": skipped, "unusual": unusual}
    if not decoded:
        return np.empty((0, 0), np.float32), notes
    size = encoder.preset.crop
    all_crops = np.concatenate([crops_of(image.pixels, size, crops) for image in decoded.values()])
    features = encoder.encode(all_crops, batch)
    features = features.reshape(len(decoded), crops, -1).mean(axis=1)
    if not np.isfinite(features).all():
        bad = next(n for n, x in zip(decoded, features, strict=True) if not np.isfinite(x).all())
        raise DatasetError(
            f"{clean_text(bad)}: expected finite features; got infinity or NaN from {encoder.name}."
        )
    return features.astype(np.float32), notes


class _Parts:
    """Finished batches, one file each, in a folder next to the output."""

    def __init__(self, folder: Path, images: Listing, batch: int) -> None:
        self.folder, self.images, self.batch = folder, images, batch
        self.numbers = range(-(-len(images.files) // batch))
        self.settings: dict[str, Any] = {}

    def begin(self, settings: dict[str, Any], output: Path) -> None:
        self.settings = settings = json.loads(json.dumps(settings))  # tuples become lists
        if output.exists():
            raise ParameterError(
                f"{clean_text(output.name)}: expected a new file; it already exists. Delete it, "
                "or name another one."
            )
        plan = self.folder / "plan.json"
        try:
            stored = json.loads(plan.read_bytes())
        except (OSError, ValueError):
            stored = None
        if isinstance(stored, dict) and stored != settings:
            differs = ", ".join(k for k in settings if stored.get(k) != settings[k])
            raise ParameterError(
                f"{clean_text(self.folder.name)} holds an unfinished extraction with a different "
                f"{differs}; use the same settings again, or delete the folder."
            )
        with reraise_write_errors(clean_text(self.folder.name)), open_atomically(plan) as file:
            file.write(json.dumps(settings).encode())

    def names(self, k: int) -> Sequence[str]:
        return self.images.files[k * self.batch : (k + 1) * self.batch]

    def paths(self, k: int) -> list[Path]:
        return [self.images.root / name for name in self.names(k)]

    def key(self, k: int) -> str:
        """Return the digest of the settings and of the batch's file names, sizes and times."""
        sha = hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode())
        for path, name in zip(self.paths(k), self.names(k), strict=True):
            try:
                state = path.stat()
                size_and_time = f"{state.st_size} {state.st_mtime_ns}"
            except (OSError, ValueError):
                size_and_time = "none"
            sha.update(f"{name}\n{size_and_time}\n".encode("utf-8", "surrogateescape"))
        return sha.hexdigest()

    def path(self, k: int) -> Path:
        return self.folder / f"part-{k:08d}.npz"

    def is_finished(self, k: int) -> bool:
        """Whether a batch is finished and its images have not changed since."""
        try:
            return bool(self.read(k)[1]["key"] == self.key(k))
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            return False

    def read(self, k: int) -> tuple[np.ndarray, dict[str, Any]]:
        with self.path(k).open("rb") as file, np.load(file, allow_pickle=False) as part:
            return part["features"], json.loads(str(part["notes"]))

    def put(self, k: int, features: np.ndarray, notes: dict[str, Any]) -> None:
        content = io.BytesIO()
        np.savez(
            content, features=features, notes=np.array(json.dumps(notes | {"key": self.key(k)}))
        )
        with (
            reraise_write_errors(clean_text(self.folder.name)),
            open_atomically(self.path(k)) as file,
        ):
            file.write(content.getbuffer())

    def join(
        self,
        output: Path,
        provenance: tuple[str, ...],
        encoder: Encoder,
        prototypes: np.ndarray | None,
        resumed: int,
    ) -> Extraction:
        """Join all batches in one archive, and delete their files."""
        notes = [self.read(k)[1] for k in self.numbers]
        skipped = {name: why for note in notes for name, why in note["skipped"].items()}
        keep = [i for i, name in enumerate(self.images.files) if name not in skipped]
        if not keep:
            raise DatasetError("Expected at least one image that can be read; got none.")
        shape = len(keep), max(self.read(k)[0].shape[1] for k in self.numbers)
        arrays: dict[str, np.ndarray] = {
            "labels": self.images.labels[keep],
            "class_names": np.array(self.images.class_names),
            "image_files": np.array([self.images.files[i] for i in keep]),
            "provenance": np.array(provenance),
        }
        position = np.full(len(self.images.files), -1)
        position[keep] = np.arange(len(keep))
        for part, rows in self.images.parts.items():
            arrays[part] = position[rows][position[rows] >= 0]
        if encoder.pretraining:
            arrays["pretraining"] = np.array(encoder.pretraining)
        if prototypes is not None:
            arrays["prototypes"] = np.asarray(prototypes, dtype=np.float32)
        with reraise_write_errors(clean_text(output.name)):
            _write(output, shape, (self.read(k)[0] for k in self.numbers), arrays)
        artifacts.discard(self.folder)
        unusual: dict[str, list[str]] = {}
        for note in notes:
            for name, kinds in note["unusual"].items():
                for kind in kinds:
                    unusual.setdefault(kind, []).append(name)
        return Extraction(output, *shape, provenance, skipped, unusual, resumed)


def _write(
    output: Path,
    shape: tuple[int, int],
    blocks: Iterator[np.ndarray],
    arrays: dict[str, np.ndarray],
) -> None:
    """Write features block by block, to limit memory, and ``arrays``."""
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    with open_atomically(output) as file, zipfile.ZipFile(file, "w") as archive:
        with archive.open("features.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, header)
            for block in blocks:
                member.write(np.ascontiguousarray(block, dtype="<f4").tobytes())
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, values, allow_pickle=False)
