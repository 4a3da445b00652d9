"""Methods from outside: a class in a file, in an installed package or in a notebook.

A method of the package is named by its card. One from outside is named by its card and by the
digest of its source, ``CondGen@0123456789ab``: the name is part of the key of every run, so that an
edited file is another method, and two files with a class of the same name are two. A result stays
readable without the file.

============================  ======================================================================
``FILE.py:Class``             a file, by its path
name of an entry point        of the group ``zslcore.methods`` of an installed package
:func:`register`              a class of this process: a notebook, a script
============================  ======================================================================

The digest covers the file; for a class in a package it covers every ``.py`` of the package. What
these import from elsewhere is not part of it. The folder of a file is not searched for imports:
a helper next to it could change without changing the name.

Loading is executing. Nothing that a browser sends is ever loaded, and on a public server
(``ZSL_PUBLIC``) nothing at all.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType, new_class
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from zslcore.exceptions import MethodError, ParameterError, ZSLError, closest_name
from zslcore.methods import METHODS
from zslcore.methods.base import MethodCard, TransductiveEstimator, ZSLEstimator
from zslcore.storage import settings
from zslcore.texts import clean_text

#: Entry points of installed packages: ``name = "package.module:Class"``.
GROUP = "zslcore.methods"
#: Digits of the digest in a name, bytes of a file, files of a package.
DIGITS, MAX_BYTES, MAX_FILES = 12, 1 << 20, 10_000
_NAME = re.compile(r"[\w*+-][\w*+ -]{0,39}")
_SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a registered method is found again.

    ``where`` is the path of a file or the name of a module, empty for a class of a notebook;
    ``called`` is what ``--method`` takes for it, without the folders of this machine.
    """

    where: str
    attribute: str
    called: str = ""

    @property
    def text(self) -> str:
        return f"{self.where}:{self.attribute}" if self.where else ""


#: Registered methods by name.
_PLACES: dict[str, _Place] = {}


def is_own(text: str) -> bool:
    """Whether a word means a method from outside: by its full name, its file or entry point."""
    if "@" in text or ".py:" in text:
        return True
    return text not in METHODS and bool(entry_points(group=GROUP, name=text))


def own() -> tuple[str, ...]:
    """Return the names of the methods that are registered in this process."""
    return tuple(_PLACES)


def word(name: str) -> str:
    """Return what ``--method`` takes for a method: the file of one from outside, if it is known."""
    place = _PLACES.get(name)
    return (place.called if place else "") or name


def register(method: type[ZSLEstimator]) -> str:
    """Register a class of this process, and return its name, ``<name on the card>@<digest>``.

    The name can then be used wherever a method is named: ``RunSpec``, ``get_method``,
    ``ComparisonSpec``. Jobs of other processes find the class if it is in an importable module.
    Raises a MethodError for what is no :class:`zslcore.methods.base.ZSLEstimator` or has no source,
    and a ParameterError on a public server.
    """
    _refuse_if_public()
    if not inspect.isclass(method):
        raise MethodError(f"register: expected a class; got {clean_text(repr(method), 60)}.")
    module = sys.modules.get(method.__module__)
    here = "" if method.__module__ == "__main__" else method.__module__
    return _register(method, _read_source(method, module), _Place(here, method.__qualname__))


def load(text: str) -> str:
    """Return the name of the method that a word of the command line means.

    The word is the name of a method of the package, ``FILE.py:Class``, the name of an entry point,
    or the full name of a method of ``ZSL_METHODS`` or of an installed package. Raises an
    UnknownNameError, with the nearest name, for any other; a MethodError where the file or package
    cannot be loaded or holds no method; a ParameterError for such a method on a public server.
    """
    if text in METHODS:
        return text
    where, colon, attribute = text.rpartition(":")
    if colon and where.endswith(".py"):
        return _load_file(Path(where), attribute)
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if text in installed:
        return _load_package(installed[text])
    if "@" in text:
        register_own()
        if text in METHODS:
            return text
    raise closest_name("method", text, [*METHODS, *installed])


