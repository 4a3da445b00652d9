"""Repair of the run store: no readable row is lost, also with concurrent access."""

import hashlib
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.results import database
from zslcore.results.database import damage_of, repair_store
from zslcore.results.store import ResultStore

ROOT = Path(__file__).parents[2]
PAGE = 4096
N = 40


@pytest.fixture(scope="module")
def result():
    return run(RunSpec("digits", "PS", "LinearS2V", {"lam": 1.0}), with_oracle=False).result


@pytest.fixture(scope="module")
def whole(result, tmp_path_factory):
    """The bytes of a store with many pages, and all its rows."""
    store = ResultStore(tmp_path_factory.mktemp("whole") / "runs.sqlite")
    with store.writing() as db:
        for k in range(N):
            text = replace(result, key=f"{k:016x}").to_json()
            db.execute("INSERT INTO runs VALUES (?, ?, ?)", (f"{k:016x}", result.created, text))
        for k in range(N):  # a table of earlier versions
            row = (f"{k:016x}@Ada", "Ada", "hers.json", "2026", result.created, result.to_json())
            db.execute("INSERT INTO imported VALUES (?, ?, ?, ?, ?, ?)", row)
    return store.path.read_bytes(), rows_in(store.path)


@pytest.fixture
def store(tmp_path, whole):
    """A store with a backup."""
    store = ResultStore(tmp_path / "data" / "runs.sqlite")
    store.path.parent.mkdir()
    store.path.write_bytes(whole[0])
    database.back_up(store.path)
    return store


def rows_in(path):
    """All rows of both tables, by table and key."""
    result = {}
    with closing(sqlite3.connect(path)) as db:
        for table in database.KEYS:
            result |= {(table, row[0]): row for row in db.execute(f"SELECT * FROM {table}")}
    return result


def set_aside(store):
    return sorted(store.path.parent.glob("runs.damaged-*"))


def change(store, *patches):
    """Overwrite bytes of the file: (place, bytes)."""
    content = bytearray(store.path.read_bytes())
    for at, new in patches:
        content[at : at + len(new)] = new
    store.path.write_bytes(content)


def leaves(content):
    """Numbers of leaf pages, from 0, with at least one row."""
    starts = range(PAGE, len(content), PAGE)
    return [
        at // PAGE for at in starts if content[at] == 13 and content[at + 3 : at + 5] != b"\0\0"
    ]


def swap_leaves(store):
    content = store.path.read_bytes()
    first, second = leaves(content)[2], leaves(content)[9]
    page_of = {k: content[k * PAGE : (k + 1) * PAGE] for k in (first, second)}
    change(store, (first * PAGE, page_of[second]), (second * PAGE, page_of[first]))


