"""Public path of :mod:`zslcore.evaluation.protocol`."""

from zslcore.evaluation.protocol import *  # noqa: F403
from zslcore.evaluation.protocol import __all__ as __all__
