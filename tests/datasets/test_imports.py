import json
import os
import stat
import threading
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from tests.datasets import files
from zslcore.datasets import import_dataset, importing, imports, load, xlsa17
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.importing import open_dataset
from zslcore.datasets.xlsa17 import read_xlsa17
from zslcore.exceptions import (
    DatasetError,
    FileRefusedError,
    NewerVersionError,
    ParameterError,
    UnknownNameError,
    ZSLError,
)
from zslcore.jobs import upkeep
from zslcore.storage import artifacts

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(autouse=True)
def root(own_data):
    return own_data / "imported"


@pytest.fixture
def source(tmp_path):
    return files.write_folder(tmp_path / "Toy")


@pytest.fixture
def reads(monkeypatch):
    """Count the reads of the source files."""
    count = []
    read = xlsa17._read
    monkeypatch.setattr(xlsa17, "_read", lambda *a: count.append(a) or read(*a))
    return count


def folder_of(root, name="Toy"):
    return root / json.loads((root / f"{name}.json").read_text())["folder"]


def spoil(path, change):
    """Change the bytes of a read-only file."""
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    path.write_bytes(change(content) or content)


def draft_of_an_ended_process(root, prefix):
    """Return a draft left by a process that has ended."""
    folder = artifacts.draft(root, prefix)
    owner = json.loads((folder / artifacts.OWNER).read_text()) | {"pid": 2**22 + 1}
    (folder / artifacts.OWNER).write_text(json.dumps(owner))
    return folder


def flip(content):
    content[len(content) // 2] ^= 1


def test_a_new_data_folder_has_no_imports():
    assert imports.names() == ()


def test_a_second_reading_opens_the_first_import(source, reads):
    first, second = read_xlsa17(source), read_xlsa17(source)
    assert len(reads) == 1
    assert imports.names() == ("Toy",)
    for ds in (second, load("Toy")):
        assert isinstance(ds.features, np.memmap)
        assert ds.digest == first.digest
        assert ds.class_names == first.class_names
        assert ds.splits["PS"].note == first.splits["PS"].note
        np.testing.assert_array_equal(ds.splits["PS"].folds[0].val, first.splits["PS"].folds[0].val)


def test_the_recorded_digest_is_that_of_the_arrays(source):
    ds = read_xlsa17(source)
    arrays = np.array(ds.features), ds.labels, ds.prototypes
    fresh = ZSLDataset("x", *arrays, ds.class_names, revision=xlsa17.REVISION)
    assert ds.digest == fresh.digest


def test_a_changed_source_is_read_again(source, reads):
    before = read_xlsa17(source)
    files.write_folder(source, features={"features": files.FEATURES.T * 2})
    after = read_xlsa17(source)
    files.write_lists(source, trainclasses1=["otter"], valclasses1=["zebra"])
    read_xlsa17(source)
    assert len(reads) == 3
    assert before.digest != after.digest


def test_an_import_by_an_earlier_reader_opens_and_can_be_repeated(source, root, reads):
    result = read_xlsa17(source)
    manifest = json.loads((root / "Toy.json").read_text())
    del manifest["recipe"]["revision"]
    (root / "Toy.json").write_text(json.dumps(manifest))
    assert load("Toy").digest == result.digest
    assert len(reads) == 1
    read_xlsa17(source)
    assert len(reads) == 2


def test_an_open_data_set_survives_its_replacement(source):
    before = read_xlsa17(source)
    files.write_folder(source, features={"features": files.FEATURES.T * 2})
    read_xlsa17(source)
    np.testing.assert_array_equal(before.features, files.FEATURES)


def test_a_replaced_import_leaves_nothing_behind(source, root):
    read_xlsa17(source)
    files.write_folder(source, features={"features": files.FEATURES.T * 2})
    read_xlsa17(source)
    assert {path.name for path in root.iterdir()} == {"Toy.json", folder_of(root).name}


def test_an_import_that_fails_leaves_the_old_one(source, root):
    before = read_xlsa17(source)
    files.write_folder(source, splits={"att": np.eye(3)})
    with pytest.raises(FileRefusedError):
        read_xlsa17(source)
    assert load("Toy").digest == before.digest
    assert {path.name for path in root.iterdir()} == {"Toy.json", folder_of(root).name}


def test_files_of_an_import_are_read_only(source, root):
    read_xlsa17(source)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder_of(root).iterdir()}
    assert modes == {0o444}


