"""Uploads are on disk, within the limits of a visitor."""

import asyncio
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.web.server.starlette.starlette_app import App

from ui.intake import upload_storage, uploads
from ui.intake.upload_storage import MOST_FILES, UploadStorage
from ui.shell import serving
from zslcore.exceptions import FileRefusedError

CONTENT = bytes(range(256)) * 4


def run(coroutine):
    """Run a coroutine in a thread, since this thread may have a browser's event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.fixture
def storage(own_data, monkeypatch):
    """An empty storage, used by a script of session "a"."""
    result = UploadStorage("/upload")
    context = SimpleNamespace(session_id="a", uploaded_file_mgr=result)
    monkeypatch.setattr(upload_storage, "get_script_run_ctx", lambda: context)
    return result


def add(storage, id_, session="a", content=CONTENT):
    storage.add_file(session, UploadedFileRec(id_, f"{id_}.csv", "text/csv", content))


def value(storage, id_):
    """The value of the widget."""
    (record,) = storage.get_files("a", [id_])
    return UploadedFile(record, None)


def on_disk(tmp_path):
    folder = tmp_path / "data" / "scratch"
    return [path for path in folder.rglob("*") if path.is_file() and path.name[0] != "."]


def test_a_file_is_stored_and_read_on_disk_only(storage, tmp_path):
    add(storage, "scores")
    file = value(storage, "scores")
    assert file.getvalue() == b""
    assert storage.get_stats()["cache_memory_bytes"][0].byte_length == 0
    (path,) = uploads.put([file], tmp_path)
    assert path == tmp_path / "scores.csv"
    assert path.read_bytes() == CONTENT
    assert path.samefile(*on_disk(tmp_path))


@pytest.mark.parametrize("end", ["remove_file", "remove_session_files"])
def test_a_removed_file_leaves_the_disk_and_makes_room(storage, tmp_path, monkeypatch, end):
    monkeypatch.setenv("ZSL_UPLOADS_A_VISITOR", str(len(CONTENT)))
    add(storage, "first")
    value(storage, "first")
    getattr(storage, end)(*{"remove_file": ("a", "first")}.get(end, ("a",)))
    assert on_disk(tmp_path) == []
    assert storage.size() == 0
    add(storage, "second")
    uploads.put([value(storage, "second")], tmp_path)


def test_a_file_that_is_removed_while_it_is_written_leaves_the_disk(storage, tmp_path, monkeypatch):
    write, written = UploadStorage._write, threading.Event()

    def removed_first(self, stored, file):
        self.remove_file("a", "first")
        write(self, stored, file)
        written.set()

    monkeypatch.setattr(UploadStorage, "_write", removed_first)
    add(storage, "first")
    assert written.wait(60)
    assert on_disk(tmp_path) == []


@pytest.mark.parametrize(
    ("setting", "session"), [("ZSL_UPLOADS_A_VISITOR", "a"), ("ZSL_UPLOADS", "b")]
)
def test_uploads_beyond_a_limit_are_refused(storage, tmp_path, monkeypatch, setting, session):
    monkeypatch.setenv(setting, str(2 * len(CONTENT)))
    for id_ in ("first", "second"):
        add(storage, id_, session)
    add(storage, "third")
    with pytest.raises(
        FileRefusedError, match=rf"third.csv: .* 2,048 bytes of uploads \({setting}"
    ):
        uploads.put([value(storage, "third")], tmp_path)
    storage.get_files(session, ["first", "second"])
    assert len(on_disk(tmp_path)) == 2


def test_uploads_beyond_the_number_of_files_are_refused_in_one_sentence(storage, tmp_path):
    for k in range(MOST_FILES + 3):
        add(storage, f"{k}", content=b"")
    with pytest.raises(FileRefusedError, match=f"expected at most {MOST_FILES} uploaded files"):
        uploads.put([value(storage, f"{MOST_FILES}")], tmp_path)
    assert storage.get_files("a", [f"{MOST_FILES + 1}"]) == []


def test_a_full_disk_is_named(storage, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(upload_storage.Path, "write_bytes", full)
    add(storage, "scores")
    with pytest.raises(FileRefusedError, match=r"scores.csv: could not .*No space left on device"):
        uploads.put([value(storage, "scores")], tmp_path)


def test_a_disk_without_room_for_a_folder_is_named(storage, tmp_path, monkeypatch):
    def refuse():
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(upload_storage.artifacts, "scratch_folder", refuse)
        add(storage, "first")
        with pytest.raises(FileRefusedError, match="could not be stored on the server: No space"):
            upload_storage.stored_path(value(storage, "first"))
    storage.remove_session_files("a")
    add(storage, "second")
    value(storage, "second")
    assert len(on_disk(tmp_path)) == 1


def test_a_file_of_another_session_is_not_found(storage, tmp_path):
    add(storage, "scores", session="b")
    file = io.BytesIO(b"own")
    file.name, file.file_id = "scores.csv", "scores"
    (path,) = uploads.put([file], tmp_path)
    assert path.read_bytes() == b"own"


def test_the_server_uses_this_storage_of_uploads(tmp_path):
    script = tmp_path / "app.py"
    script.write_text("")
    assert isinstance(App(script)._create_runtime().uploaded_file_mgr, UploadStorage)


def test_an_upload_that_exceeds_memory_is_refused_for_now(monkeypatch):
    monkeypatch.setenv("ZSL_MEMORY", "64MB")
    sent = []

    async def send(message):
        sent.append(message.get("status"))

    async def app(scope, receive, send):
        if scope["inner"]:
            await served(scope | {"inner": scope["inner"] - 1}, receive, send)
        await send({"status": 204})

    served = serving.Uploads(app)
    headers = [(b"content-length", b"50000000")]
    scope = {"type": "http", "method": "PUT", "headers": headers, "inner": 1}
    run(served(scope, None, send))
    assert [status for status in sent if status] == [503, 204]
    run(served(scope | {"inner": 0}, None, send))
    assert sent[-1] == 204
    run(served(scope | {"method": "GET"}, None, send))
    assert sent[-2:] == [204, 204]


def test_a_csv_with_an_oversized_title_cannot_be_surveyed(storage):
    files = []
    for name, title in (("a", "x" * 200_000), ("b", "class")):
        add(storage, name, content=f"{title},label\n1,dog\n".encode())
        files.append(value(storage, name))
    assert uploads.survey_files(files) is None
