"""Reader of pickles that hold only arrays, texts, numbers and collections.

A pickle may call any function. Here it is read by an unpickler that replaces the functions of
arrays by functions of this module and refuses all others, so no code of the file runs. NumPy also
writes a pickle for an array of Python objects, such as the dictionary of ``np.save(name, {...})``.
"""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from zslcore.untrusted.readers.common import MAX_NUMBER, npy_header, refuse_odd_characters
from zslcore.untrusted.readers.tensor_files import (
    MAX_LEVELS,
    NamedValues,
    RestrictedUnpickler,
    plain_value,
)
from zslcore.untrusted.worker import Refused

#: Maximum size of a pickle in bytes, and maximum number of values in it.
MAX_PICKLE, MAX_VALUES = 16 << 20, 1_000_000
#: Refusals of other objects, in a pickle and in an array.
OTHER_OBJECTS = "expected a pickle of arrays, texts and numbers; got other Python objects"
OBJECTS = "an array of Python objects: save with np.array(names, dtype=str)"
#: Modules of NumPy's functions for arrays, before and after version 2.
ARRAY_MODULES = [
    f"numpy.{core}.{name}" for core in ("core", "_core") for name in ("multiarray", "numeric")
]
#: Code of a type of numbers or texts.
CODE = re.compile(r"[biufSU]\d{1,9}")
#: Module of built-in functions in Python 3 and 2.
BUILTINS = ("builtins", "__builtin__")
#: First bytes of an array of NumPy.
NPY = b"\x93NUMPY"


class _Description:
    """Array or type of an array as a pickle describes it: arguments, then a state."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments: tuple[Any, ...] = arguments
        self.state: Any = ()

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Buffer(_Description):
    """Array of protocol 5: buffer, type, shape and order."""


class _Scalar(_Description):
    """Number of NumPy: type and bytes."""


def _encode(text: Any, encoding: Any) -> bytes:
    """Replace ``_codecs.encode``, by which older protocols write bytes."""
    if not isinstance(text, str) or encoding != "latin1":
        raise Refused(OTHER_OBJECTS)
    return text.encode("latin1")


def _to_list(values: Any = ()) -> list[Any]:
    """Replace ``set`` and ``frozenset``."""
    if not isinstance(values, list | tuple):
        raise Refused(OTHER_OBJECTS)
    return [*values]


#: Function of NumPy's modules for arrays -> its replacement.
ARRAY_FUNCTIONS = {"_reconstruct": _Description, "_frombuffer": _Buffer, "scalar": _Scalar}


class _Unpickler(RestrictedUnpickler):
    """Unpickler for arrays, texts, numbers and collections."""

    replaced: ClassVar[dict[tuple[str, str], Any]] = {
        **dict.fromkeys((("numpy", "ndarray"), ("numpy", "dtype")), _Description),
        ("_codecs", "encode"): _encode,
        **{(module, name): _to_list for module in BUILTINS for name in ("set", "frozenset")},
        **{
            (module, name): ARRAY_FUNCTIONS[name]
            for module in ARRAY_MODULES
            for name in ARRAY_FUNCTIONS
        },
    }
    refusal = f"{OTHER_OBJECTS} ({{}})"


def read_objects(file: Any) -> Any:
    """Return the value of a pickle in an open file: arrays, texts, numbers, lists, dictionaries.

    A list of objects in an array is returned as a list. Raises Refused for other content, and for
    more than MAX_VALUES values, even if several lists share them.
    """
    gc.disable()  # the collector would search millions of lists again and again
    try:
        value = _Unpickler(file, encoding="latin1").load()
        return _value_of(value, _Budget())
    except Refused:
        raise
    except Exception:  # noqa: BLE001 - a damaged pickle raises any exception
        raise Refused("expected a complete pickle of arrays, texts and numbers") from None
    finally:
        gc.enable()


class _Budget:
    """Number of values that a pickle may still have, also counting repeated ones."""

    left = MAX_VALUES

    def take(self, n: int, depth: int) -> None:
        """Refuse more than the remaining values, or too deep a level."""
        self.left -= n
        if self.left < 0 or depth > MAX_LEVELS:
            raise Refused(
                f"expected at most {MAX_VALUES:,} values, nested at most {MAX_LEVELS} levels "
                "deep; got more"
            )


def _value_of(value: Any, budget: _Budget, depth: int = 0) -> Any:
    """Return a value with arrays in place of their descriptions; take its size from ``budget``."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, _Description):
        return _array_of(value, budget, depth)
    if not isinstance(value, dict | list | tuple | set | frozenset):
        raise Refused(OTHER_OBJECTS)
    budget.take(len(value) + 1, depth)
    if isinstance(value, dict):
        return {str(key): _value_of(inner, budget, depth + 1) for key, inner in value.items()}
    return [_value_of(inner, budget, depth + 1) for inner in value]


