"""Storage on disk for the uploaded files of all sessions.

Streamlit keeps the bytes of an upload in memory until its session ends, and again in each value of
the widget. Here, bytes are in memory only until they are written to disk; the values of the widget
have no bytes, and :func:`stored_path` returns the path of the file.

=========================  =======  =============================================
variable                   default  what it limits, in bytes
=========================  =======  =============================================
``ZSL_UPLOADS``            16 GiB   uploads that one server stores
``ZSL_UPLOADS_A_VISITOR``  2 GiB    uploads of one session, at most 64 files
=========================  =======  =============================================
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from streamlit.runtime import memory_uploaded_file_manager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from zslcore.exceptions import FileRefusedError
from zslcore.storage import artifacts, settings
from zslcore.texts import clean_text

#: Maximum number of files that a session stores at a time.
MOST_FILES = 64


@dataclass(eq=False)
class StoredUpload:
    """One uploaded file: size, path, and the reason for a refusal, empty if it was accepted."""

    size: int
    path: Path
    refusal: str = ""
    is_removed: bool = False
    written: threading.Event = field(default_factory=threading.Event)


class UploadStorage(MemoryUploadedFileManager):
    """Uploads of the server; the records passed to Streamlit have no bytes."""

    def __init__(self, upload_endpoint: str) -> None:
        super().__init__(upload_endpoint)
        self._stored: dict[str, dict[str, StoredUpload]] = {}
        self._storing = threading.Lock()
        self._folder: Path | None = None

    def add_file(self, session_id: str, file: UploadedFileRec) -> None:
        """Write a file to disk in a thread, so that other visitors do not wait, or refuse it."""
        with self._storing:
            self._forget(session_id, file.file_id)
            of_session = self._stored.setdefault(session_id, {})
            if len(of_session) > MOST_FILES:
                # One refused file above the limit has an entry with the reason; others have none.
                return
            refusal = self._refusal(session_id, file)
            path = Path() if refusal else self._upload_folder() / uuid4().hex
            stored = StoredUpload(0 if refusal else len(file.data), path, refusal)
            of_session[file.file_id] = stored
        super().add_file(session_id, file._replace(data=b""))
        if refusal:
            stored.written.set()
        else:
            threading.Thread(target=self._write, args=(stored, file), name="upload").start()

    def get_files(self, session_id: str, file_ids: Sequence[str]) -> list[UploadedFileRec]:
        """Wait until files are on disk; return their records, which have no bytes."""
        for file_id in file_ids:
            if stored := self._stored.get(session_id, {}).get(file_id):
                stored.written.wait()
        return super().get_files(session_id, file_ids)

    def remove_file(self, session_id: str, file_id: str) -> None:
        """Remove a file from disk."""
        with self._storing:
            self._forget(session_id, file_id)
        super().remove_file(session_id, file_id)

    def remove_session_files(self, session_id: str) -> None:
        """Remove the files of a session from disk."""
        with self._storing:
            for file_id in [*self._stored.get(session_id, ())]:
                self._forget(session_id, file_id)
            self._stored.pop(session_id, None)
        super().remove_session_files(session_id)

    def stored_path(self, session_id: str, file_id: str) -> Path | None:
        """Return the path of a file, None if unknown; raise FileRefusedError for a refused file."""
        stored = self._stored.get(session_id, {}).get(file_id)
        if stored is not None and stored.refusal:
            raise FileRefusedError(stored.refusal)
        return None if stored is None else stored.path

    def size(self, session_id: str | None = None) -> int:
        """Return the bytes stored by a session, or by all sessions."""
        sessions = [*self._stored] if session_id is None else [session_id]
        return sum(
            upload.size for id_ in sessions for upload in [*self._stored.get(id_, {}).values()]
        )

    def _refusal(self, session_id: str, file: UploadedFileRec) -> str:
        """Return the reason for not storing a file, as a sentence; empty if it can be stored."""
        name = clean_text(file.name, 80)
        free = "Remove a file, or reload the page to remove all files."
        if len(self._stored[session_id]) >= MOST_FILES:
            return f"{name}: expected at most {MOST_FILES} uploaded files; got one more. {free}"
        for setting, stored, advice in (
            (settings.UPLOADS_A_VISITOR, self.size(session_id), free),
            (settings.UPLOADS, self.size(), "Try again later."),
        ):
            if stored + len(file.data) > setting():
                return (
                    f"{name}: expected at most {setting():,} bytes of uploads ({setting.name}); "
                    f"got {stored + len(file.data):,}. {advice}"
                )
        try:
            self._upload_folder()
        except OSError as error:
            return _not_stored(file, error)
        return ""

    def _upload_folder(self) -> Path:
        if self._folder is None:
            self._folder = artifacts.scratch_folder()
            weakref.finalize(self, artifacts.discard, self._folder)
        return self._folder

    def _write(self, stored: StoredUpload, file: UploadedFileRec) -> None:
        try:
            stored.path.write_bytes(file.data)
            if stored.is_removed:
                stored.path.unlink(missing_ok=True)
        except OSError as error:
            stored.path.unlink(missing_ok=True)
            stored.size, stored.refusal = 0, _not_stored(file, error)
        finally:
            stored.written.set()

    def _forget(self, session_id: str, file_id: str) -> None:
        if stored := self._stored.get(session_id, {}).pop(file_id, None):
            stored.is_removed = True  # makes the writing thread delete the file
            if not stored.refusal:
                stored.path.unlink(missing_ok=True)


def _not_stored(file: UploadedFileRec, error: OSError) -> str:
    return f"{clean_text(file.name, 80)}: could not be stored on the server: {error.strerror}."


def use_upload_storage() -> None:
    """Make the server that starts next use this storage."""
    module: Any = memory_uploaded_file_manager
    module.MemoryUploadedFileManager = UploadStorage


def stored_path(file: BinaryIO) -> Path | None:
    """Return the path of an uploaded file on disk; None for a file object that has its own bytes.

    Raises FileRefusedError if the file exceeded the limits or could not be stored.
    """
    context = get_script_run_ctx()
    storage: Any = context and context.uploaded_file_mgr
    if context is None or not isinstance(storage, UploadStorage):
        return None
    return storage.stored_path(context.session_id, getattr(file, "file_id", ""))
