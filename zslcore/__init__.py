"""Zero-shot learning, measured honestly: data sets, methods, protocol and audit.

The package knows nothing of the screen. Start from :func:`zslcore.datasets.load`,
:func:`zslcore.methods.get_method` and :mod:`zslcore.protocol`.

Public are these modules, by the names in their ``__all__``:

- :mod:`zslcore.datasets`, :mod:`zslcore.methods`, :mod:`zslcore.leakage`, :mod:`zslcore.jobs`
- :mod:`zslcore.protocol`, :mod:`zslcore.runs`, :mod:`zslcore.metrics`
- :mod:`zslcore.base`, :mod:`zslcore.features`, :mod:`zslcore.exceptions`
- :mod:`zslcore.analysis`, which is a folder of such modules

What they name stays; whatever else the package holds may change.
"""

from typing import TYPE_CHECKING

__all__ = ["__version__"]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """Tell ``__version__`` when it is asked for: in a checkout that is a question to git."""
        if name == "__version__":
            from zslcore.version import version

            return version()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
