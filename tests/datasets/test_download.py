"""Downloads from a test server that can break off, send wrong content or be down."""

import hashlib
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.datasets import files
from tests.writing import write_file
from zslcore import __main__ as command_line
from zslcore.commands.download import next_steps
from zslcore.datasets import download, load
from zslcore.datasets.download import archives, fetch, unpack
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.leakage import audit


class Server(ThreadingHTTPServer):
    """Serves ``content``; breaks off after the number of bytes in each entry of ``breaks``."""

    daemon_threads = True

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.breaks, self.requests = content, [], []
        self.has_ranges, self.has_version, self.status = True, True, 200

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/xlsa17.zip"

    @property
    def version(self):
        return f'"{hashlib.sha256(self.content).hexdigest()[:8]}"'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server, start = self.server, 0
        request = self.headers.get("Range")
        server.requests.append(request)
        same = self.headers.get("If-Range") in (None, server.version)
        if request and server.has_ranges and same:
            start = int(request.removeprefix("bytes=").rstrip("-"))
        if start >= len(server.content):
            self.answer(416, b"", {"Content-Range": f"bytes */{len(server.content)}"})
        elif server.status != 200:
            self.answer(server.status, b"", {})
        else:
            ranged = f"bytes {start}-{len(server.content) - 1}/{len(server.content)}"
            headers = {"Content-Range": ranged} if start else {}
            self.answer(206 if start else 200, server.content[start:], headers)

    def answer(self, status, body, headers):
        self.send_response(status)
        if self.server.has_version:
            self.send_header("ETag", self.server.version)
        for key, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(key, str(value))
        self.end_headers()
        stop = self.server.breaks.pop(0) if self.server.breaks else len(body)
        self.wfile.write(body[:stop])
        self.close_connection = True

    def log_message(self, *_):
        pass


def toy_archive(path, *datasets, extra=None):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in (extra or {}).items():
            kind = zipfile.ZIP_STORED if name == "filler.bin" else None
            packed.writestr(name, content, kind)
        for name in datasets:
            folder = files.write_folder(path.parent / "made" / name)
            for file in folder.iterdir():
                packed.write(file, f"xlsa17/data/{name}/{file.name}")
    return path


@pytest.fixture
def server(tmp_path):
    toy_archive(tmp_path / "made.zip", "AWA1", "CUB", extra={"filler.bin": bytes(100)})
    with Server((tmp_path / "made.zip").read_bytes()) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def archive(own_data, server, monkeypatch):
    monkeypatch.setattr(download, "PAUSES", (0, 0, 0))
    monkeypatch.setattr(download, "CHUNK", 1000)
    return replace(archives()["xlsa17"], url=server.url)


def test_the_manifest_names_the_public_archive():
    xlsa17 = archives()["xlsa17"]
    assert xlsa17.url.endswith("datasets.d2.mpi-inf.mpg.de/xian/xlsa17.zip")
    assert set(xlsa17.required) <= set(xlsa17.members)


def test_a_file_is_downloaded_once_with_progress(archive, server):
    steps = []
    path = fetch(archive, lambda done, total: steps.append((done, total)))
    assert path == archive.path
    assert path.read_bytes() == server.content
    assert steps[-1] == (len(server.content), len(server.content))
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    fetch(archive)
    assert server.requests == [None]
    assert archive.known_sha256() == hashlib.sha256(server.content).hexdigest()
    assert {p.name for p in path.parent.iterdir()} == {"xlsa17.zip", "xlsa17.zip.sha256"}


def test_an_interrupted_transfer_resumes(archive, server):
    server.breaks = [1500, 700]
    assert fetch(archive).read_bytes() == server.content
    assert server.requests[0] is None
    starts = [int(r.removeprefix("bytes=").rstrip("-")) for r in server.requests[1:]]
    assert len(starts) == 2
    assert 0 < starts[0] <= 1500 < starts[1] + 700 <= 2900


