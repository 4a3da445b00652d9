"""Zero-shot learning, measured honestly: data sets, methods, protocol and audit.

The package knows nothing of the screen. Start from :func:`zslcore.datasets.load`,
:func:`zslcore.methods.get_method` and :mod:`zslcore.protocol`.
"""


def __getattr__(name: str) -> str:
    """Tell ``__version__`` when it is asked for: in a checkout that is a question to git."""
    if name == "__version__":
        from zslcore.version import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
