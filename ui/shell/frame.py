"""Frame of every page: title, views, menus, badge of simulated data, charts and errors."""

from __future__ import annotations

import re
import runpy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException, StreamlitPageNotFoundError

from ui.components import chart as drawing
from ui.components import page_tools, window
from ui.figures import palette
from ui.figures.vocabulary import Chart
from ui.intake import missing_extras
from ui.maps import simulated_effects
from ui.shell import runtime, site_map, terms, visitors
from ui.shell.folds import menu
from ui.shell.guard import errors_as_sentences, fragment, guarded
from ui.shell.numbers import share_done
from ui.shell.site_map import Page, View
from ui.shell.text import TERMS, Term, on_screen, plain
from ui.takeaway import downloads, report
from ui.takeaway.as_table import table_of_figure
from ui.takeaway.for_print import panels_of
from zslcore import jobs
from zslcore.datasets import ZSLDataset
from zslcore.exceptions import ZSLError
from zslcore.results.shipped import ResultsOnly

#: Session key: whether this run of the page has reported that results cannot be stored.
WARNED = "storage_warned"
#: Session key: time at which this run of the page began, by the monotonic clock.
BEGAN = "page_began"
#: Session key: page and view of the visit's latest run.
_SHOWN = "place_shown"
#: Session key: whether the visit has just changed pages.
_CHANGED_PAGES = "place_left"
#: Session key: name and value that the search sets for a control of the view that it opens.
CHOICE = "place_choice"
#: Purpose of the app, shown next to its name on every page.
PURPOSE = "Measure, calibrate and audit zero-shot learning."
_APP = Path(__file__).parents[2] / "app.py"
_ICON = Path(__file__).with_name("icon.svg")
#: Height of the bar below the navigation, in pixels.
_BAR = 24
#: Padding of each label in the choice of views, and width of a letter, in pixels; the width of the
#: placeholder follows from both numbers.
_PADDING, _LETTER = 34, 7
palette.set_viewer(window.is_dark, window.is_narrow)


def navigate() -> None:
    """Show the pages in the bar and run the chosen page; only app.py calls this."""
    runtime.record_page_run()
    st.session_state[BEGAN] = time.monotonic()
    st.set_page_config(page_title="Zero-shot lab", page_icon=str(_ICON), layout="wide")
    st.session_state["navigated"] = True
    first, *more_pages = site_map.PAGES
    pages = [
        # Streamlit serves the default page at "/"; its url_path is for links only.
        st.Page(first.path, title=first.title, icon=first.icon, url_path="start", default=True),
        *(st.Page(page.path, title=page.title, icon=page.icon) for page in more_pages),
    ]
    page = st.navigation(pages, position="top")
    st.session_state["path"] = page.url_path
    if message := runtime.begin():
        st.warning(plain(message), icon=":material/healing:")
    with guarded():
        page.run()


@dataclass(frozen=True, slots=True)
class Header:
    """Heading of an open page; ``slot`` is the place next to the title."""

    slot: DeltaGenerator

    def cite(self, *datasets: ZSLDataset) -> None:
        """Cite data sets as sources of the page's downloads, without a badge."""
        for each in datasets:
            kind = ", simulated" * each.simulated
            downloads.cite(f"{each.name}{kind}, data {each.digest}")

    def mark(self, dataset: ZSLDataset, *others: ZSLDataset) -> None:
        """Cite data sets as sources; show a badge if the first is simulated or precomputed."""
        self.cite(dataset, *others)
        if isinstance(dataset, ResultsOnly):
            self.slot.badge(
                "precomputed",
                color="blue",
                help="These results come with the package, without features. Import the features "
                "under the same name to run methods on them.",
            )
        if dataset.simulated:
            effects = simulated_effects.about_effects(dataset)
            self.slot.badge("simulated", color="yellow", help=effects)


def open_page(page: Page, view: View, *tools: Callable[[], None]) -> Header:
    """Start a page: show the bar with ``tools``, the view's question, and the choice of views."""
    if "navigated" not in st.session_state:
        # With a folder named pages next to app.py, Streamlit runs a page without app.py if its link
        # is opened before any call of st.navigation.
        try:
            runpy.run_path(str(_APP), run_name="__main__")
        except StreamlitPageNotFoundError:  # the server was started with the page as its script
            st.error(
                "This page is part of the app; start it with `streamlit run app.py`.",
                icon=":material/error:",
            )
        st.stop()
    _carry_over(page, view)
    if choice := st.session_state.pop(CHOICE, ()):
        st.session_state[choice[0]] = choice[1]
    downloads.clear()
    st.session_state[WARNED] = False
    title = f"{view.label} · Zero-shot lab"
    st.set_page_config(page_title=title, page_icon=str(_ICON), layout="wide")
    with st.container(gap="xxsmall", key=f"top_{view.name}"):
        _show_bar(tools)
        slot = _show_heading(page, view)
    return Header(slot)


