"""A file can be requested for a while after a run that does not name it."""

import pytest
from streamlit.runtime import media_file_manager, runtime
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from ui.shell import served_files, serving
from ui.shell.served_files import GRACE_SECONDS, ServedFiles


@pytest.fixture
def clock(monkeypatch):
    """Function that advances the clock by a number of seconds."""
    seconds = [1000.0]
    monkeypatch.setattr(served_files.time, "monotonic", lambda: seconds[0])
    return lambda passed: seconds.__setitem__(0, seconds[0] + passed)


@pytest.fixture
def files(monkeypatch):
    """Files of a server during visit "a"."""
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "a")
    return ServedFiles(MemoryMediaFileStorage("/media"))


def offer(files, text):
    """Draw a download button in the first place of the page."""
    return files.add_deferred(lambda: text, "text/plain", "0", "x.txt")


def content(files, url):
    return files.read_file(url.rpartition("/")[2])


def test_a_button_drawn_again_still_makes_its_file(files, clock):
    earlier, now = offer(files, "earlier"), offer(files, "now")
    for seconds in (0, GRACE_SECONDS / 2):
        clock(seconds)
        files.remove_orphaned_files()
        assert content(files, files.execute_deferred(earlier)).content == b"earlier"
    clock(GRACE_SECONDS)
    files.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(earlier)
    assert content(files, files.execute_deferred(now)).content == b"now"


def test_buttons_of_a_running_page_outlast_runs_of_other_visitors(files, clock):
    button = offer(files, "x")
    files.clear_session_refs()  # the page begins to run
    files.remove_orphaned_files()  # the run of another visitor ends
    clock(GRACE_SECONDS / 2)
    files.remove_orphaned_files()
    assert files.execute_deferred(button)


def test_a_file_is_kept_for_a_while_after_it_was_last_named(files, clock):
    button = offer(files, "x")
    url = files.execute_deferred(button)
    for _ in range(3):
        for _ in range(3):
            clock(GRACE_SECONDS / 4)
            files.remove_orphaned_files()
        assert content(files, url)
        assert files.execute_deferred(button) == url
    for seconds in (0, GRACE_SECONDS):
        assert content(files, url)
        clock(seconds)
        files.remove_orphaned_files()
    assert not content(files, url)


def test_the_end_of_a_visit_removes_its_buttons_at_once(files, clock):
    button = offer(files, "x")
    files.clear_session_refs("a")
    with pytest.raises(MediaFileStorageError):
        files.execute_deferred(button)


def test_the_server_uses_this_storage_of_files():
    assert serving.served_files is served_files
    assert runtime.MediaFileManager is ServedFiles
