"""Zero-shot learning, measured honestly: data sets, methods, protocol and audit.

Most users need only the names below. They are imported on first use, so ``import zslcore`` is fast:

.. code-block:: python

   import zslcore

   digits = zslcore.load("digits")
   split = digits.split("PS")
   chosen = zslcore.select(zslcore.get_method("ESZSL")(), digits, split)
   model = zslcore.get_method("ESZSL")(**chosen.params)
   result = zslcore.evaluate(zslcore.fit_and_score(model, digits, split), chosen.gamma)

The names in ``__all__`` of the following modules are public, too; all other parts of the package
can change:

- :mod:`zslcore.datasets`, :mod:`zslcore.methods`, :mod:`zslcore.metrics`, :mod:`zslcore.leakage`
- :mod:`zslcore.evaluation.protocol` (also under its former path ``zslcore.protocol``),
  :mod:`zslcore.evaluation.specs`, :mod:`zslcore.evaluation.runs`, :mod:`zslcore.results.store`
- :mod:`zslcore.exceptions`, :mod:`zslcore.jobs`
- :mod:`zslcore.analysis`, with one module per question
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "METHODS",
    "__version__",
    "audit",
    "evaluate",
    "fit_and_score",
    "get_method",
    "load",
    "overlap_gain",
    "register",
    "seen_unseen_curve",
    "select",
]

if TYPE_CHECKING:
    from zslcore.datasets import load
    from zslcore.evaluation.plugins import register
    from zslcore.evaluation.protocol import evaluate, fit_and_score, select
    from zslcore.leakage import audit
    from zslcore.methods import METHODS, get_method
    from zslcore.metrics import seen_unseen_curve
    from zslcore.metrics.gain import overlap_gain

    __version__: str
else:
    _MODULES = {
        "METHODS": "zslcore.methods",
        "audit": "zslcore.leakage",
        "evaluate": "zslcore.evaluation.protocol",
        "fit_and_score": "zslcore.evaluation.protocol",
        "get_method": "zslcore.methods",
        "load": "zslcore.datasets",
        "overlap_gain": "zslcore.metrics.gain",
        "register": "zslcore.evaluation.plugins",
        "seen_unseen_curve": "zslcore.metrics",
        "select": "zslcore.evaluation.protocol",
    }

    def __getattr__(name: str) -> Any:
        """Import a public name on first use; ``__version__`` of a checkout calls git."""
        if name == "__version__":
            from zslcore.version import version

            return version()
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names, imported or not."""
        return sorted({*globals(), *__all__})


def _show_curves_in_notebooks() -> None:
    """Register the interactive curve as the display of curves in IPython notebooks."""
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if shell is None:
        return

    def show(curve: Any) -> str:
        from zslcore.interactive.seen_unseen import notebook_curve

        return notebook_curve(curve)

    html = shell.display_formatter.formatters["text/html"]
    html.for_type_by_name("zslcore.metrics.curve", "SeenUnseenCurve", show)


_show_curves_in_notebooks()
