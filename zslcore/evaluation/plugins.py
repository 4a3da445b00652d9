"""Plugins: methods from a file of the user or from an installed package.

A method of the package is named as on its card. The name of a plugin is the name on its card and
the digest of its source, such as ``CondGen@0123456789ab``. Names are part of the key of every run,
so an edited file counts as a new method, and classes of the same name in two files as two methods.
A stored result stays readable without the file. A plugin is loaded by one of two names:

============================  ======================================================================
``FILE.py:Class``             class in a file
name of an entry point        of the group ``zslcore.methods`` of an installed package
============================  ======================================================================

The digest covers the file or, for a class in a package, all ``.py`` files of the package; it does
not cover imports from elsewhere. A plugin cannot import from the folder of its file: a helper
module there could change while the name stays the same.

Loading a plugin executes its code. A request from the browser never loads a class, and a public
server (``ZSL_PUBLIC``) loads no plugins.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from sklearn.base import clone

from zslcore.exceptions import MethodError, ParameterError, ZSLError, closest_name
from zslcore.methods import METHODS
from zslcore.methods.base import MethodCard, TransductiveEstimator, ZSLEstimator
from zslcore.methods.calls import failure
from zslcore.storage import settings
from zslcore.texts import clean_text

#: Entry points of installed packages: ``name = "package.module:Class"``.
GROUP = "zslcore.methods"
#: Length of the digest in a name; largest size of a file, and largest number of files in a package.
DIGITS, MAX_BYTES, MAX_FILES = 12, 1 << 20, 10_000
_NAME = re.compile(r"[\w*+-][\w*+ -]{0,39}")
_SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class _Source:
    """Source of a registered plugin.

    ``location`` is the path of a file or the name of a module; ``word`` is the value of
    ``--method`` that loads the plugin, without the folder of the file.
    """

    location: str
    attribute: str
    word: str

    @property
    def text(self) -> str:
        return f"{self.location}:{self.attribute}"


#: Registered plugins by name.
_SOURCES: dict[str, _Source] = {}


def is_plugin_name(text: str) -> bool:
    """Return whether ``text`` is the full name, file or entry point of a plugin."""
    if "@" in text or ".py:" in text:
        return True
    return text not in METHODS and bool(entry_points(group=GROUP, name=text))


def registered() -> tuple[str, ...]:
    """Return the names of the plugins registered in this process."""
    return tuple(_SOURCES)


def option_value(name: str) -> str:
    """Return the value of ``--method`` for a method: of a plugin, its file or entry point."""
    return _SOURCES[name].word if name in _SOURCES else name


def register(text: str) -> str:
    """Register a method by its name, file or entry point, and return its name.

    Parameters
    ----------
    text : name of a method of the package, ``FILE.py:Class``, name of an entry point, or full name
        of a plugin that is listed in the environment variable ``ZSL_METHODS`` or is in an installed
        package

    Returns
    -------
    name : str
        Name to pass to ``RunSpec``, ``get_method`` and ``ComparisonSpec``; for a plugin ``<card
        name>@<digest>``.

    Raises
    ------
    UnknownNameError
        For any other text; the message suggests the closest name.
    MethodError
        If the file or package cannot be loaded or has no method.
    ParameterError
        For a plugin on a public server.
    """
    if not isinstance(text, str):
        raise MethodError(
            "register: expected FILE.py:Class or an entry point; got "
            f"{clean_text(repr(text), 60)}. Put the class into a file."
        )
    if text in METHODS:
        return text
    file, colon, attribute = text.rpartition(":")
    if colon and file.endswith(".py"):
        return _load_file(Path(file), attribute)
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if text in installed:
        return _load_package(installed[text])
    if "@" in text:
        register_all()
        if text in METHODS:
            return text
    raise closest_name("method", text, [*METHODS, *installed])


def register_all() -> dict[str, str]:
    """Register the methods of ``ZSL_METHODS`` and of installed packages; none on a public server.

    Returns the error message of each refused method, by its name in ``ZSL_METHODS`` or entry point.
    """
    refused: dict[str, str] = {}
    if settings.PUBLIC():
        return refused
    loaders = {word: partial(register, word) for word in settings.METHODS()}
    # Load by entry point, not by name: a method of the package may have the same name.
    loaders |= {point.name: partial(_load_package, point) for point in entry_points(group=GROUP)}
    for word, load in loaders.items():
        try:
            load()
        except ZSLError as error:
            refused[word] = str(error)
    return refused


def plugin_sources(names: Iterable[str] | str) -> dict[str, str]:
    """Return the sources of plugins by name, for :func:`restore` in another process.

    ``names`` are method names, or one text that contains method names. The sources of the package's
    own methods are omitted.
    """
    if isinstance(names, str):
        return {name: source.text for name, source in _SOURCES.items() if name in names}
    return {name: _SOURCES[name].text for name in names if name in _SOURCES}


def restore(sources: Mapping[str, str]) -> None:
    """Register the plugins of another process, from the result of :func:`plugin_sources`.

    Raises a MethodError if a source is missing or has changed.
    """
    for name, source in sources.items():
        if name in METHODS:
            continue
        location, _, attribute = source.rpartition(":")
        if location.endswith(".py"):
            got = _load_file(Path(location), attribute)
        else:
            got = _load_package(EntryPoint(name, source, GROUP))
        if got != name:
            raise MethodError(
                f"{name}: expected {Path(location).name}:{attribute} as it was registered; "
                f"it is {got} now."
            )


# --- Loading --------------------------------------------------------------------------------------


def _refuse_if_public() -> None:
    if settings.PUBLIC():
        raise ParameterError("Plugins are not loaded on a public server (ZSL_PUBLIC=1).")


def _load_file(path: Path, attribute: str) -> str:
    """Execute a Python file and register one of its classes."""
    _refuse_if_public()
    path, shown = path.expanduser(), f"{clean_text(path.name)}:{clean_text(attribute)}"
    if not path.is_file():
        raise MethodError(f"{shown}: expected a Python file; {clean_text(path)} is not a file.")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise MethodError(f"{shown}: expected a file of at most {MAX_BYTES:,} bytes.")
    module = _execute(path.resolve(), content, shown)
    source = _Source(str(path.resolve()), attribute, f"{path.name}:{attribute}")
    return _register(_find_class(module, attribute, shown), [content], source)


def _execute(path: Path, content: bytes, shown: str) -> ModuleType:
    """Execute ``content`` as a module; return the existing module if it was executed before."""
    sha = hashlib.sha256(str(path).encode("utf-8", "surrogateescape") + b"\n" + content)
    name = f"zslcore_plugin_{sha.hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look up their module here
    try:
        exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user chose the file
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise MethodError(f"{shown}: {failure(error, 'loading', [str(path)])}") from error
    return module


def _load_package(point: EntryPoint) -> str:
    """Import an entry point and register its class."""
    _refuse_if_public()
    shown = f"{clean_text(point.name)} ({clean_text(point.value)})"
    try:
        module = importlib.import_module(point.module)
    except (Exception, SystemExit) as error:
        raise MethodError(f"{shown}: {failure(error, 'loading', ())}") from error
    method = _find_class(module, point.attr, shown)
    source = _Source(point.module, point.attr, point.name)
    return _register(method, _read_source(module, shown), source)


def _find_class(module: ModuleType, name: str, shown: str) -> Any:
    """Return a class of a module; for a misspelt name the error suggests the closest one."""
    if (method := vars(module).get(name)) is not None:
        return method
    methods = [key for key, value in vars(module).items() if _is_method(value)]
    if not methods:
        raise MethodError(
            f"{shown}: expected a class derived from zslcore.methods.base.ZSLEstimator; the "
            "file has none."
        )
    raise closest_name(f"class of {shown.rpartition(':')[0] or shown}", name, methods)


def _is_method(value: Any) -> bool:
    return (
        inspect.isclass(value)
        and issubclass(value, ZSLEstimator)
        and value.__module__.partition(".")[0] != "zslcore"
    )


def _read_source(module: ModuleType, shown: str) -> list[bytes]:
    """Return the source of a module; in a package, the names and contents of all its files."""
    root = Path(getattr(module, "__file__", None) or "")
    if root.suffix != ".py" or not root.is_file():
        raise MethodError(f"{shown}: expected a module with Python source, for its digest.")
    while (root.parent / "__init__.py").is_file():
        root = root.parent
    if root.is_file():  # the digest does not depend on the name of a single file
        return [root.read_bytes()]
    files = sorted(root.rglob("*.py"))[:MAX_FILES]
    names = [str(file.relative_to(root)).encode() for file in files]
    return [*names, *(file.read_bytes() for file in files)]


# --- Registering ----------------------------------------------------------------------------------


def _register(method: Any, contents: Collection[bytes], source: _Source) -> str:
    """Check a class, name it after its card and the digest of its source, and register it."""
    card = _check_method(method)
    sha = hashlib.sha256(f"{method.__qualname__}\n{method.revision}\n".encode())
    for content in contents:
        text = content.replace(b"\r\n", b"\n")  # line ends differ between checkouts
        sha.update(f"{len(text)}\n".encode() + text)
    name = f"{card.name}@{sha.hexdigest()[:DIGITS]}"
    if name not in METHODS:
        # Register a subclass, so that the original class keeps the name on its card.
        attributes = {"card": replace(card, name=name), "__doc__": method.__doc__}
        attributes |= {"__module__": method.__module__, "__qualname__": method.__qualname__}
        METHODS[name] = type(method.__name__, (method,), attributes)
    _SOURCES[name] = source
    return name


def _check_method(method: Any) -> MethodCard:
    """Return the card of a method class; raise a MethodError for any other object."""
    name = clean_text(getattr(method, "__name__", repr(method)), 60)
    if not inspect.isclass(method) or not issubclass(method, ZSLEstimator):
        raise MethodError(
            f"{name}: expected a class derived from zslcore.methods.base.ZSLEstimator; got "
            f"{'another class' if inspect.isclass(method) else clean_text(type(method).__name__)}."
        )
    if issubclass(method, TransductiveEstimator):
        raise MethodError(f"{name}: expected an inductive method; got a transductive one.")
    if missing := sorted(getattr(method, "__abstractmethods__", ())):
        raise MethodError(
            f"{name}: expected fit and decision_function; {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing."
        )
    card = getattr(method, "card", None)
    if not isinstance(card, MethodCard):
        raise MethodError(f"{name}: expected a card, MethodCard(name=..., ...); got none.")
    own_name = str(card.name).partition("@")[0]
    if not _NAME.fullmatch(own_name):
        raise MethodError(
            f"{name}: expected a name on the card of up to 40 letters, digits, spaces and any of "
            f"_*+-; got {clean_text(repr(card.name), 60)}."
        )
    _check_parameters(method, name)
    return replace(card, name=own_name)


def _check_parameters(method: type[ZSLEstimator], name: str) -> None:
    """Refuse a class that needs arguments, cannot be cloned, or has an invalid grid."""
    annotations = inspect.get_annotations(method).items()
    fields = [
        key for key, hint in annotations if "ClassVar" not in str(hint) and not key.endswith("_")
    ]
    if fields and "__init__" not in vars(method):  # @dataclass is missing
        raise MethodError(
            f"{name}: expected @dataclass(eq=False) above the class, to make its fields "
            f"({', '.join(fields)}) parameters; got none."
        )
    try:
        params = clone(method()).get_params()
        method.hints()  # raises for invalid type hints, which menus cannot use
    except Exception as error:
        raise MethodError(f"{name}: {failure(error, '__init__', ())}") from error
    grid = getattr(method, "param_grid", None)
    if not isinstance(grid, Mapping):
        raise MethodError(
            f"{name}: expected param_grid, a mapping from parameters to the values to "
            "search, {} for no search; got "
            f"{'none' if grid is None else clean_text(type(grid).__name__)}."
        )
    for parameter, values in grid.items():
        if parameter not in params:
            raise closest_name(f"parameter in param_grid of {name}", parameter, params)
        listed = isinstance(values, (list, tuple)) and len(values) > 0
        if not listed or not all(isinstance(value, _SCALARS) for value in values):
            raise MethodError(
                f"{name}: param_grid[{parameter!r}]: expected a tuple of numbers, strings, True or "
                f"False; got {clean_text(repr(values), 60)}."
            )