DAMAGE = {
    "truncated": lambda folder: spoil(folder / "features.npy", lambda b: b[:-9]),
    "a byte of the features": lambda folder: spoil(folder / "features.npy", flip),
    "a byte of the labels": lambda folder: spoil(folder / "labels.npy", flip),
    "a byte of the splits": lambda folder: spoil(folder / "splits.npz", flip),
    "emptied": lambda folder: spoil(folder / "prototypes.npy", lambda b: b"\0"),
    "a file gone": lambda folder: (folder / "labels.npy").unlink(),
    "all gone": lambda folder: [path.unlink() for path in folder.iterdir()],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_corrupt_import_is_repeated_from_its_source(source, root, reads, damage):
    digest = read_xlsa17(source).digest
    DAMAGE[damage](folder_of(root))
    ds = load("Toy")
    assert len(reads) == 2
    assert ds.digest == digest
    np.testing.assert_array_equal(ds.features, files.FEATURES)
    DAMAGE[damage](folder_of(root))
    np.testing.assert_array_equal(read_xlsa17(source).features, files.FEATURES)
    assert len(reads) == 3


def test_large_files_are_hashed_if_their_time_changed(source, root, reads, monkeypatch):
    monkeypatch.setattr(artifacts, "ALWAYS_HASHED", 0)
    read_xlsa17(source)
    path = folder_of(root) / "features.npy"
    os.utime(path, ns=(1, 1))
    load("Toy")
    assert len(reads) == 1  # the file is newer, but has the same bytes
    spoil(path, flip)
    load("Toy")
    assert len(reads) == 2


def test_a_corrupt_import_without_its_source_is_refused_in_one_sentence(source, root):
    read_xlsa17(source)
    source.rename(source.with_name("elsewhere"))
    DAMAGE["truncated"](folder_of(root))
    with pytest.raises(DatasetError, match=r"'Toy' .* damaged \(features\.npy has .* is gone; imp"):
        load("Toy")


MANIFESTS = {
    "torn": lambda text: text[: len(text) // 2],
    "zeroed": lambda text: "\0" * len(text),
    "empty": lambda text: "",
    "no JSON": lambda text: "[" * 100_000,
    "a list": lambda text: "[1]",
    "an earlier schema": lambda text: text.replace('"schema": 1', '"schema": 0'),
    "another name": lambda text: text.replace('"name": "Toy"', '"name": "Other"'),
}
AS_BEFORE = [False, True]


def spoil_manifest(root, kind, *, as_before=False):
    """Damage the manifest of Toy, imported two days ago; return its folder."""
    folder = folder_of(root)
    if as_before:
        (folder / imports.COPY).unlink()  # earlier versions did not write a copy
    path = root / "Toy.json"
    path.write_text((MANIFESTS | LATER)[kind](path.read_text()))
    for entry in (*folder.iterdir(), folder):
        os.utime(entry, (1, 1))
    return folder


@pytest.mark.parametrize("foreign", MANIFESTS)
def test_an_import_with_a_foreign_manifest_is_never_opened(source, root, reads, foreign):
    read_xlsa17(source)
    folder = spoil_manifest(root, foreign, as_before=True)
    with pytest.raises(DatasetError, match="its manifest .* its source is not known"):
        load("Toy")
    assert read_xlsa17(source).class_names == files.READABLE
    assert len(reads) == 2
    assert folder.is_dir()
    (aside,) = (root.parent / imports.QUARANTINE).iterdir()
    assert aside.name.endswith(".Toy.json")


@pytest.mark.parametrize("foreign", MANIFESTS)
def test_a_damaged_manifest_is_written_again_from_its_copy(source, root, reads, foreign):
    digest = read_xlsa17(source).digest
    source.rename(source.with_name("gone"))
    whole = (root / "Toy.json").read_text()
    spoil_manifest(root, foreign)
    assert load("Toy").digest == digest
    assert (root / "Toy.json").read_text() == whole
    assert len(reads) == 1


def test_a_copy_of_the_manifest_that_contradicts_the_folder_restores_nothing(source, root):
    read_xlsa17(source)
    source.rename(source.with_name("gone"))
    folder = spoil_manifest(root, "torn")
    spoil(folder / "labels.npy", flip)
    with pytest.raises(DatasetError, match="its source is not known"):
        load("Toy")


#: Possible content of a later version.
LATER = {"a later schema": lambda text: text.replace('"schema": 1', '"schema": 99, "new": {}')}


def test_an_import_of_a_newer_version_is_neither_opened_nor_replaced(source, root):
    read_xlsa17(source)
    folder = spoil_manifest(root, "a later schema")
    times = {path: path.stat().st_mtime_ns for path in (root / "Toy.json", *folder.iterdir())}
    sentence = r"'Toy' was made by a newer version of zslcore \(schema 99, this version reads 1\)"
    for read in (lambda: load("Toy"), lambda: read_xlsa17(source)):
        with pytest.raises(NewerVersionError, match=sentence):
            read()
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.parametrize("as_before", AS_BEFORE)
@pytest.mark.parametrize("foreign", [*MANIFESTS, *LATER])
def test_no_folder_is_removed_while_a_manifest_is_unreadable(source, root, foreign, as_before):
    read_xlsa17(source)
    dead = draft_of_an_ended_process(root, "other.")
    folder = spoil_manifest(root, foreign, as_before=as_before)
    assert imports.abandoned_drafts() == imports.unknown_folders() == []
    assert upkeep.sweep_leftovers() == 0
    assert len(list(folder.iterdir())) >= 4
    (root / "Toy.json").unlink()
    assert imports.abandoned_drafts() == [dead]
    assert imports.unknown_folders() == [folder]


def test_a_removed_import_with_unreadable_manifest_is_quarantined(source, root):
    read_xlsa17(source)
    folder = spoil_manifest(root, "torn")
    imports.remove("Toy")
    assert imports.names() == ()
    assert folder.is_dir()
    (aside,) = (root.parent / imports.QUARANTINE).iterdir()
    assert aside.name.endswith(".Toy.json")


@pytest.mark.parametrize(
    "change",
    [
        {"class_names": ["too", "few"]},
        {"splits": [{"name": "PS"}]},
        {"files": {}, "folder": "../../outside"},
        {"files": None},
    ],
)
def test_an_import_that_contradicts_its_manifest_is_never_opened(source, root, reads, change):
    read_xlsa17(source)
    path = root / "Toy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert load("Toy").class_names == files.READABLE
    assert len(reads) == 2


def tiny(k):
    labels = np.arange(4)
    features = np.full((4, 2), k, np.float32)
    splits = [Split.from_classes("own", labels, [3])]
    return ZSLDataset("tiny", features, labels, np.eye(4), "abcd", splits=splits)


def test_simultaneous_imports_succeed_or_are_refused(root):
    """Two threads replace an import and one removes it, while the folder of imports is measured."""
    over, raw, result = threading.Event(), [], []

    def repeat(act):
        try:
            for k in range(15):
                with suppress(ZSLError):
                    act(k)
                    result.append(k)
        except Exception as error:  # noqa: BLE001 - any exception is a failure
            raw.append(error)
        over.set()

    def measure(_):
        while not over.is_set():
            imports.size_of(root)
            imports.abandoned_drafts()
            imports.restore_manifest("same")

    acts = [
        lambda k: import_dataset(tiny(k), name="same"),
        lambda k: import_dataset(tiny(-k), name="same"),
        lambda k: imports.remove("same"),
        lambda k: open_dataset("same"),
        measure,
    ]
    threads = [threading.Thread(target=repeat, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raw == []
    assert len(result) > 30
    assert import_dataset(tiny(99), name="same").features[0, 0] == 99


def test_the_size_of_a_folder_during_its_removal_is_a_number(tmp_path, monkeypatch):
    (tmp_path / "here").write_bytes(b"1234")
    (tmp_path / "gone").write_bytes(b"1234")
    walk = os.walk

    def walk_and_remove(root):
        for result in walk(root):
            (tmp_path / "gone").unlink()
            yield result

    monkeypatch.setattr(os, "walk", walk_and_remove)
    assert imports.size_of(tmp_path) == 4


def test_opening_an_import_during_its_replacement_gives_the_new_data(root, monkeypatch):
    import_dataset(tiny(1), name="same")
    read = imports._manifest

    def read_and_replaced(name):
        values = read(name)
        monkeypatch.setattr(imports, "_manifest", read)
        import_dataset(tiny(2), name="same")
        return values

    monkeypatch.setattr(imports, "_manifest", read_and_replaced)
    assert imports.open_import("same").features[0, 0] == 2


def test_a_data_set_in_memory_can_be_imported(root):
    labels = np.repeat(np.arange(4), 5)
    ds = ZSLDataset(
        name="in memory!",
        features=np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32),
        labels=labels,
        prototypes=np.eye(4),
        class_names="abcd",
        splits=[Split.from_classes("own", labels, [3], folds=[[0], [1]], note="why")],
        source="Made up.",
        simulated=True,
        images=np.zeros((20, 2, 2), np.uint8),
        image_files=[f"{i // 2}.jpg" for i in range(20)],
    )
    artifacts = import_dataset(ds)
    assert artifacts.name == "in-memory"
    again = load("in-memory")
    assert (again.digest, again.simulated, again.source) == (ds.digest, True, "Made up.")
    np.testing.assert_array_equal(again.features, ds.features)
    np.testing.assert_array_equal(again.labels, ds.labels)
    np.testing.assert_array_equal(again.prototypes, ds.prototypes)
    np.testing.assert_array_equal(again.images, ds.images)
    assert again.image_files == ds.image_files
    assert len(again.splits["own"].folds) == 2
    DAMAGE["truncated"](folder_of(root, "in-memory"))
    with pytest.raises(DatasetError, match="its source is not known"):
        load("in-memory")


def test_a_large_matrix_is_stored_block_by_block():
    labels = np.arange(8200) % 3
    features = np.asfortranarray(np.arange(2 * 8200, dtype=np.float32).reshape(8200, 2))
    ds = ZSLDataset("rows", features, labels, np.eye(3), "abc")
    np.testing.assert_array_equal(import_dataset(ds).features, features)


class Payload:
    """A pickle can run any code when it is loaded."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


@pytest.mark.parametrize("name", ["features.npy", "labels.npy", "prototypes.npy", "splits.npz"])
def test_a_pickle_is_never_opened(source, root, reads, tmp_path, name):
    read_xlsa17(source)
    folder, marker = folder_of(root), tmp_path / "opened"
    with np.load(folder / "splits.npz") as file:
        arrays = dict(file)
    (folder / name).unlink()
    payload = np.array([Payload(marker)], dtype=object)
    if name == "splits.npz":
        np.savez(folder / name, **arrays | {"0.trainval": payload})
    else:
        np.save(folder / name, payload, allow_pickle=True)
    manifest = json.loads((root / "Toy.json").read_text())
    manifest["files"][name] = artifacts.seal([folder / name])[name]
    (root / "Toy.json").write_text(json.dumps(manifest))
    assert load("Toy").class_names == files.READABLE
    assert len(reads) == 2
    assert not marker.exists()


@pytest.mark.parametrize("name", ["features.own", "folder"])
def test_a_specific_reader_precedes_the_two_general_readers(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.mkdir() if name == "folder" else path.write_text("1")
    (tmp_path / "folder").mkdir(exist_ok=True)
    (tmp_path / "folder" / "train.parquet").touch()
    release = SimpleNamespace(import_dataset=lambda *_: path)
    own = SimpleNamespace(can_read=path.__eq__, find=lambda _: release)
    monkeypatch.setattr(importing, "READERS", (own, *importing.READERS))
    assert import_dataset(path) == path


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", "a\\b", ".hidden", "a..b", "x" * 65, "nul\0", "a b", "dot.", "é"]
)
def test_names_are_plain_file_names(source, name):
    with pytest.raises(ParameterError, match="must be at most 64 letters"):
        imports.import_once(name, imports.Recipe(str(source), {}, ()), lambda _: None)
    with pytest.raises(ParameterError, match="must be at most 64 letters"):
        imports.import_read_dataset(None, name)


@pytest.mark.parametrize("name", ["digits", "simulated-AWA1", "simulated-ImageNet-small"])
def test_names_of_built_in_data_sets_are_reserved(source, name):
    with pytest.raises(ParameterError, match=f"'{name}' is the name of a built-in data set"):
        read_xlsa17(source, name=name)


@pytest.mark.parametrize("text", ["../../etc", "Ünïcode näme", "", "a" * 99, "CUB 200.2011", "."])
def test_any_text_makes_a_valid_name(text):
    name = imports.import_name(text)
    imports._check_name(name)


@pytest.mark.parametrize("name", ["CUB", "aPY"])
def test_a_benchmark_that_is_not_imported_is_refused_with_the_command(name):
    command = f"zslcore download xlsa17 --only {name.upper()}"
    with pytest.raises(UnknownNameError, match=f"^Unknown data set '{name}'; '{command}' imports"):
        load(name)


def test_an_unknown_name_gets_the_nearest_import(source):
    read_xlsa17(source)
    with pytest.raises(UnknownNameError, match="'Toy'"):
        open_dataset("toy")


def test_drafts_of_imports_that_were_cut_off_are_removed(source, root):
    cut_off, under_way = draft_of_an_ended_process(root, "Toy."), artifacts.draft(root, "Toy.")
    unmarked = root / "Toy.cccc"
    unmarked.mkdir()
    os.utime(unmarked, (1, 1))
    read_xlsa17(source)
    assert not cut_off.exists()
    assert under_way.exists()
    assert unmarked.exists()


def test_an_import_is_a_draft_until_its_manifest_names_it(source, root, monkeypatch):
    def killed(name, folder, manifest):
        assert artifacts.is_draft(folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(imports, "_publish_manifest", killed)
    with pytest.raises(KeyboardInterrupt):
        read_xlsa17(source)
    monkeypatch.undo()
