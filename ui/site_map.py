"""The eight pages and their views: names, questions, icons, addresses and links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

__all__ = [
    "MOVED",
    "PAGES",
    "RENAMED",
    "Page",
    "View",
    "link",
    "page_of",
    "query_of",
    "shared",
    "view_of",
]


@dataclass(frozen=True, slots=True)
class View:
    """One view of a page, a module ``ui.views.<page>.<name>`` with ``show(header)``.

    Attributes
    ----------
    name : in the address, ``?view=<name>``; no two views share one
    label : in the choice of views and in the browser's tab
    question : what it answers, the heading
    icon : Material icon
    own : how the names of its own choices begin in the address
    alone : other names that only this view reads from the address
    """

    name: str
    label: str
    question: str
    icon: str
    own: str
    alone: tuple[str, ...] = ()

    def owns(self, choice: str) -> bool:
        """Whether a name in the address belongs to this view alone."""
        return choice.startswith(self.own) or choice in self.alone


@dataclass(frozen=True, slots=True)
class Page:
    """A page, ``pages/<name>.py``; the first view is the default."""

    name: str
    title: str
    icon: str
    views: tuple[View, ...]

    @property
    def path(self) -> str:
        """The script, as Streamlit names it."""
        return f"pages/{self.name}.py"


PAGES = (
    Page(
        "playground",
        "Playground",
        ":material/tune:",
        (
            View(
                "play",
                "Play",
                "What do you pay to recognise unseen classes?",
                ":material/tune:",
                "playground_",
            ),
            View(
                "about",
                "What is this?",
                "What is zero-shot learning?",
                ":material/school:",
                "about_",
            ),
        ),
    ),
    Page(
        "data",
        "Data",
        ":material/dataset:",
        (
            View(
                "splits",
                "Data and splits",
                "What is in this data set?",
                ":material/dataset:",
                "data_",
            ),
        ),
    ),
    Page(
        "awa1_and_awa2",
        "AWA1 and AWA2",
        ":material/compare:",
        (
            View(
                "map",
                "Map",
                "Is AWA2 a fair replacement for AWA1?",
                ":material/compare:",
                "awa1_",
            ),
            View(
                "crossed",
                "Trained on one, tested on the other",
                "Which changes accuracy more, another training set or another test set?",
                ":material/swap_horiz:",
                "crossed_",
            ),
        ),
    ),
    Page(
        "compare",
        "Compare",
        ":material/leaderboard:",
        (
            View(
                "table",
                "Table",
                "Which method is best, and is that certain?",
                ":material/table_chart:",
                "table_",
            ),
            View(
                "methods",
                "Methods",
                "Which method ranks first, and is that robust?",
                ":material/leaderboard:",
                "compare_",
            ),
            View("runs", "Runs", "What have I computed?", ":material/history:", "runs_"),
            View(
                "board",
                "Board",
                "Leaderboard",
                ":material/social_leaderboard:",
                "board_",
            ),
            View(
                "large_scale",
                "Large scale",
                "What happens at 21K classes?",
                ":material/account_tree:",
                "large_",
            ),
        ),
    ),
    Page(
        "overlap_gain",
        "Overlap gain",
        ":material/join_inner:",
        (
            View(
                "gains",
                "Per-class gain",
                "Which classes gain by pre-training, and are they known?",
                ":material/join_inner:",
                "gain_",
            ),
        ),
    ),
    Page(
        "leakage",
        "Leakage",
        ":material/policy:",
        (
            View(
                "drop",
                "Is it clean?",
                "Can I trust this split, this number?",
                ":material/policy:",
                "drop_",
                ("leakage_source", "leakage_tab"),
            ),
            View(
                "contamination",
                "Contamination map",
                "May this number be reported as zero-shot?",
                ":material/coronavirus:",
                "contamination_",
            ),
            View(
                "scores",
                "Your scores",
                "Evaluate your scores",
                ":material/grid_on:",
                "scores_",
            ),
        ),
    ),
    Page(
        "claims",
        "Claims",
        ":material/menu_book:",
        (
            View(
                "wall",
                "Claims",
                "What did the papers claim, and does it hold?",
                ":material/fact_check:",
                "claims_",
                ("published_claim",),
            ),
            View(
                "findings",
                "Findings",
                "What was found in released files and tables?",
                ":material/search:",
                "findings_",
            ),
            View(
                "checks",
                "Checks",
                "Do the printed tables agree?",
                ":material/rule:",
                "checks_",
            ),
            View(
                "published",
                "Printed tables",
                "What did the papers report?",
                ":material/menu_book:",
                "published_",
            ),
            View(
                "codes",
                "Released code",
                "How were published results chosen?",
                ":material/code:",
                "codes_",
            ),
        ),
    ),
    Page(
        "teach",
        "Teach",
        ":material/cast_for_education:",
        (
            View(
                "lessons",
                "Lessons",
                "Lessons: predict, then look",
                ":material/cast_for_education:",
                "lessons_",
                ("lesson", "room"),
            ),
            View(
                "glossary",
                "Glossary",
                "What does this word mean?",
                ":material/dictionary:",
                "glossary_",
            ),
        ),
    ),
)
_PLACES = {view.name: (page, view) for page in PAGES for view in page.views}
#: Former pages, by their address, and the view that each has become.
MOVED = {
    "data_and_splits": "splits",
    "awa1_and_awa2": "map",
    "compare": "methods",
    "runs": "runs",
    "board": "board",
    "large_scale": "large_scale",
    "overlap_gain": "gains",
    "actions": "gains",
    "leakage_review": "drop",
    "contamination": "contamination",
    "scores": "scores",
    "published": "published",
    "lessons": "lessons",
}
#: Former options of menus and tabs, as links still name them, and what each is called now.
RENAMED = {
    "AWA1 beside AWA2": "AWA1 next to AWA2",
    "Against another split": "Diff",
    "Class embeddings": "Other inputs",
    "Figures": "Results",
    "What leaks cost": "Impact on accuracy",
    "Your own": "Import",
    "all ten, seen ones held back": "all ten, calibrated",
    "everybody's": "all",
    "neighbours kept": "neighbours preserved",
    "of other people": "imported",
    "parameters chosen for GZSL": "tuned for GZSL",
    "parameters chosen for ZSL": "tuned for ZSL",
    "same photograph on both sides": "same photograph in train and test",
    "t-SNE beside UMAP": "t-SNE next to UMAP",
}


def page_of(view: str) -> Page:
    """Return the page that has a view."""
    return _PLACES[view][0]


def view_of(page: Page, choices: Mapping[str, object]) -> View:
    """Return the view that an address asks for.

    Parameters
    ----------
    page : to be shown
    choices : names in the address and their values

    Returns
    -------
    View
        The one named ``view``; else the one that owns a choice, as links from before the views do;
        else the first.
    """
    asked = str(choices.get("view", ""))
    if asked in _PLACES and page_of(asked) is page:
        return _PLACES[asked][1]
    owners = (view for view in page.views if any(map(view.owns, choices)))
    return next(owners, page.views[0])


def query_of(view: str, choices: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what stands in the address of a view with these choices."""
    named = {"view": view} if len(page_of(view).views) > 1 else {}
    return named | dict(choices or {})


def shared(view: View, choices: Iterable[str]) -> list[str]:
    """Return the names in an address that no other view has for itself."""
    others = [other for _, other in _PLACES.values() if other is not view]
    return [name for name in choices if not any(other.owns(name) for other in others)]


def link(
    view: str, label: str, *, icon: str | None = None, query: Mapping[str, str] | None = None
) -> None:
    """Put a link to a view here.

    Parameters
    ----------
    view : its name
    label, icon : of the link
    query : choices that it opens with
    """
    st.page_link(page_of(view).path, label=label, icon=icon, query_params=query_of(view, query))