#: Damage after which every row is still in the file or in its backup.
DAMAGE = {
    "two leaves swapped": swap_leaves,
    "no header": lambda store: change(store, (0, b"\xff" * 16)),
    "the index of keys": lambda store: change(store, (2 * PAGE, b"\xff" * PAGE)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_repair_keeps_every_readable_row(store, whole, damage):
    DAMAGE[damage](store)
    spoiled = store.path.read_bytes()
    assert damage_of(store.path)
    text = repair_store(store.path)
    assert f"{2 * N} readable results were recovered." in text
    assert damage_of(store.path) == repair_store(store.path) == ""
    assert rows_in(store.path) == whole[1]
    (aside,) = set_aside(store)
    assert aside.read_bytes() == spoiled
    assert aside.name in text


#: Damage to the first page: its place and the new bytes.
FIRST_PAGE = {
    "no name of the format": (0, b"\xff" * 16),
    "zeros": (0, bytes(100)),
    "size of a page": (16, b"\x02\0"),
    "version that is only read": (18, b"\xfe"),
    "unknown version": (19, b"\xfe"),
    "payload": (21, b"\x01"),
    "format of the schema": (47, b"\xff"),
    "encoding": (59, b"\x02"),
    "names of the tables": (100, bytes(PAGE - 100)),
    "all": (0, b"\xee" * PAGE),
}


@pytest.mark.parametrize("backed_up", [True, False])
@pytest.mark.parametrize("place", FIRST_PAGE)
def test_a_damaged_first_page_loses_no_row_of_today(store, result, place, backed_up):
    store.put(replace(result, key="of today"))
    if not backed_up:
        database.backup_of(store.path).unlink()
    whole = rows_in(store.path)
    change(store, FIRST_PAGE[place])
    assert damage_of(store.path)
    assert repair_store(store.path)
    assert rows_in(store.path) == whole
    store.put(replace(result, key="afterwards"))


# --- A store without its results ------------------------------------------------------------------


def drop_tables(*names):
    def drop(store):
        with closing(sqlite3.connect(store.path)) as db:
            for name in names:
                db.execute(f"DROP TABLE {name}")

    return drop


def empty_tables(store):
    with closing(sqlite3.connect(store.path)) as db, db:
        for table in database.KEYS:
            db.execute(f"DELETE FROM {table}")


def replace_by_another(store):
    store.path.unlink()
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("CREATE TABLE notes (text)")


def empty_with_a_log(store):
    store.path.write_bytes(b"")
    store.path.with_name("runs.sqlite-wal").write_bytes(b"a log of another file")


LOSSES = {
    "no byte": lambda store: store.path.write_bytes(b""),
    "no file": lambda store: store.path.unlink(),
    "no byte, and a log": empty_with_a_log,
    "no page but a header": lambda store: store.path.write_bytes(store.path.read_bytes()[:100]),
    "text": lambda store: store.path.write_bytes(b"no store" * 99),
    "no table": drop_tables(*database.KEYS),
    "one table": drop_tables("runs"),
    "no row": empty_tables,
    "another SQLite file": replace_by_another,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_store_without_its_results_is_damaged_and_keeps_its_backup(store, result, whole, loss):
    backup = database.backup_of(store.path)
    LOSSES[loss](store)
    os.utime(backup, (1, 1))
    database.back_up(store.path)
    assert rows_in(backup) == whole[1]
    for step in (store.results, lambda: store.put(result), lambda: store.put(result)):
        with pytest.raises(ZSLError, match=r"`zslcore doctor --repair`"):
            step()
    assert rows_in(backup) == whole[1]
    assert damage_of(store.path)
    assert f"{2 * N} readable results were recovered." in repair_store(store.path)
    assert rows_in(store.path) == whole[1]
    assert damage_of(store.path) == repair_store(store.path) == ""
    store.put(replace(result, key="afterwards"))


def test_a_store_emptied_by_the_user_is_intact_and_stays_empty(tmp_path, result):
    store = ResultStore(tmp_path / "runs.sqlite")
    for key in ("first", "second"):
        store.put(replace(result, key=key))
    assert rows_in(database.backup_of(store.path))
    for stored_run in store.stored():
        store.delete(stored_run.id)
    assert damage_of(store.path) == repair_store(store.path) == ""
    assert store.stored() == []
    os.utime(database.backup_of(store.path), (1, 1))
    store.put(replace(result, key="afterwards"))
    assert [stored_run.id for stored_run in store.stored()] == ["afterwards"]


def test_a_repair_does_not_restore_deleted_rows(store, whole):
    gone = f"{3:016x}"
    store.delete(gone)
    store.path.write_bytes(b"no store" * 99)
    assert repair_store(store.path)
    assert set(rows_in(store.path)) == set(whole[1]) - {("runs", gone)}


def test_a_deletion_interrupted_at_the_backup_keeps_the_result(store, monkeypatch):
    key = f"{3:016x}"

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("zslcore.results.store.delete_from_backup", killed)
    with pytest.raises(KeyboardInterrupt):
        store.delete(key)
    assert store.get(key)
    assert damage_of(store.path) == ""


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_without_a_backup_a_repair_keeps_all_rows_before_the_cut(store, whole, part):
    database.backup_of(store.path).unlink()
    content = store.path.read_bytes()
    store.path.write_bytes(content[: int(len(content) * part) // PAGE * PAGE])
    repair_store(store.path)
    kept_rows = rows_in(store.path)
    assert set(kept_rows.items()) <= set(whole[1].items())
    assert len(kept_rows) >= 2 * N * part - 18  # the first eleven pages have no rows
    assert damage_of(store.path) == ""


def test_a_repair_joins_results_of_the_day_with_the_backup(store, result, whole):
    store.put(replace(result, key="of today"))
    content = store.path.read_bytes()
    middle = leaves(content)[len(leaves(content)) // 2]
    change(store, (middle * PAGE, b"\xff" * PAGE))
    repair_store(store.path)
    assert rows_in(store.path).items() >= whole[1].items()
    assert store.get("of today")


def test_a_store_is_backed_up_once_a_day_if_it_is_intact(store, result):
    backup = database.backup_of(store.path)
    first = backup.read_bytes()
    store.put(replace(result, key="later"))
    assert backup.read_bytes() == first
    os.utime(backup, (1, 1))
    store.put(replace(result, key="next day"))
    assert ("runs", "later") in rows_in(backup)
    second = backup.read_bytes()
    os.utime(backup, (1, 1))
    swap_leaves(store)
    database.back_up(store.path)
    assert backup.read_bytes() == second
    assert not list(store.path.parent.glob(".runs.sqlite.*"))


# --- Concurrent access ----------------------------------------------------------------------------


def test_two_simultaneous_repairs_repair_once_and_keep_the_damaged_file(store, monkeypatch):
    swap_leaves(store)
    sha = hashlib.sha256(store.path.read_bytes()).hexdigest()
    both, seen, waited = threading.Barrier(2), database.damage_of, set()

    def seen_by_both(store):
        result = seen(store)
        if threading.get_ident() not in waited:
            waited.add(threading.get_ident())
            both.wait(60)  # both notice the damage before either starts
        return result

    monkeypatch.setattr(database, "damage_of", seen_by_both)
    text = []
    threads = [
        threading.Thread(target=lambda: text.append(repair_store(store.path))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(bool, text)) == [False, True]
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in set_aside(store)] == [sha]
    assert len(store.stored()) == N


MENDER = """
import sys
from zslcore.results.database import repair_store
from zslcore.results.store import ResultStore
sys.stdin.read()
print(bool(repair_store(ResultStore(sys.argv[1]).path)))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("damage", [swap_leaves, DAMAGE["no header"]])
def test_two_servers_that_start_together_repair_once(store, damage):
    damage(store)
    sha = hashlib.sha256(store.path.read_bytes()).hexdigest()
    words = [sys.executable, "-c", MENDER, str(store.path)]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    processes = [subprocess.Popen(words, **pipe) for _ in range(2)]
    for process in processes:
        process.stdin.close()
    output = sorted(process.stdout.read().strip() for process in processes)
    assert [process.wait(120) for process in processes] == [0, 0]
    for process in processes:
        process.stdout.close()
    assert output == ["False", "True"]
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in set_aside(store)] == [sha]
    assert len(store.stored()) == N


def test_rows_stored_during_a_repair_are_kept(store, result, monkeypatch):
    swap_leaves(store)
    copied, opened = database._copy, threading.Event()
    connect, errors = sqlite3.connect, []

    def put():
        try:
            ResultStore(store.path).put(replace(result, key="put meanwhile"))
        except ZSLError as error:
            errors.append(error)

    writer = threading.Thread(target=put)

    def connected(*args, **options):
        result = connect(*args, **options)
        if threading.current_thread() is writer:
            opened.set()
        return result

    def copied_while_somebody_puts(*args):
        writer.start()
        assert opened.wait(60)  # the writer has opened the damaged file
        return copied(*args)

    monkeypatch.setattr(sqlite3, "connect", connected)
    monkeypatch.setattr(database, "_copy", copied_while_somebody_puts)
    assert repair_store(store.path)
    writer.join()
    assert errors == []
    assert ("runs", "put meanwhile") in rows_in(store.path)
    assert len(store.stored()) == N + 1


KILLED = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 5")
db.execute("BEGIN IMMEDIATE")
db.execute("UPDATE runs SET result = result || 'x'")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
@pytest.mark.parametrize("header", [b"", b"no database at all", b"\xff" * 16])
def test_the_journal_of_a_killed_writer_does_not_reach_the_new_store(store, whole, header):
    subprocess.run([sys.executable, "-c", KILLED, str(store.path)], check=False)
    journal = store.path.with_name("runs.sqlite-journal")
    assert journal.stat().st_size > PAGE
    database.backup_of(store.path).unlink()
    change(store, (0, header))
    assert bool(repair_store(store.path)) == bool(header)
    assert not journal.exists()
    assert damage_of(store.path) == ""
    assert rows_in(store.path) == whole[1]


def test_predictions_of_a_damaged_store_are_kept_if_they_are_parquet(store):
    with store.writing() as db:
        rows = [("kept", "2026", b"PAR1 rows PAR1"), ("lost", "2026", b"PAR1 ro")]
        db.executemany("INSERT INTO predictions VALUES (?, ?, ?)", rows)
    change(store, (2 * PAGE, b"\xff" * PAGE))
    repair_store(store.path)
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("SELECT id FROM predictions").fetchall() == [("kept",)]


def test_reading_a_damaged_store_advises_a_repair(store):
    DAMAGE["no header"](store)
    with pytest.raises(ZSLError, match=r"`zslcore doctor --repair` sets it aside"):
        store.results()


def test_a_store_is_repaired_during_reading(store):
    swap_leaves(store)
    with closing(sqlite3.connect(store.path)) as reader:
        first = reader.execute("SELECT key FROM runs LIMIT 1").fetchone()
        assert repair_store(store.path)
        assert reader.execute("SELECT key FROM runs LIMIT 1").fetchone() == first
    assert len(store.stored()) == N


def test_rows_deleted_during_reading_are_not_damage(store):
    key = f"{3:016x}"
    for stored_run in store.stored():
        store.delete(key)
        assert store.get(key) is None
        if stored_run.id == key:
            break
    store.delete(key)
    assert damage_of(store.path) == store.unreadable() == ""
    assert len(store.stored()) == N - 1


def test_rows_changed_during_reading_are_not_called_unreadable(store, result):
    before = store.stored()
    store.put(replace(result, key="since then"))
    assert store.unreadable(before) == ""
    store.delete(f"{3:016x}")
    assert store.unreadable(before) == ""
    with store.writing() as db:
        db.execute("UPDATE runs SET result = '{}' WHERE key = ?", (f"{4:016x}",))
    assert store.unreadable().startswith("1 result was written by another version")
    assert store.unreadable(store.stored()).startswith("1 result was written by another version")


def test_a_store_behind_a_link_is_repaired_at_its_target(store, tmp_path):
    link = ResultStore(tmp_path / "runs.sqlite")
    link.path.symlink_to(store.path)
    swap_leaves(store)
    assert repair_store(link.path)
    assert link.path.is_symlink()
    assert len(set_aside(store)) == 1
    assert len(link.stored()) == N


def test_a_repair_that_cannot_write_changes_nothing(store, monkeypatch):
    swap_leaves(store)
    content = store.path.read_bytes()

    def refused(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", refused)
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(ZSLError, match=r"cannot be set aside: .*No space left"):
        repair_store(store.path)
    assert store.path.read_bytes() == content
    assert {path.name for path in store.path.parent.iterdir()} <= {
        "runs.sqlite",
        "runs.backup.sqlite",
        ".runs.sqlite.repair",
    }
    monkeypatch.undo()
    assert repair_store(store.path)