def _show_heading(page: Page, view: View) -> DeltaGenerator:
    """Show the question and the choice of views; return the place next to the question."""
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key="heading",
    ):
        # Each half is as wide as its contents; if the two do not fit, the second moves below.
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.title(view.question, anchor=False, icon=view.icon, width="content")
            slot = st.empty()
        if len(page.views) > 1:
            _choose_view(page, view)
    return slot


def _show_bar(tools: Sequence[Callable[[], None]]) -> None:
    """Show the bar of all pages, of fixed height: name of the app, running jobs and tools."""
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="top",
        height=_BAR,
        border=False,
        key="bar",
    ):
        st.caption(f"**Zero-shot lab** · {PURPOSE}", width="content")
        window.watch()
        with st.container(
            horizontal=True,
            vertical_alignment="center",
            gap="xsmall",
            width="content",
            key="tools",
        ):
            with st.container(width="content", key="jobs"):
                _show_jobs()
            for tool in tools:
                tool()
            _show_menus()
            page_tools.draw([page.name for page in site_map.PAGES])


def _choose_view(page: Page, view: View) -> None:
    """Offer the views of a page; the address names the view shown."""
    key = f"view_of_{page.name}"
    labels = {view.name: view.label for view in page.views}

    def go() -> None:
        chosen = site_map.view_of(page, {"view": st.session_state[key]})
        st.query_params["view"] = chosen.name
        st.session_state[_SHOWN] = (page.name, chosen.name)
        terms.forget()
        _drop_choices_of_others(chosen)

    st.session_state[key] = view.name
    st.segmented_control(
        "View",
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        on_change=go,
        required=True,
        label_visibility="collapsed",
        wrap=True,
        width=sum(_PADDING + _LETTER * len(label) for label in labels.values()),
    )


@fragment
def _show_menus() -> None:
    """Offer glossary and report; opening a menu builds it without running the page."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        menu("Glossary", _show_glossary, icon=":material/dictionary:", key="glossary_menu")
        # A tooltip would stay over the open menu, which says the same.
        menu("Report", _show_report, icon=":material/keep:", key="report_menu")


def _show_glossary() -> None:
    """List the terms of the glossary, those on this page first."""
    search = st.text_input("Find a term", key="glossary_search").strip().lower()
    matches = [t for t in TERMS.values() if search in t.search_text()]
    here = [term for term in terms.on_this_page() if term in matches]
    if not matches:
        st.caption("No term contains these letters.")
    with st.container(height=420, border=False):
        _list_terms("On this page", here)
        _list_terms("Other terms", [term for term in matches if term not in here])


def _list_terms(heading: str, entries: Sequence[Term]) -> None:
    if entries:
        st.caption(heading)
    for term in entries:
        st.markdown(f"**{plain(term.name)}**  \n{term.in_markdown()}")


def _show_report() -> None:
    """List the pins, and offer them as a report."""
    pins = report.pins()
    if not pins:
        st.caption("Nothing is pinned yet. Open **Download** below a figure, then pin it.")
    for k, pin in enumerate(pins):
        st.button(
            f"Remove {plain(pin.title)}",
            icon=":material/close:",
            type="tertiary",
            key=f"report_remove_{k}",
            on_click=report.unpin,
            args=(k,),
        )
    if pins:
        downloads.download(
            *("HTML report", lambda: report.as_html(pins), "report.html", "report_download"),
            type="secondary",
        )


def _carry_over(page: Page, view: View) -> None:
    """Keep shared choices, and their names in the address, when a link changes the view.

    Streamlit passes the choices of the previous page to widgets with the same key only after a run
    without widgets, which empties the address: this function makes such a run, then restores the
    address.
    """
    current = (page.name, view.name)
    before = st.session_state.setdefault(_SHOWN, current)
    if before != current:
        terms.forget()
        for name in set(st.query_params) - {"navigated", _SHOWN, _CHANGED_PAGES}:
            st.session_state.pop(name, None)  # the old choice would override the link
        st.session_state[_SHOWN] = current
        if before[0] != page.name:
            st.session_state[_CHANGED_PAGES] = True
            st.rerun()
        _drop_choices_of_others(view)
        st.query_params["view"] = view.name  # a link within a page does not set ``view``
    elif st.session_state.pop(_CHANGED_PAGES, False):
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        st.query_params.from_dict(
            {name: query[name] for name in site_map.readable_choices(view, query)}
        )


def _drop_choices_of_others(view: View) -> None:
    """Drop the choices of other views from the address, as Streamlit does with widget state."""
    for name in set(st.query_params) - set(site_map.readable_choices(view, st.query_params)):
        with suppress(StreamlitAPIException):
            del st.query_params[name]


@dataclass(frozen=True, slots=True)
class ViewAnswer:
    """Elements of a view's answer: a heading, and one line with its evidence and a mark."""

    heading: DeltaGenerator
    evidence: DeltaGenerator
    mark: DeltaGenerator

    def say(self, sentence: str, evidence: str, *, tip: str | None = None) -> None:
        """Write the answer and its evidence, both in Markdown, with a ``tip`` at the evidence."""
        self.heading.markdown(f"## {sentence}")
        self.evidence.caption(evidence, help=tip, width="content")

    def refuse(self, error: ZSLError, file_names: Sequence[str], advice: str) -> None:
        """Show a refused file, the reason and ``advice`` as the answer.

        The error of a missing extra is raised again: the page shows how to install it.
        """
        if missing_extras.of_error(str(error)) is not None:
            raise error
        name, colon, reason = str(error).partition(": ")
        if not (colon and name.startswith(tuple(file_names))):
            name, reason = "", str(error)
        if words := re.fullmatch(r"expected (.+); got (.+)", reason, re.DOTALL):
            reason = f"Found {words[2]}"
            advice = f"{on_screen(f'Expected {words[1]}.')} {advice}"
        reason = on_screen(reason[0].upper() + reason[1:])
        self.say(f":red[Not read{f': {plain(name)}' * bool(name)}.] {reason}", advice)