def register_own() -> dict[str, str]:
    """Register the methods of ``ZSL_METHODS`` and of installed packages; none on a public server.

    Returns why a method was refused, by the word that names it.
    """
    refused: dict[str, str] = {}
    if settings.PUBLIC():
        return refused
    found = {each: partial(load, each) for each in settings.METHODS()}
    # By the entry point itself: its name may be that of a method of the package.
    found |= {point.name: partial(_load_package, point) for point in entry_points(group=GROUP)}
    for each, loaded in found.items():
        try:
            loaded()
        except ZSLError as error:
            refused[each] = str(error)
    return refused


def places(names: Iterable[str] | str) -> dict[str, str]:
    """Return where another process finds these methods, by name; those of the package need none.

    ``names`` are names of methods, or a text that contains them.
    """
    if isinstance(names, str):
        return {name: place.text for name, place in _PLACES.items() if name in names}
    return {name: _PLACES[name].text for name in names if name in _PLACES}


def restore(found: Mapping[str, str]) -> None:
    """Register in this process what :func:`places` found in another.

    Raises a MethodError when a source is missing or has changed.
    """
    for name, place in found.items():
        if name in METHODS:
            continue
        where, _, attribute = place.rpartition(":")
        if not where:
            raise MethodError(
                f"{name}: is registered in the session that defined it alone; put the class into a "
                "file for other processes to find it."
            )
        point = EntryPoint(name, place, GROUP)
        got = _load_file(Path(where), attribute) if where.endswith(".py") else _load_package(point)
        if got != name:
            raise MethodError(
                f"{name}: expected {Path(where).name}:{attribute} as it was chosen; it has changed "
                f"since, and is {got}."
            )


# --- Finding it -----------------------------------------------------------------------------------


def _refuse_if_public() -> None:
    if settings.PUBLIC():
        raise ParameterError(
            "Methods from outside are not loaded on a public server (ZSL_PUBLIC=1)."
        )


def _load_file(path: Path, attribute: str) -> str:
    """Execute a file and register one of its classes."""
    _refuse_if_public()
    path, shown = path.expanduser(), f"{clean_text(path.name)}:{clean_text(attribute)}"
    if not path.is_file():
        raise MethodError(f"{shown}: expected a Python file; {clean_text(path)} is none.")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise MethodError(f"{shown}: expected a file of at most {MAX_BYTES:,} bytes.")
    module = _execute(path.resolve(), content, shown)
    return _register(
        _find_class(module, attribute, shown),
        [content],
        _Place(str(path.resolve()), attribute, f"{path.name}:{attribute}"),
    )


def _execute(path: Path, content: bytes, shown: str) -> ModuleType:
    """Return the module that these very bytes make; the same bytes of a file are executed once."""
    sha = hashlib.sha256(str(path).encode("utf-8", "surrogateescape") + b"\n" + content)
    name = f"zslcore_outside_{sha.hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102 - named by its owner
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
    place = _Place(point.module, point.attr, point.name)
    return _register(method, _read_source(method, module), place)


def _find_class(module: ModuleType, name: str, shown: str) -> Any:
    """Return a class of a module; a misspelt name gets the nearest one."""
    found = vars(module).get(name)
    if found is None:
        of_methods = [key for key, value in vars(module).items() if _is_method(value)]
        if not of_methods:
            raise MethodError(
                f"{shown}: expected a class derived from zslcore.methods.base.ZSLEstimator; the "
                "file has none."
            )
        raise closest_name(f"class of {shown.rpartition(':')[0] or shown}", name, of_methods)
    return found


def _is_method(value: Any) -> bool:
    return (
        inspect.isclass(value)
        and issubclass(value, ZSLEstimator)
        and value.__module__.partition(".")[0] != "zslcore"
    )


