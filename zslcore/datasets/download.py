"""Public archives, downloaded once, checked, and read member by member.

``data/manifest.toml`` lists the archives. A broken transfer resumes where it stopped if the server
still has the same file. Archives are never extracted as a whole: members are read by name, after a
check of their sizes.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pooch
import requests

from zslcore.exceptions import DatasetError, FileRefusedError, require_known
from zslcore.storage.files import FACTS, data_folder, open_atomically
from zslcore.texts import clean_text

MANIFEST = FACTS / "manifest.toml"
CHUNK = 1 << 20
#: Seconds to wait for a connection, and for its next bytes.
TIMEOUT = (15, 60)
#: Seconds to wait before each retry of a broken transfer.
PAUSES = (1, 4, 15)
BROKEN = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)
#: Largest ratio of the unpacked to the packed size of a member (deflate reaches 1,032).
MAX_RATIO = 100
MAX_MEMBER_BYTES = 4 << 30

#: Function called with the number of bytes so far and in total (0 if unknown).
ReportBytes = Callable[[int, int], None]
#: (data set, file) -> member of the archive.
Members = dict[tuple[str, str], zipfile.ZipInfo]


@dataclass(frozen=True, slots=True)
class Archive:
    """Entry of ``data/manifest.toml`` on one archive.

    ``sha256`` is empty if the publisher states none; the first download is then trusted.
    ``datasets`` are folders in the archive, and ``members`` are the files to read from each folder;
    the files in ``required`` must exist. At most ``max_bytes`` are downloaded.
    """

    name: str
    title: str
    url: str
    file: str
    sha256: str
    max_bytes: int
    licence: str
    citation: str
    datasets: Sequence[str]
    members: Sequence[str]
    required: Sequence[str]
    pretraining: Sequence[str]

    @property
    def path(self) -> Path:
        """Path of the archive, downloaded or put there by hand."""
        return data_folder() / "downloads" / self.file

    @property
    def _checksum_file(self) -> Path:
        return self.path.with_name(f"{self.file}.sha256")

    def known_sha256(self) -> str | None:
        """Return the published checksum, else the checksum of the first download, else None."""
        if self.sha256 or not self._checksum_file.is_file():
            return self.sha256 or None
        return self._checksum_file.read_text(encoding="ascii", errors="replace").strip() or None

    def trust(self) -> str:
        """Return the checksum of the downloaded archive; store it if none is known yet."""
        digest = pooch.file_hash(str(self.path))
        if not self.known_sha256():
            with open_atomically(self._checksum_file) as file:
                file.write(f"{digest}\n".encode("ascii"))
        return digest


def archives() -> dict[str, Archive]:
    """Return the archives for download, by name."""
    with MANIFEST.open("rb") as file:
        return {name: Archive(name=name, **facts) for name, facts in tomllib.load(file).items()}


def archive_of(name: str, only: Sequence[str] = ()) -> Archive:
    """Return an archive by name; raise UnknownNameError unless it has the data sets ``only``."""
    all_archives = archives()
    require_known("download", name, all_archives)
    for dataset in only:
        require_known(f"data set of {name}", dataset, all_archives[name].datasets)
    return all_archives[name]


def fetch(archive: Archive, on_progress: ReportBytes | None = None) -> Path:
    """Return the path of an archive; download it if it is missing or has another checksum.

    Raises FileRefusedError if the SHA-256 is not that of the publisher or of the first download,
    and DatasetError, with instructions for a manual download, if the transfer fails.
    """
    path = archive.path
    path.parent.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel(logging.WARNING)
    transfer = _Transfer(path.with_name(f"{path.name}.part"), archive.max_bytes, on_progress)
    try:
        pooch.retrieve(
            archive.url, archive.known_sha256(), path.name, path.parent, downloader=transfer
        )
    except requests.RequestException as error:
        response = error.response
        reason = type(error).__name__ if response is None else f"HTTP status {response.status_code}"
        raise DatasetError(
            f"Could not download {archive.url} ({reason}); download it by other means, put "
            f"it at {archive.path} and repeat the command."
        ) from error
    except ValueError as error:
        origin = "published" if archive.sha256 else f"noted in {archive._checksum_file}"
        raise FileRefusedError(
            f"{archive.url}: expected SHA-256 {archive.known_sha256()}, as {origin}; got another "
            "file."
        ) from error
    if not zipfile.is_zipfile(path):
        raise FileRefusedError(f"{path}: expected a zip archive; got something else; delete it.")
    archive.trust()
    return path


def unpack(
    archive: Archive, path: Path, into: Path, only: Sequence[str] | None = None
) -> dict[str, Path]:
    """Copy the members listed by ``archive`` to ``into/<data set>``; return these folders.

    Raises FileRefusedError for a file that is not a zip, or for a member that is missing or too
    large.
    """
    folders = {}
    try:
        with zipfile.ZipFile(path) as packed:
            members = _members(packed)
            for name in only or archive.datasets:
                folders[name] = into / name
                _unpack_one(archive, packed, members, name, folders[name])
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileRefusedError(
            f"{path}: expected a zip archive; got a damaged or encrypted one "
            f"({type(error).__name__}); delete it and download it again."
        ) from error
    return folders


def _members(packed: zipfile.ZipFile) -> Members:
    """Map (data set, file) to members ``.../data/<data set>/<file>``."""
    members: Members = {}
    for info in packed.infolist():
        parts = PurePosixPath(info.filename).parts
        if len(parts) >= 3 and parts[-3] == "data":
            members.setdefault((parts[-2], parts[-1]), info)
    return members


def _unpack_one(
    archive: Archive, packed: zipfile.ZipFile, members: Members, name: str, into: Path
) -> None:
    for file in archive.members:
        info = members.get((name, file))
        if info is None and file in archive.required:
            raise FileRefusedError(
                f"{clean_text(packed.filename)}: expected a member data/{name}/{file}; found none."
            )
        if info is not None:
            _copy_member(packed, info, into / file)


def _copy_member(packed: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> None:
    """Copy one member after checking its size, unless it is already there."""
    most = min(MAX_MEMBER_BYTES, MAX_RATIO * info.compress_size + CHUNK)
    if info.file_size > most:
        raise FileRefusedError(
            f"{clean_text(packed.filename)}, member {clean_text(info.filename)}: expected at most "
            f"{most:,} unpacked bytes from {info.compress_size:,}; got {info.file_size:,}."
        )
    if target.is_file() and target.stat().st_size == info.file_size:
        return
    with packed.open(info) as member, open_atomically(target) as file:
        shutil.copyfileobj(member, file, CHUNK)


@dataclass(slots=True)
class _Transfer:
    """Downloader for pooch that resumes ``part`` if the server's version is unchanged."""

    part: Path
    max_bytes: int
    on_progress: ReportBytes | None = None

    def __call__(
        self, url: str, output_file: str, _pooch: object, check_only: bool = False
    ) -> bool:
        """Download ``url`` to ``output_file``, with retries after :data:`PAUSES`."""
        if check_only:
            return requests.head(url, timeout=TIMEOUT, allow_redirects=True).ok
        for pause in (*PAUSES, None):
            try:
                self._resume(url)
                break
            except BROKEN:
                if pause is None or not self._so_far():
                    raise
                time.sleep(pause)
        os.replace(self.part, output_file)
        self._version.unlink(missing_ok=True)
        return True

    @property
    def _version(self) -> Path:
        return self.part.with_name(f"{self.part.name}.version")

    def _so_far(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _resume(self, url: str) -> None:
        version = self._version.read_text(encoding="utf-8") if self._version.exists() else ""
        headers = {"Accept-Encoding": "identity"}
        if version and self._so_far():
            headers |= {"Range": f"bytes={self._so_far()}-", "If-Range": version}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code == 416:  # ``part`` is complete or outdated
                if response.headers.get("Content-Range", "").endswith(f"/{self._so_far()}"):
                    return
                self.part.unlink()
                raise requests.ConnectionError
            response.raise_for_status()
            is_rest = response.status_code == 206
            start = self._so_far() if is_rest else 0
            total = start + int(response.headers.get("Content-Length", 0))
            if not is_rest:
                self._note_version(response.headers)
            self._receive(response, "ab" if is_rest else "wb", start, total)

    def _note_version(self, headers: Mapping[str, str]) -> None:
        etag = headers.get("ETag", "")
        version = etag if etag.startswith('"') else headers.get("Last-Modified", "")
        self._version.write_text(version, encoding="utf-8")

    def _receive(self, response: requests.Response, mode: str, n_received: int, total: int) -> None:
        with self.part.open(mode) as file:
            for block in response.iter_content(CHUNK):
                n_received += len(block)
                if n_received > self.max_bytes:
                    raise FileRefusedError(
                        f"{response.url}: expected at most {self.max_bytes:,} bytes; got more."
                    )
                file.write(block)
                if self.on_progress:
                    self.on_progress(n_received, total)
        if n_received < total:  # truncated; urllib3 before 2.0 raises no error
            raise requests.ConnectionError