def place_answer() -> ViewAnswer:
    """Make room for the answer below the title and above the controls, as in every view."""
    with st.container(gap="small", key="answer"):
        heading = st.empty()
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            return ViewAnswer(heading, st.empty(), st.empty())


def show_tabs(
    tabs: Mapping[str, Callable[..., None]], *args: Any, key: str, in_address: bool = True
) -> None:
    """Show tabs, by default stored in the address as ``key``; draw the open tab with ``args``."""
    options = {"bind": "query-params"} if in_address else {"on_change": "rerun"}
    opened = terms.tabs(list(tabs), key=key, **options)
    for tab, show in zip(opened, tabs.values(), strict=True):
        if tab.open:
            with tab, errors_as_sentences():
                show(*args)


def chart(
    figure: Chart,
    alt: str,
    *,
    key: str,
    table: Callable[[], pd.DataFrame] | None = None,
    on_pick: Callable[[], None] | None = None,
    fills_place: bool = False,
) -> None:
    """Draw a figure at the width of its container, and its download menu below.

    ``alt`` is the text for screen readers and the caption in downloads; ``table`` computes the
    numbers if the figure does not have all of them. After a click on a mark,
    ``st.session_state[key].picked`` is its ``customdata``, for ``on_pick``. With
    ``fills_place``, the styles of the page give the height.
    """
    drawing.draw(figure, alt, key=key, on_pick=on_pick, fills_place=fills_place)
    numbers = table or partial(table_of_figure, figure)
    downloads.offer_figure(
        key, alt, numbers=numbers, panels=partial(panels_of, figure), chart=figure
    )


#: Seconds between two updates; each update records that the visitor still waits.
UPDATE_SECONDS = 3.0


def _show_jobs() -> None:
    """Show the jobs that this visitor waits for, if any."""
    if jobs.jobs_of_visitor(visitors.current()):
        fragment(_tray, run_every=UPDATE_SECONDS)()


def _tray() -> None:
    waiting = jobs.jobs_of_visitor(visitors.current())
    if not waiting:
        return
    count_text = f"{len(waiting)} jobs" if len(waiting) > 1 else "1 job"
    with st.popover(count_text, icon=":material/hourglass_top:", type="tertiary", key="tray"):
        st.caption("Your jobs. A job is cancelled when its last visitor leaves it.")
        for study, status in waiting:
            queue_position = (
                f"number {status.position} in the queue" if status.position else "running"
            )
            st.progress(share_done(status), text=f"{plain(study.title)}: {queue_position}")
            st.button(
                "Leave",
                icon=":material/close:",
                type="tertiary",
                key=f"leave_{study.key}",
                on_click=jobs.cancel,
                args=(study.key, visitors.current()),
            )
