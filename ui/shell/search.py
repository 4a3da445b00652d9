"""Search over pages, data sets, methods, claims, lessons and terms, by a button or Ctrl K."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.components import window
from ui.lessons.registry import LESSONS
from ui.shell import site_map
from ui.shell.frame import CHOICE
from ui.shell.text import GLOSSARY, TERMS, plain
from ui.state import data_menu
from zslcore.analysis.papers.claims import CLAIMS, FINDINGS
from zslcore.datasets.facts import title
from zslcore.leakage.released_codes import codes
from zslcore.methods import METHODS

_FOUND = "search_found"


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that can be found: a ``term`` of the glossary, shown at once, or a view.

    ``choice`` is name and value of a control that it opens with, ``query`` those of its address.
    """

    label: str
    view: str = ""
    choice: tuple[str, str] | tuple[()] = ()
    query: tuple[str, str] | tuple[()] = ()
    term: str = ""


def hits() -> list[Hit]:
    """Return everything that can be found, in the order in which it is listed."""
    return [
        *(
            Hit(f"{page.title} · {view.label}: {view.question}", view.name)
            for page in site_map.PAGES
            for view in page.views
        ),
        *(Hit(f"Method · {name}", "play", ("method", name)) for name in METHODS),
        *(
            Hit(f"Data set · {title(name)}", "splits", ("dataset", name))
            for name in data_menu.offered(variants=True)
        ),
        *(
            Hit(f"Claim · {claim.statement} ({claim.paper})", "wall", query=("claims_open", id_))
            for id_, claim in CLAIMS.items()
        ),
        *(
            Hit(f"Finding · {finding.said}", "wall", query=("claims_open", finding.id))
            for finding in FINDINGS
        ),
        *(Hit(f"Released code · {code}", "wall", query=("claims_open", code)) for code in codes()),
        *(
            Hit(f"Lesson · {lesson.title}", "lessons", query=("lesson", name))
            for name, lesson in LESSONS.items()
        ),
        *(Hit(f"Term · {name}", term=name) for name in TERMS),
    ]


def draw() -> None:
    """Put the button here; the list is made when it is pressed."""
    keys = None if window.is_narrow() else "Ctrl+K"  # which a telephone has not, nor the room
    if st.button("Search", key="search", icon=":material/search:", type="tertiary", shortcut=keys):
        st.session_state.pop(_FOUND, None)
        _ask()


@st.dialog("Search", icon=":material/search:")
def _ask() -> None:
    """List what can be found, and go where the visitor chooses."""
    found = st.selectbox(
        "Page, data set, method, claim, lesson or term",
        hits(),
        index=None,
        format_func=lambda hit: hit.label,
        key=_FOUND,
        placeholder="Type a few letters",
    )
    if found is not None and found.term:
        st.markdown(f"**{plain(found.term)}**  \n{GLOSSARY[found.term]}")
    elif found is not None:
        # Streamlit lets no program write what a control of this page has in the address, so that
        # the choice goes by the session.
        st.session_state[CHOICE] = found.choice
        page = site_map.page_of(found.view)
        query = dict([found.query] if found.query else [])
        st.switch_page(page.path, query_params=site_map.query_of(found.view, query))
