"""What every page shares: title and question, the mark on simulated data, charts and errors."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import idle, planted
from ui.text import plain
from zslcore.datasets import ZSLDataset
from zslcore.exceptions import ZSLError

__all__ = ["Header", "chart", "errors_as_sentences", "navigate", "open_page"]

_APP = Path(__file__).parents[1] / "app.py"
_ICON = Path(__file__).with_name("icon.svg")
_CHART_CONFIG = {"displaylogo": False, "displayModeBar": False, "scrollZoom": False}


def navigate(pages: Sequence) -> None:
    """Show the pages in the header and run the chosen one; only app.py calls this."""
    idle.page_runs()
    st.session_state["navigated"] = True
    st.set_page_config(page_title="Zero-shot lab", page_icon=str(_ICON), layout="wide")
    st.navigation(pages, position="top").run()


@dataclass(frozen=True, slots=True)
class Header:
    """The heading of an open page.

    Attributes
    ----------
    slot : the place beside the title
    """

    slot: DeltaGenerator

    def mark(self, dataset: ZSLDataset) -> None:
        """Say beside the title when numbers come from no camera."""
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
    st.set_page_config(page_title=f"{title} · Zero-shot lab", page_icon=str(_ICON), layout="wide")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(f"{icon} {question}", anchor=False, width="content")
        return Header(st.empty())


def _carry_over(title: str) -> None:
    """Keep shared choices, and the address in step with them, when the page changes.

    Streamlit hands the choices of the page before to widgets of the same key here once a run had no
    widgets, but empties the address; so here is such a run, and then the address is written again.
    """
    before = st.session_state.setdefault("page", title)
    if before != title:
        for asked in set(st.query_params) - {"navigated", "page", "left"}:
            st.session_state.pop(asked, None)  # or a link to a default would lose to what was left
        st.session_state["page"], st.session_state["left"] = title, before
        st.rerun()
    left = st.session_state.pop("left", None)
    if left is not None:
        own = left.split()[0].lower() + "_"
        shared = {k: v for k, v in st.query_params.to_dict().items() if not k.startswith(own)}
        st.query_params.from_dict(shared)


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Show what the package refuses as one sentence and stop the page there; choices stay."""
    try:
        yield
    except ZSLError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.stop()


def chart(figure: Any, alt: str, *, key: str, **options: Any) -> Any:
    """Draw a Plotly figure across its container, with a description for those who cannot see it."""
    return st.plotly_chart(figure, alt=alt, key=key, config=_CHART_CONFIG, **options)