def test_a_later_command_resumes_the_transfer_of_an_earlier_command(archive, server, monkeypatch):
    monkeypatch.setattr(download, "PAUSES", ())
    server.breaks = [2500]
    with pytest.raises(DatasetError, match="Could not download"):
        fetch(archive)
    assert not archive.path.exists()
    assert fetch(archive).read_bytes() == server.content
    assert server.requests[1].startswith("bytes=")


def test_a_complete_transfer_is_put_in_place_without_another_download(archive, server):
    archive.path.parent.mkdir(parents=True)
    part = archive.path.with_name("xlsa17.zip.part")
    write_file(part, server.content)
    write_file(part.with_name("xlsa17.zip.part.version"), server.version)
    assert fetch(archive).read_bytes() == server.content
    assert server.requests == [f"bytes={len(server.content)}-"]


@pytest.mark.parametrize("lack", ["has_ranges", "has_version"])
def test_a_server_without_ranges_or_versions_starts_again(archive, server, lack):
    setattr(server, lack, False)
    server.breaks = [1500]
    assert fetch(archive).read_bytes() == server.content


def test_bytes_of_two_versions_are_never_joined(archive, server, monkeypatch):
    monkeypatch.setattr(download, "PAUSES", ())
    server.breaks = [2500]
    with pytest.raises(DatasetError):
        fetch(archive)
    server.content = server.content.replace(bytes(100), bytes([7]) * 100)
    assert fetch(archive).read_bytes() == server.content


def test_a_changed_file_is_refused_and_deleted(archive, server):
    fetch(archive)
    archive.path.unlink()
    server.content = server.content.replace(bytes(100), bytes([7]) * 100)
    with pytest.raises(FileRefusedError, match=r"expected SHA-256 [0-9a-f]{64}, as noted in .*256"):
        fetch(archive)
    assert not archive.path.exists()


def test_another_file_than_published_is_refused(archive, server):
    with pytest.raises(FileRefusedError, match=f"expected SHA-256 {'0' * 64}, as published"):
        fetch(replace(archive, sha256="0" * 64))
    right = hashlib.sha256(server.content).hexdigest()
    assert fetch(replace(archive, sha256=right)).exists()


def test_without_a_network_the_message_names_file_and_folder(archive, server):
    server.shutdown()
    server.server_close()
    with pytest.raises(DatasetError) as caught:
        fetch(archive)
    for part in (archive.url, str(archive.path), "by other means"):
        assert part in str(caught.value)
    archive.path.write_bytes(server.content)  # this stands for a file copied by hand
    assert fetch(archive) == archive.path
    assert archive.known_sha256()


def test_an_error_page_is_not_taken_for_an_archive(archive, server):
    server.status = 404
    with pytest.raises(DatasetError, match=r"\(HTTP status 404\)"):
        fetch(archive)
    server.status, server.content = 200, b"<html>please log in</html>"
    with pytest.raises(FileRefusedError, match="expected a zip archive; got something else"):
        fetch(archive)
    assert archive.known_sha256() is None


def test_a_server_that_never_stops_is_stopped(archive):
    with pytest.raises(FileRefusedError, match="expected at most 2,000 bytes; got more"):
        fetch(replace(archive, max_bytes=2000))


@pytest.mark.parametrize(("words", "nearest"), [(["xlsa18"], "xlsa17"), (["xlsa17", "CUP"], "CUB")])
def test_a_misspelt_name_gets_the_nearest_one_before_the_download(
    archive, server, monkeypatch, capsys, words, nearest
):
    monkeypatch.setattr(download, "archives", lambda: {"xlsa17": archive})
    name, *only = words
    assert command_line.main(["download", name, *(["--only", *only] if only else [])]) == 2
    assert f"did you mean '{nearest}'?" in capsys.readouterr().err
    assert not server.requests


# --- Unpacking ------------------------------------------------------------------------------------


