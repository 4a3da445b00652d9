"""Zero-shot learning, measured honestly: data sets, methods, protocol and audit.

The package knows nothing of the screen. Start from :func:`zslcore.datasets.load`,
:func:`zslcore.methods.get_method` and :mod:`zslcore.protocol`.
"""

__version__ = "0.1.0"
