"""Extras of the installation: optional packages, and the command that installs them."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from zslcore.exceptions import ZSLError

#: Extra -> packages that it needs.
EXTRAS = {
    "app": ("streamlit",),
    "torch": ("torch",),
    "maps": ("openTSNE", "umap"),
    "extract": ("torchvision",),
    "clip": ("open_clip",),
    "dask": ("distributed",),
    "print": ("matplotlib",),
}
#: Package -> its name in sentences, if different.
_TITLES = {
    "torch": "PyTorch",
    "streamlit": "Streamlit",
    "umap": "umap-learn",
    "distributed": "Dask",
    "matplotlib": "Matplotlib",
}
#: Text between the missing package and the command that installs it.
_REMEDY = " Install it with: "
_MISSING = re.compile(r".+ needs .+ \(extra (\w+)\), which is not installed\.")


class MissingExtraError(ZSLError):
    """Missing package of an extra."""


@contextmanager
def extra(name: str, package: str, purpose: str) -> Iterator[None]:
    """Turn a failed import of ``package`` into an error with the command that installs it.

    The failed import of another package is re-raised, since it is a fault of the installation.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        reason = sentence(name, purpose, package)
        raise MissingExtraError(f"{reason}{_REMEDY}{install_command(name)}") from None


def is_missing(name: str) -> bool:
    """Whether a package of an extra is not installed."""
    return any(find_spec(package) is None for package in EXTRAS[name])


def package_title(name: str, package: str = "") -> str:
    """Return the title of a package of an extra, by default of the first missing package."""
    missing = (package for package in EXTRAS[name] if find_spec(package) is None)
    package = package or next(missing, EXTRAS[name][0])
    return _TITLES.get(package, package)


def sentence(name: str, purpose: str, package: str = "") -> str:
    """Return the sentence on a missing extra; parameters as in :func:`extra`."""
    return f"{purpose} needs {package_title(name, package)} (extra {name}), which is not installed."


def missing_in(error: str) -> tuple[str, str] | None:
    """Split a message on a missing extra into sentence and extra; None for other messages."""
    text = error.partition(_REMEDY)[0]
    match = _MISSING.fullmatch(text)
    return (text, match[1]) if match and match[1] in EXTRAS else None


def install_command(name: str = "", *packages: str) -> str:
    """Return the command that adds an extra, or other packages, to this installation.

    zslcore is not on a package index, and another project there may have this name. An installation
    from a clone is therefore repeated from the clone, with the extra; any other installation gets
    the packages by name. An editable installation stays editable. The command is one line for a
    POSIX shell, with paths relative to the folder of the clone.
    """
    pip, clone = [sys.executable, "-m", "pip"], _clone()
    if clone is None:
        return shlex.join([*pip, "install", *_requirements(name), *packages])
    executable = Path(sys.prefix).resolve() / "bin" / "pip"
    if executable.is_relative_to(clone) and executable.is_file():
        pip = [str(executable)]
    clone_with_extra = [f"{clone}[{name}]"] if name else []
    constraints = clone / "constraints.txt"
    constraint_options = ["-c", str(constraints)] if constraints.is_file() else []
    if Path.cwd() == clone:
        pip[0] = pip[0].removeprefix(f"{clone}/")
        clone_with_extra = [f".[{name}]"] if name else []
        constraint_options = constraint_options and ["-c", constraints.name]
    is_editable = clone_with_extra and _origin().get("dir_info", {}).get("editable")
    editable_option = ["-e"] if is_editable else []
    return shlex.join(
        [*pip, "install", *constraint_options, *editable_option, *clone_with_extra, *packages]
    )


def _clone() -> Path | None:
    """Return the folder of the sources, if the package runs or was installed from it."""
    parent = Path(__file__).resolve().parents[2]
    if (parent / "pyproject.toml").is_file():
        return parent
    record = _origin()
    folder = Path(url2pathname(urlsplit(record.get("url", "")).path)).resolve()
    return folder if "dir_info" in record and (folder / "pyproject.toml").is_file() else None


def _origin() -> dict[str, Any]:
    """Return pip's record of the folder of an installation; {} without a record."""
    try:
        text = metadata.distribution("zslcore").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return {}
    record: dict[str, Any] = json.loads(text or "{}")
    return record


def _requirements(name: str) -> list[str]:
    requirements = []
    for line in metadata.requires("zslcore") or []:
        requirement, _, marker = (field.strip() for field in line.partition(";"))
        if re.search(rf"extra == ['\"]{name}['\"]", marker):
            extra_match = re.fullmatch(r"zslcore\[(\w+)\]", requirement)
            requirements += _requirements(extra_match[1]) if extra_match else [requirement]
    return requirements