def _array_of(description: _Description, budget: _Budget, depth: int) -> Any:
    if isinstance(description, _Scalar):
        dtype, raw = description.arguments
        return _array(raw, dtype, (), "C").item()
    if isinstance(description, _Buffer):
        return _array(*description.arguments)
    _, shape, dtype, is_fortran, content = description.state
    order: Literal["C", "F"] = "F" if is_fortran else "C"
    if not isinstance(content, list):
        return _array(content, dtype, shape, order)
    budget.take(len(content) + 1, depth)
    objects = np.empty(len(content), dtype=object)
    for k, element in enumerate(content):
        objects[k] = _value_of(element, budget, depth + 1)
    return objects.reshape(shape, order=order).tolist()


def _array(raw: Any, dtype: _Description, shape: Any, order: Any) -> np.ndarray:
    """Return an array of numbers or texts from its bytes."""
    code, order_of_bytes = dtype.arguments[0], dtype.state[1]
    if not CODE.fullmatch(code) or order_of_bytes not in ("<", ">", "|", "="):
        raise Refused(OTHER_OBJECTS)
    content = raw.encode("latin1") if isinstance(raw, str) else raw
    flat = np.frombuffer(content, np.dtype(order_of_bytes + code))
    refuse_odd_characters(flat)
    array: np.ndarray = flat.reshape(shape, order=order)
    return array


def array_of_objects(file: Any) -> np.ndarray:
    """Return the texts or numbers of an array of Python objects, below its header."""
    try:
        objects = np.array(read_objects(file), dtype=object)
    except Refused:
        raise Refused(f"expected numbers or strings; got {OBJECTS}") from None
    elements = objects.ravel().tolist()
    are_texts = all(type(value) is str for value in elements)
    if not elements or not (are_texts or all(type(v) in (int, float, bool) for v in elements)):
        raise Refused(f"expected numbers or strings; got {OBJECTS}")
    if not are_texts and any(abs(number) >= MAX_NUMBER for number in elements):
        raise Refused("expected numbers below 2 ** 53; got a larger one")
    if are_texts and max(map(len, elements)) * len(elements) * 4 > MAX_PICKLE:
        raise Refused(f"expected texts of at most {MAX_PICKLE:,} bytes; got more")
    return np.array(elements).reshape(objects.shape)


class Pickle(NamedValues):
    """Arrays, and lists of texts or numbers, in a pickle, or in a dictionary of ``np.save``."""

    def __init__(self, path: str) -> None:
        super().__init__(_read(path))


def _read(path: str) -> Any:
    if (size := Path(path).stat().st_size) > MAX_PICKLE:
        raise Refused(
            f"expected a pickle of at most {MAX_PICKLE:,} bytes; got {size:,}; save larger arrays "
            "with np.savez(...)"
        )
    with open(path, "rb") as file:
        is_array = file.read(len(NPY)) == NPY
        file.seek(0)
        if is_array:
            npy_header(file)
        return read_objects(file)


def read_value(path: str, kind: str, max_items: int, out: Path) -> Any:
    """Return the lists and dictionaries of a pickle; arrays become lists."""
    return plain_value(_read(path), iter(range(max_items)))
