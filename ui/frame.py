"""What every page shares: title and question, the mark on simulated data, charts and errors."""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import idle, menus, planted, report, start, takeaway, terms, tray
from ui.components import page_tools, window
from ui.figures import palette
from ui.guard import fragment, guarded
from ui.text import TERMS, Term, on_screen, plain
from zslcore.datasets import ZSLDataset
from zslcore.exceptions import SplitError, ZSLError

__all__ = ["BEGAN", "TOLD", "Header", "chart", "errors_as_sentences", "navigate", "open_page"]

#: Whether this run of the page has said that results cannot be kept.
TOLD = "unkept_told"
#: When this run of the page began, by the monotonic clock.
BEGAN = "page_began"
_APP = Path(__file__).parents[1] / "app.py"
_ICON = Path(__file__).with_name("icon.svg")
palette.follow(window.is_dark, window.is_narrow)
#: A figure's own toolbar has one button, which the menu below the figure presses, too.
_CHART_CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "png", "scale": 2},
    "scrollZoom": False,
}


#: Choices of one page whose name in the address is not the page's.
_OF_ONE_PAGE = {"lesson", "room"}


def navigate(groups: Mapping[str, Sequence]) -> None:
    """Show the groups of pages in the header and run the chosen one; only app.py calls this."""
    idle.page_runs()
    st.session_state["navigated"] = True
    st.session_state[BEGAN] = time.monotonic()
    st.set_page_config(page_title="Zero-shot lab", page_icon=str(_ICON), layout="wide")
    page = st.navigation(groups, position="top")
    st.session_state["path"] = page.url_path
    if said := start.begin():
        st.warning(plain(said), icon=":material/healing:")
    with guarded():
        page.run()


@dataclass(frozen=True, slots=True)
class Header:
    """The heading of an open page.

    Attributes
    ----------
    slot : the place beside the title
    """

    slot: DeltaGenerator

    def mark(self, dataset: ZSLDataset, *others: ZSLDataset) -> None:
        """Say what is shown, and beside the title when numbers of the first come from no camera."""
        for each in (dataset, *others):
            kind = ", simulated" * each.simulated
            takeaway.cite(f"{each.name}{kind}, data {each.digest}")
        if dataset.simulated:
            self.slot.badge(
                "simulated",
                icon=":material/science:",
                color="orange",
                help=planted.about(dataset),
            )


def open_page(title: str, question: str, *, icon: str) -> Header:
    """Start a page: browser title, heading and a place for the mark on simulated data.

    Parameters
    ----------
    title : the page's name, in the browser's tab
    question : what the page answers, its heading
    icon : Material icon, for example ":material/tune:"
    """
    if "navigated" not in st.session_state:
        # A folder called pages lies beside app.py: the first link opened after a server start runs
        # the page without app.py, until somebody has called st.navigation.
        runpy.run_path(str(_APP), run_name="__main__")
        st.stop()
    _carry_over(title)
    takeaway.start()
    st.session_state[TOLD] = False
    st.set_page_config(page_title=f"{title} · Zero-shot lab", page_icon=str(_ICON), layout="wide")
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        # Each half is as wide as what it holds: where both do not fit, the second goes below.
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.title(question, anchor=False, icon=icon, width="content")
            slot = st.empty()
            window.watch()
        with st.container(
            horizontal=True, vertical_alignment="center", gap="xsmall", width="content"
        ):
            tray.show()
            _show_menus()
            page_tools.draw()
    return Header(slot)


@fragment
def _show_menus() -> None:
    """Offer glossary and report; a menu is made when it is opened, and the page does not run."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        _show_glossary()
        _show_report()


def _show_glossary() -> None:
    """Explain every term; the list is made once somebody opens it."""
    menu = menus.opened("Glossary", icon=":material/dictionary:", key="glossary_menu")
    if menu is None:
        return
    with menu:
        sought = st.text_input("Find a term", key="glossary_sought").strip().lower()
        found = [t for t in TERMS.values() if sought in t.searched()]
        here = [term for term in terms.on_this_page() if term in found]
        if not found:
            st.caption("No term has these letters.")
        with st.container(height=420, border=False):
            _list_terms("On this page", here)
            _list_terms("Other terms", [term for term in found if term not in here])


def _list_terms(heading: str, found: Sequence[Term]) -> None:
    if found:
        st.caption(heading)
    for term in found:
        st.markdown(f"**{plain(term.name)}**  \n{term.in_markdown()}")


def _show_report() -> None:
    """Offer what the visitor has pinned; it is listed once somebody opens it."""
    menu = menus.opened(
        "Report",
        icon=":material/keep:",
        key="report_menu",
        tip="Figures and tables that you have pinned on this visit.",
    )
    if menu is None:
        return
    with menu:
        pieces = report.pins()
        if not pieces:
            st.caption("Nothing is pinned yet. Open **Download** below a figure, then pin it.")
        for k, piece in enumerate(pieces):
            st.button(
                f"Remove {plain(piece.title)}",
                icon=":material/close:",
                type="tertiary",
                key=f"report_remove_{k}",
                on_click=report.unpin,
                args=(k,),
            )
        if pieces:
            st.download_button(
                "Report, HTML",
                lambda: report.as_html(pieces),
                file_name="report.html",
                mime="text/html",
                icon=":material/download:",
                on_click="ignore",
                key="report_download",
            )


def _carry_over(title: str) -> None:
    """Keep shared choices, and the address in step with them, when the page changes.

    Streamlit hands the choices of the page before to widgets of the same key here once a run had no
    widgets, but empties the address; so here is such a run, and then the address is written again.
    """
    before = st.session_state.setdefault("page", title)
    if before != title:
        terms.forget()
        for asked in set(st.query_params) - {"navigated", "page", "left"}:
            st.session_state.pop(asked, None)  # or a link to a default would lose to what was left
        st.session_state["page"], st.session_state["left"] = title, before
        st.rerun()
    left = st.session_state.pop("left", None)
    if left is not None:
        own = left.split()[0].lower() + "_"
        asked = st.query_params.to_dict().items()
        shared = {k: v for k, v in asked if not k.startswith(own) and k not in _OF_ONE_PAGE}
        st.query_params.from_dict(shared)


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Show what the package refuses as one sentence and stop the page there; choices stay."""
    try:
        yield
    except ZSLError as error:
        st.error(on_screen(str(error)), icon=":material/error:")
        if isinstance(error, SplitError):
            st.page_link(
                "pages/leakage_review.py",
                label="What the review says of this split",
                icon=":material/policy:",
                query_params={"dataset": error.dataset, "split": error.split},
            )
        st.stop()


def chart(
    figure: Any,
    alt: str,
    *,
    key: str,
    table: Callable[[], pd.DataFrame] | None = None,
    **options: Any,
) -> Any:
    """Draw a Plotly figure across its container, and below it the menu to take it away.

    Parameters
    ----------
    figure : go.Figure
    alt : what it shows, for those who cannot see it; the caption of what is taken away
    key : of the element
    table : makes the numbers to take away, where the figure does not have them all
    **options : of ``st.plotly_chart``

    Returns
    -------
    What ``st.plotly_chart`` returns.
    """
    drawn = st.plotly_chart(figure, alt=alt, key=key, config=_CHART_CONFIG, **options)
    takeaway.offer_figure(takeaway.Figure(key, alt, figure, table))
    return drawn