def _read_source(method: type, module: ModuleType | None) -> list[bytes]:
    """Return the source that a class is made by: its package, its file, or its notebook cell."""
    file = Path(getattr(module, "__file__", None) or "")
    if file.suffix == ".py" and file.is_file() and _defines(_text(file), method):
        _require_current(method, file)
        root = file
        while (root.parent / "__init__.py").is_file():
            root = root.parent
        files = [root] if root.is_file() else sorted(root.rglob("*.py"))[:MAX_FILES]
        # A package is its files by their names; a lone file may be called anything.
        named = [] if root.is_file() else [str(each.relative_to(root)).encode() for each in files]
        return [*named, *(each.read_bytes() for each in files)]
    for function in vars(method).values():
        code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
        text = "".join(linecache.getlines(code.co_filename)) if code else ""
        if _defines(text, method):  # what `python -c` runs has the name of other texts
            return [text.encode()]
    raise MethodError(
        f"{clean_text(method.__name__)}: expected a class whose source can be read, for the "
        "digest in its name; put it into a file."
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _defines(text: str, method: type) -> bool:
    """Whether a text defines a class; that of ``__main__`` may be what started the notebook."""
    return re.search(rf"^\s*class {method.__name__}\b", text, re.MULTILINE) is not None


def _require_current(method: type, file: Path) -> None:
    """Refuse a class whose file was edited after its import: the digest would be another's."""
    try:
        whole = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        now: set[CodeType] = set()
    else:
        now = set(_nested_codes(whole))
    functions = [inspect.unwrap(each) for each in vars(method).values() if callable(each)]
    made = {each.__code__ for each in functions if inspect.isfunction(each)}
    if any(code not in now for code in made if Path(code.co_filename) == file):
        raise MethodError(
            f"{clean_text(method.__name__)}: {file.name} has changed since it was imported; start "
            "Python again, or name the file itself."
        )


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module and of all that is defined in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested_codes(each)


# --- Taking it in ---------------------------------------------------------------------------------


def _register(method: Any, source: Collection[bytes], place: _Place) -> str:
    """Check a class, name it by its card and its source, and put it among the methods."""
    card = _check_method(method)
    sha = hashlib.sha256(f"{method.__qualname__}\n{method.revision}\n".encode())
    for part in source:
        text = part.replace(b"\r\n", b"\n")  # line ends are the checkout's own
        sha.update(f"{len(text)}\n".encode() + text)
    name = f"{card.name}@{sha.hexdigest()[:DIGITS]}"
    if name not in METHODS:
        METHODS[name] = guarded(method, replace(card, name=name))
    if place.where or name not in _PLACES:
        _PLACES[name] = place
    return name


def _check_method(method: Any) -> MethodCard:
    """Return the card of a class that can be a method, refusing any other in one sentence."""
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
    """Refuse a class that cannot be made without arguments, copied, or searched."""
    try:
        params = clone(method()).get_params()
        method.hints()  # menus and the command line read them
    except Exception as error:
        raise MethodError(f"{name}: {failure(error, '__init__', ())}") from error
    grid = getattr(method, "param_grid", None)
    if not isinstance(grid, Mapping):
        raise MethodError(
            f"{name}: expected param_grid, a mapping from parameters to the values that are "
            "searched, {} for none; got "
            f"{'none' if grid is None else clean_text(type(grid).__name__)}."
        )
    for parameter, values in grid.items():
        if parameter not in params:
            raise closest_name(f"parameter in param_grid of {name}", parameter, params)
        listed = isinstance(values, (list, tuple)) and len(values) > 0
        if not listed or not all(isinstance(value, _SCALARS) for value in values):
            raise MethodError(
                f"{name}: param_grid[{parameter!r}]: expected a tuple of numbers, texts, True or "
                f"False; got {clean_text(repr(values), 60)}."
            )


#: Functions that the package calls, and the places of the rows and of the candidates among the
#: arguments of those that return scores.
_CALLED: dict[str, tuple[int, int] | None] = {
    "fit": None,
    "decision_function": (0, 1),
    "score_map": None,
    "fit_grid": None,
    "score_grid": (4, 5),
    "attribute_grid": None,
}
#: Letters of a message that foreign code raises.
LETTERS = 300


def guarded(method: type[ZSLEstimator], card: MethodCard) -> type[ZSLEstimator]:
    """Return a subclass of a method with another card, whose failures are sentences."""
    members: dict[str, Any] = {"card": card, "__doc__": method.__doc__}
    members |= {"__module__": method.__module__, "__qualname__": method.__qualname__}
    for name, scores in _CALLED.items():
        members[name] = _guard(name, inspect.unwrap(getattr(method, name)), scores)
    if callable(method.seen_penalty):
        members["seen_penalty"] = _guard("seen_penalty", inspect.unwrap(method.seen_penalty), None)
    return new_class(method.__name__, (method,), exec_body=lambda space: space.update(members))


def _guard(
    name: str, function: Callable[..., Any], scores: tuple[int, int] | None
) -> Callable[..., Any]:
    """Return a function of a method that fails in sentences, by the signature of the contract."""
    judge = partial(_require, name=name, scores=scores)

    def call(self: ZSLEstimator, *args: Any) -> Any:
        with _errors_as_sentences(self, name, function):
            result = function(self, *args)
        return judge(self, args, result)

    def walk(self: ZSLEstimator, *args: Any) -> Iterator[Any]:
        with _errors_as_sentences(self, name, function):
            for result in function(self, *args):
                yield judge(self, args, result)

    contract = getattr(ZSLEstimator, name)
    yields = name in ("fit_grid", "score_grid", "attribute_grid")
    own: Callable[..., Any] = walk if yields else call
    own.__name__ = own.__qualname__ = name
    # Whatever its author calls the arguments, they come in the order of the contract.
    own.__signature__ = inspect.signature(contract or _penalty)  # type: ignore[attr-defined]
    return own


def _penalty(self: ZSLEstimator, X: Any) -> None:
    """Have the signature of a novelty detector."""


@contextmanager
def _errors_as_sentences(
    model: ZSLEstimator, name: str, function: Callable[..., Any]
) -> Iterator[None]:
    try:
        yield
    except (ZSLError, NotFittedError, MemoryError):
        raise
    except Exception as error:
        files = _sources(type(model)) or {function.__code__.co_filename}
        raise MethodError(f"{model.card.name}: {failure(error, name, files)}") from error


def _sources(method: type[ZSLEstimator]) -> set[str]:
    """Return the files of the functions that a method from outside adds to those of the package."""
    own = (c for c in method.__mro__[1:] if issubclass(c, ZSLEstimator))
    outside = (c for c in own if c.__module__.partition(".")[0] != "zslcore")
    functions = (inspect.unwrap(f) for c in outside for f in vars(c).values() if callable(f))
    return {code.co_filename for f in functions if (code := getattr(f, "__code__", None))}


def failure(error: BaseException, name: str, files: Collection[str]) -> str:
    """Return which function raised what, in which line of ``files``, and its message.

    ``name`` is the function that was called; one of ``files`` that it called is named instead.
    """
    frames = traceback.extract_tb(error.__traceback__)
    there = [frame for frame in frames if frame.filename in files]
    at = f" in line {there[-1].lineno}" if there else ""
    if there and there[0].name.isidentifier():
        name = there[0].name
    if isinstance(error, SyntaxError) and error.lineno:
        at = f" in line {error.lineno}"
    message = clean_text(str(error).strip().partition("\n")[0], LETTERS)
    end = "" if message.endswith((".", "!", "?")) else "."
    said = f": {message}{end}" if message else " without a message."
    return f"{name} raised {type(error).__name__}{at}{said}"


def _require(
    model: ZSLEstimator,
    args: tuple[Any, ...],
    result: Any,
    *,
    name: str,
    scores: tuple[int, int] | None,
) -> Any:
    """Return what a function gave, refusing what the contract does not allow."""
    who = f"{model.card.name}: {name}"
    if name == "fit" and result is not model:
        raise MethodError(f"{who}: expected to return self; got {type(result).__name__}.")
    if name == "seen_penalty":
        _require_array(result, (len(args[0]),), who)
    if scores is not None:
        X, candidates = (args[place] for place in scores)
        _require_array(result, (len(X), len(candidates)), who)
        _require_numbers(result, who)
    return result


def _require_array(result: Any, shape: tuple[int, ...], who: str) -> None:
    if isinstance(result, np.ndarray) and (result.shape, result.dtype) == (shape, np.float64):
        return
    got = type(result).__name__
    if isinstance(result, np.ndarray):
        got = f"{result.dtype} of shape {result.shape}"
    raise MethodError(f"{who}: expected a float64 array of shape {shape}; got {got}.")


def _require_numbers(F: np.ndarray, who: str) -> None:
    """Refuse scores that are no numbers; minus infinity rules a class out."""
    wrong = ~(np.isfinite(F) | np.isneginf(F))
    empty = np.isneginf(F).all(axis=1) if F.shape[1] else np.zeros(len(F), dtype=bool)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise MethodError(
            f"{who}: expected finite scores; got {F[row, column]} for sample {row}, candidate "
            f"{column} (both counted from 0)."
        )
    if empty.any():
        raise MethodError(
            f"{who}: expected a finite score for every sample; sample {int(empty.argmax())} has "
            "none."
        )
