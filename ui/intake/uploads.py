"""Uploaded files, written to a temporary folder under cleaned names, and their import."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import streamlit as st

from ui.intake import upload_storage
from ui.shell import visitors
from zslcore.datasets import ZSLDataset, action_archives, available, intake
from zslcore.datasets.importing import import_dataset, propose_name
from zslcore.datasets.imports import import_name
from zslcore.datasets.table import is_table
from zslcore.datasets.xlsa17 import FEATURES, SPLIT_FOLDERS, SPLITS
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.leakage import AuditContext, Vocabulary, read_vocabulary
from zslcore.leakage.file_kinds import Group, context_of_group, group_files, recognise_files
from zslcore.leakage.photographs import Photographs, photographs_of
from zslcore.storage import artifacts, settings
from zslcore.storage.files import reraise_write_errors
from zslcore.texts import clean_text
from zslcore.untrusted.client import look_into

#: Name of an import if the name of its file has no Latin letter or digit.
NAMELESS = import_name("")
#: Maximum length in bytes of a written file name; file systems allow 255.
MAX_STEM = 200
TABLES = (".npz", ".h5", ".hdf5")
#: Headers that proxies add, in addition to those that begin with ``X-Forwarded``.
PROXIED = frozenset(
    ("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
)
#: Session key of the number of imports.
IMPORTS = "imports_made"


def import_files(
    files: Sequence[BinaryIO],
    *,
    name: str = "",
    unseen: str = "",
    pretraining: Sequence[str] = (),
    replace: bool = False,
    choices: Mapping[str, str] | None = None,
) -> ZSLDataset:
    """Import uploaded files as one data set, or raise ZSLError on the first fault.

    ``files`` are two ``.mat`` files (with class lists, if any); one table; a CSV and a second file
    with prototypes, such as text embeddings of the classes; or any files, if ``choices`` maps each
    part to its array. ``name`` is by default derived from the file with the features and from the
    benchmark with the same classes. ``unseen``, for files without a split, are names separated by
    commas, or "random:N:SEED". ``pretraining`` is empty if it was not declared.
    """
    with artifacts.scratch() as folder:
        paths = put(files, folder)
        main, options = _main_and_options(paths)
        if "more" in options:
            options["choices"] = {part: text for part, text in (choices or {}).items() if text}
        options["pretraining"] = pretraining
        name = visitors.own_name(name.strip() or _unused_name(_propose_name(paths, main, options)))
        _refuse_taken(name, replace=replace)
        if unseen.strip():
            options["unseen"] = [part.strip() for part in unseen.split(",") if part.strip()]
        if "splits" in options:
            return _import(_move_to_named_folder(main.parent, name), name, options)
        return _import(main, name, options)


@dataclass(frozen=True, slots=True)
class Survey:
    """Contents of uploaded files for the screen: titles of arrays and of every part.

    ``choices`` maps each part that may be chosen to the title of its array, "" without one.
    ``n_classes`` is 0 before the labels are chosen, and ``name`` is the proposed name of the data
    set.
    """

    name: str
    sentence: str
    rows: tuple[tuple[str, str, str], ...]
    choices: Mapping[str, str]
    has_split: bool
    class_names: tuple[str, ...]
    n_classes: int
    unclear: tuple[str, ...]


#: Survey of files that could not be read.
NOTHING = Survey("", "", (), {}, True, (), 0, ())


def _propose_name(paths: Sequence[Path], main: Path, options: Mapping[str, Any]) -> str:
    """Return a name from the file with the features, and from the benchmark of its classes."""
    stem = intake.name_of_files(paths) if "more" in options else main.stem
    is_main = stem == main.stem
    return propose_name(main, options.get("splits", "")) if is_main else import_name(stem)


def survey_files(
    files: Sequence[BinaryIO], choices: Mapping[str, str] | None = None
) -> Survey | None:
    """Return the roles of arrays; None for files in a layout that states the roles."""
    with artifacts.scratch() as folder:
        paths = put(files, folder)
        main, options = _main_and_options(paths)
        if "more" not in options:
            return None
        chosen = {part: text for part, text in (choices or {}).items() if text}
        survey = intake.survey([main, *map(Path, options["more"])], chosen)
        titles = {
            part: survey.parts[part].title if part in survey.parts else ""
            for part in intake.CHOICES
        }
        return Survey(
            _unused_name(_propose_name(paths, main, options)),
            survey.sentence,
            tuple(survey.rows),
            titles,
            survey.has_split,
            survey.class_names,
            survey.n_classes,
            tuple(survey.unclear.values()),
        )


def import_folder(
    folder: str,
    *,
    features: str,
    splits: str,
    name: str = "",
    pretraining: Sequence[str] = (),
    replace: bool = False,
) -> ZSLDataset:
    """Import a folder of this machine in place, without a copy.

    The folder has the benchmark layout or a layout in which UCF101 and HMDB51 were released. For
    UCF101 and HMDB51, the default file names of the benchmark layout are ignored.
    """
    if not folder.strip():
        raise ParameterError("Folder: expected the path of a folder with two .mat files; got none.")
    path = _folder(folder.strip())
    inside = path.name.lower() in SPLIT_FOLDERS  # then the parent folder names the data set
    folder_name = f"{path.parent.name}-{path.name}" if inside else path.name
    name = name.strip() or import_name(folder_name)
    _refuse_taken(name, replace=replace)
    options: dict[str, Any] = {"features": features.strip(), "splits": splits.strip()}
    if action_archives.can_read(path):
        options = {key: file for key, file in options.items() if file not in (FEATURES, SPLITS)}
    return _import(path, name, options | {"pretraining": pretraining})


def _folder(text: str) -> Path:
    """Return the absolute path in a text; raise ParameterError if it cannot be a path."""
    try:
        path = Path(text).expanduser().absolute()
        os.stat(path) if "\0" in text else path.is_dir()
    except (OSError, RuntimeError, ValueError):
        raise ParameterError(
            f"Expected the path of a folder on this computer; got {clean_text(text, 80)!r}."
        ) from None
    return path


@dataclass(frozen=True, slots=True)
class UploadedGroup(Group):
    """Files that are checked together, with their uploads in the same order."""

    uploads: tuple[BinaryIO, ...] = ()

    @property
    def key(self) -> str:
        """Key of these files within the visit."""
        return key_of(*self.uploads)


def recognise_uploads(files: Sequence[BinaryIO], folder: Path) -> list[UploadedGroup]:
    """Write each file to its own folder, and group the files that are checked together.

    Raises FileRefusedError for a file that is not accepted.
    """
    uploaded = {put_one(file, folder / str(k)): file for k, file in enumerate(files)}
    groups = []
    for group in group_files(recognise_files([*uploaded], folder)):
        parts = [path for path, _ in group.main.lists] or [group.main.path]
        paths = [*parts, *(file.path for file in group.companions)]
        uploads = tuple(uploaded[path] for path in paths)
        groups.append(UploadedGroup(group.main, group.companions, uploads))
    return groups


def read_uploaded_split(
    files: UploadedGroup, groups: BinaryIO | None = None, pattern: str = ""
) -> AuditContext:
    """Read an uploaded split for a review, without corrections, or raise ZSLError.

    The file ``groups`` has the photograph of each row; without it, the photograph is the text that
    the first parentheses of ``pattern`` match in the name of the row's image file. Copies of the
    files are deleted together with the context.
    """
    folder = artifacts.scratch_folder()
    try:
        context = context_of_group(files, folder, **_photograph_arguments(groups, pattern, folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(context, shutil.rmtree, folder, ignore_errors=True)
    return context


def read_split_files(files: Sequence[BinaryIO]) -> AuditContext:
    """Read a split; refuse other files. See :func:`read_uploaded_split`."""
    with artifacts.scratch() as folder:
        groups_of_files = recognise_uploads(files, folder)
        if [group.main.kind for group in groups_of_files] != ["split"]:
            raise FileRefusedError(
                "Expected a split file, and at most one file with labels and features; got "
                f"{', '.join(group.main.name for group in groups_of_files)}."
            )
        return read_uploaded_split(groups_of_files[0])


def photographs_of_dataset(
    dataset: ZSLDataset, groups: BinaryIO | None, pattern: str
) -> Photographs | None:
    """Return the photograph of each row of a data set, by a file or by names of image files."""
    with artifacts.scratch() as folder:
        arguments = _photograph_arguments(groups, pattern, folder)
        return photographs_of(arguments["groups"], arguments["group_pattern"], dataset.image_files)


def _photograph_arguments(groups: BinaryIO | None, pattern: str, folder: Path) -> dict[str, Any]:
    """Write the file of groups to a folder, and return the arguments of the audit."""
    path = groups and put_one(groups, folder / "groups")
    return {"groups": path, "group_pattern": pattern.strip() or None}


def vocabulary_of_file(file: BinaryIO) -> Vocabulary:
    """Read an uploaded list of pre-training classes, one class per line."""
    with artifacts.scratch() as folder:
        return read_vocabulary(put_one(file, folder))


def is_local() -> bool:
    """Return whether the visitor uses the machine of the server; always False in public mode."""
    context = st.context
    if visitors.is_public():
        return False
    return context.ip_address is None and names_this_machine(context.headers.to_dict())


def names_this_machine(headers: Mapping[str, str]) -> bool:
    """Return whether a request addresses this machine as localhost, without a proxy."""
    headers = {name.lower(): value for name, value in headers.items()}
    if any(name.startswith("x-forwarded") or name in PROXIED for name in headers):
        return False
    hosts = {urlsplit(f"//{headers.get('host', '')}").hostname}
    if "origin" in headers:  # sent by the browser; a proxy may change Host
        hosts.add(urlsplit(headers["origin"]).hostname)
    return hosts <= {"localhost", "127.0.0.1", "::1"}


def _import(source: Path, name: str, options: dict[str, Any]) -> ZSLDataset:
    """Import a data set, unless the visit has reached its limit of imports."""
    imported, most = st.session_state.get(IMPORTS, 0), settings.IMPORTS_A_VISITOR()
    if imported >= most:
        raise ParameterError(
            f"Expected at most {most} imports in one visit (ZSL_IMPORTS_A_VISITOR); this would be "
            "one more."
        )
    dataset = import_dataset(source, name=name, **options)
    st.session_state[IMPORTS] = imported + 1
    return dataset


def _unused_name(name: str) -> str:
    """Return the name; add a number to the default name of files without a usable name."""
    used_names, free = available(), name
    for number in range(2, 1000):
        if free not in used_names or name != NAMELESS:
            break
        free = f"{name}-{number}"
    return free


def _refuse_taken(name: str, *, replace: bool) -> None:
    if name in available() and not replace:
        raise ParameterError(
            f"A data set called {clean_text(name, 64)!r} already exists; give another name, or "
            "allow overwriting."
        )


def key_of(*files: BinaryIO) -> str:
    """Return the key of uploads within the visit."""
    return " ".join(str(getattr(file, "file_id", file.name)) for file in files)


def put_one(file: BinaryIO, folder: Path) -> Path:
    """Write a file into a new folder under its cleaned name."""
    folder.mkdir(parents=True, exist_ok=True)
    return put([file], folder)[0]


def put(files: Sequence[BinaryIO], folder: Path) -> list[Path]:
    """Write each file into ``folder`` under its cleaned name."""
    if not files:
        raise ParameterError("Expected one or more files; got none.")
    paths = []
    for file in files:
        plain = _plain(Path(file.name.replace("\\", "/")))
        path = folder / plain
        if path.exists():
            raise FileRefusedError(
                f"{plain}: expected files of different names; got two of this name. Rename one."
            )
        with reraise_write_errors(plain):
            _fill(path, file)
        paths.append(path)
    return paths


def _fill(path: Path, file: BinaryIO) -> None:
    """Hard-link an uploaded file to ``path``, or write a copy."""
    if (stored := upload_storage.stored_path(file)) is None:
        file.seek(0)
        with path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        file.seek(0)
        return
    try:
        os.link(stored, path)
    except OSError:  # a file system without links
        shutil.copyfile(stored, path)


def _plain(path: Path) -> str:
    """Return the cleaned name of a file, its ending in lower case, cut to MAX_STEM bytes."""
    stem, suffix = clean_text(path.stem), clean_text(path.suffix.lower(), 16)
    return stem.encode()[: MAX_STEM - len(suffix.encode())].decode(errors="ignore") + suffix


def _main_and_options(paths: list[Path]) -> tuple[Path, dict[str, Any]]:
    """Return the main file and the options of the import.

    Two .mat files in the benchmark layout, and tables in the format of
    :mod:`zslcore.datasets.table`, need no choice. For all other files the part of each array is
    guessed, and the option "more" lists the further files.
    """
    mats, tables, csvs = (
        [path for path in paths if path.suffix in endings]
        for endings in ((".mat",), TABLES, (".csv",))
    )
    remaining = [path for path in paths if path not in (*mats, *tables, *csvs)]
    lists = [path for path in remaining if path.suffix == ".txt"]
    if len(mats) == 2 and lists == remaining and len([*tables, *csvs]) <= 1:
        main, options = _features_and_splits(mats)
        if "trainval_loc" in look_into(main.parent / options["splits"]).shapes:
            more = {"prototypes": [*tables, *csvs][0].name} if tables or csvs else {}
            return main, options | more
    if not remaining and not mats and len([*tables, *csvs]) <= 2:
        ranked = sorted(tables, key=lambda path: -path.stat().st_size)
        ranked += sorted(csvs, key=lambda path: not _has_column(path, "label"))
        main, *prototypes = ranked
        if is_table(main):
            return main, {"prototypes": prototypes[0]} if prototypes else {}
    return paths[0], {"more": [str(path) for path in paths[1:]]}


def _features_and_splits(mats: list[Path]) -> tuple[Path, dict[str, Any]]:
    """Sort two files into features and splits: by the usual names, else by size."""
    features, splits = sorted(
        mats, key=lambda path: ("split" in path.name.lower(), -path.stat().st_size)
    )
    return features, {"features": features.name, "splits": splits.name}


def _has_column(path: Path, column: str) -> bool:
    """Return whether the first line of a CSV names a column."""
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        return column in lines.readline(1 << 20).strip().replace('"', "").split(",")


def _move_to_named_folder(folder: Path, name: str) -> Path:
    """Move the files to a folder named after the data set; pages show its name as the source."""
    inside = [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".")]
    target = folder / import_name(name)
    target.mkdir()
    for path in inside:
        path.rename(target / path.name)
    return target
