"""Files that pages show or offer, kept for a while after the last run that named them.

Streamlit drops a deferred download (a function) as soon as a run of any visitor ends without naming
it, and drops the file made by this function two such runs later. A page that is older than the last
run still offers both, so a click on them would fail.
"""

from __future__ import annotations

import time
from typing import Any

from streamlit.runtime import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorage

#: Seconds for which a file can be requested after a run that does not name it.
GRACE_SECONDS = 60.0


class ServedFiles(MediaFileManager):
    """Files and deferred downloads of the server, removed a minute after they were last named."""

    def __init__(self, storage: MediaFileStorage) -> None:
        super().__init__(storage)
        self._unnamed: dict[str, tuple[object, float]] = {}  # id -> its entry, seconds of a clock

    def clear_session_refs(self, session_id: str | None = None) -> None:
        """Drop references of a session, and its deferred downloads if the session has ended."""
        super().clear_session_refs(session_id)
        if session_id is None:  # a run begins; with an id, the session ends
            return
        with self._lock:
            for file_id in [*self._deferred_ids_by_session.get(session_id, ())]:
                self._drop_deferred_id(file_id)

    def remove_orphaned_files(self) -> None:
        """Remove files and deferred downloads that no session has named for a while."""
        now = time.monotonic()
        with self._lock:
            named = {
                file_id
                for files in self._files_by_session_and_coord.values()
                for file_id in files.values()
            }
            entries: dict[str, object] = {**self._file_metadata, **self._deferred_callables}
            earlier, self._unnamed = self._unnamed, {}
            for file_id in entries.keys() - named:
                entry, since = earlier.get(file_id, (None, now))
                if entry is not entries[file_id]:  # made again meanwhile
                    since = now
                if now - since < GRACE_SECONDS:
                    self._unnamed[file_id] = entries[file_id], since
                elif file_id in self._deferred_callables:
                    self._drop_deferred_id(file_id)
                else:
                    self._delete_file(file_id)


def keep_served_files() -> None:
    """Make the next server that starts use :class:`ServedFiles`."""
    module: Any = runtime
    module.MediaFileManager = ServedFiles
