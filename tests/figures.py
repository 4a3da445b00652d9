"""Access to the parts of figures as attributes."""

import inspect
from functools import wraps
from types import SimpleNamespace

from ui.figures.vocabulary import Chart


class Parts(dict):
    """A part of a figure, with its parts as attributes; a missing part is None."""

    def __getitem__(self, name):
        return read(self.get(name))

    __getattr__ = __getitem__


def read(part):
    """Return a figure, or a part of one, with its parts as attributes."""
    if isinstance(part, Chart):
        return Parts(part.to_dict())
    if isinstance(part, dict):
        return Parts(part)
    return tuple(map(read, part)) if isinstance(part, list | tuple) else part


def reading(function):
    """Wrap a function that draws a figure: its figure has the parts as attributes."""

    @wraps(function)
    def drawn(*args, **kwargs):
        result = function(*args, **kwargs)
        return read(result) if isinstance(result, Chart) else result

    return drawn


def reading_all(module):
    """Return a module with :func:`reading` around each of its functions."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return SimpleNamespace(**vars(module) | {name: reading(item) for name, item in functions})