def test_only_listed_members_are_written_and_only_into_the_folder(archive, tmp_path):
    extra = {
        "../../escaped.txt": b"x",
        "/absolute.txt": b"x",
        "xlsa17/data/CUB/evil.py": b"x",
        "xlsa17/data/CUB/../../../res101.mat": b"x",
        "old/CUB/trainclasses1.txt": b"another\n",
        "xlsa17/data/CUB/trainclasses1.txt": b"otter\n",
    }
    path = toy_archive(tmp_path / "a.zip", "CUB", extra=extra)
    before = set(tmp_path.rglob("*"))
    (folder,) = unpack(archive, path, tmp_path / "out", only=["CUB"]).values()
    assert {p.name for p in folder.iterdir()} == {
        "res101.mat",
        "att_splits.mat",
        "trainclasses1.txt",
    }
    assert (folder / "trainclasses1.txt").read_bytes() == b"otter\n"
    assert set(tmp_path.rglob("*")) - before == {tmp_path / "out", folder, *folder.iterdir()}


def test_a_missing_member_is_named(archive, tmp_path):
    path = toy_archive(tmp_path / "a.zip", "CUB")
    with pytest.raises(FileRefusedError, match="expected a member data/APY/res101.mat; found none"):
        unpack(archive, path, tmp_path / "out")


def test_a_zip_bomb_is_not_unpacked(archive, tmp_path):
    extra = {"data/SUN/res101.mat": bytes(30_000_000), "data/SUN/att_splits.mat": b"x"}
    path = toy_archive(tmp_path / "a.zip", extra=extra)
    with pytest.raises(FileRefusedError, match=r"res101\.mat: expected at most 2,918,400 unpacked"):
        unpack(archive, path, tmp_path / "out", only=["SUN"])
    assert not (tmp_path / "out").exists()


def test_a_damaged_archive_is_refused_in_one_sentence(archive, tmp_path):
    path = toy_archive(tmp_path / "a.zip", "CUB")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    with pytest.raises(FileRefusedError, match="damaged or encrypted"):
        unpack(archive, write_file(path, content), tmp_path / "out", only=["CUB"])
    with pytest.raises(FileRefusedError, match="damaged or encrypted"):
        unpack(archive, write_file(path, content[:500]), tmp_path / "out", only=["CUB"])


@pytest.mark.usefixtures("in_process")
def test_the_command_downloads_and_imports(archive, server, monkeypatch, capsys):
    monkeypatch.setattr(download, "archives", lambda: {"xlsa17": archive})
    size = len(server.content)
    server.breaks = [size // 3, size // 3]
    assert command_line.main(["download", "xlsa17", "--only", "CUB", "AWA1"]) == 0
    out, err = capsys.readouterr()
    assert str(archive.path) in out
    assert "30 x 7 features" in out
    assert len(server.requests) == 3  # the server cut off the first two
    assert err.startswith("\r ")
    assert err.count("\n") == 3  # one line of percentages, and one line for each of two data sets
    assert "\r100% of 0 MB" in err
    real = "The app now shows the real CUB and AWA1: Playground opens CUB (zslcore app). "
    assert f"{real}'zslcore reproduce gbu:table3 --dataset CUB'" in out
    assert load("CUB").class_names == tuple(n.replace("+", " ") for n in files.CLASSES)
    assert load("AWA1").name == "AWA1"
    assert out.count("features  trained on imagenet-1k\n") == 2
    report = audit(load("CUB"))
    assert "ZSL006" not in {finding.check for finding in report.select_findings("open")}


def test_the_page_of_awa1_and_awa2_is_named_only_if_both_are_imported():
    text = next_steps(["APY", "AWA1", "AWA2"])
    assert text.startswith("The app now shows the real APY, AWA1 and AWA2: the page AWA1 and AWA2 ")
    assert "Playground opens AWA2" in text
    assert next_steps(["SUN"]).startswith("The app now shows the real SUN: Playground opens SUN")


def test_zslcore_download_refuses_in_one_sentence(archive, server, monkeypatch, capsys):
    monkeypatch.setattr(download, "archives", lambda: {"xlsa17": archive})
    server.status = 500
    assert command_line.main(["download", "xlsa17"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("zslcore: Could not download")
    assert err.count("\n") == 1
