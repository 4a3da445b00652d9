"""Directive for the cards of all methods: ``.. cards::`` with the name of a registry."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from zslcore import methods
from zslcore.methods.base import ZSLEstimator


class Cards(SphinxDirective):
    """Directive that writes one section per method."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict] = {}

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        registry = getattr(methods, self.arguments[0])
        lines = [line for method in registry.values() for line in card(method)]
        return self.parse_text_to_nodes(
            "\n".join(StringList(lines, source=methods.__file__)), allow_section_headings=True
        )


def card(method: type[ZSLEstimator]) -> Iterator[str]:
    """Yield the card of a method as lines of reStructuredText."""
    about = method.card
    yield from (about.name.replace("*", r"\*"), "~" * (len(about.name) + 1), "", about.idea, "")
    yield from (".. math::", "", f"   {about.formula}", "")
    yield f":Family: {about.family}"
    if about.requires:
        yield f":Requires: {about.requires}"
    if about.departure:
        yield f":Different from the paper by default: {about.departure}"
    if about.depends_on_candidates:
        yield f":Scores depend on the other candidates: {about.depends_on_candidates}"
    grid = "; ".join(f"``{name}`` {_short(values)}" for name, values in method.param_grid.items())
    yield f":Searched: {grid or 'nothing'}"
    if method.complexity_order:
        simpler = ", ".join(f"``{name}``" for name in method.complexity_order)
        yield f":Chosen: by the one-standard-error rule; the smallest {simpler} is the simplest"
    of_values = [f"{k}={v}: {number}" for (k, v), number in method.value_revisions.items()]
    yield f":Revision: {'; '.join([str(method.revision), *of_values])}"
    yield f":Paper: {about.authors} {about.year}, `{about.title} <{about.url}>`__"
    yield f":Reference: :class:`zslcore.methods.{method.__name__}`"
    yield ""


def _short(values: Iterable[object]) -> str:
    return ", ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in values)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("cards", Cards)
    return {"parallel_read_safe": True}
