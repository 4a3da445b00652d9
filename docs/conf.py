"""Documentation of the package: reference from docstrings, methods from their cards.

python -m sphinx -W docs docs/_build/html
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from zslcore.results.shipped import shipped_predictions, shipped_results  # noqa: E402
from zslcore.version import version as found  # noqa: E402 - needs the path above

project = "Zero-shot lab"
author = copyright = "The Zero-shot lab authors"  # noqa: A001 - Sphinx's name
version = release = found()

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "cards",
]
#: Data set and method of the curve in predictions.rst.
CURVE = ("CUB-vgg_fc7", "ESZSL")
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 2
html_theme = "furo"
html_title = "Zero-shot lab"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings state shapes and units
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


def left_out(app, what, name, member, skip, options):
    """Leave out scikit-learn's metadata routing, which every estimator inherits."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def write_llms(app, exception):
    """Write llms.txt next to the pages: each page with its title, for language models."""
    if exception or app.builder.name != "html":
        return
    titles = {name: node.astext() for name, node in app.env.titles.items()}
    lines = [f"- [{title}]({name}.html)" for name, title in sorted(titles.items())]
    summary = f"> {project} {version}: zero-shot learning, measured honestly."
    text = "\n".join([f"# {project}", "", summary, "", "## Pages", "", *lines, ""])
    (Path(app.outdir) / "llms.txt").write_text(text, encoding="utf-8")


def write_curve(app, exception):
    """Write the interactive curve for the frame in predictions.rst, from a precomputed result."""
    if exception or app.builder.name != "html":
        return
    ours = (one.key for one in shipped_results() if (one.spec.dataset, one.spec.method) == CURVE)
    page = next(found for key in ours if (found := shipped_predictions(key)) is not None).page()
    (Path(app.outdir) / "curve_cub.html").write_text(page, encoding="utf-8")


def setup(app):
    """Connect the functions above to events."""
    app.connect("autodoc-skip-member", left_out)
    app.connect("build-finished", write_llms)
    app.connect("build-finished", write_curve)
