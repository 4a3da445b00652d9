"""Pages and views listed in ``site.toml``, with their addresses and links."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st


@dataclass(frozen=True, slots=True)
class View:
    """View of a page, a module ``ui.views.<page>.<name>`` with ``show(header)``.

    Only this view reads the query parameters with its ``prefix``, such as "about_", and the
    parameters listed in ``own``.
    """

    name: str
    label: str
    question: str
    icon: str
    prefix: str
    own: Sequence[str] = ()

    def owns(self, choice: str) -> bool:
        """Return whether only this view reads the query parameter ``choice``."""
        return choice.startswith(self.prefix) or choice in self.own


@dataclass(frozen=True, slots=True)
class Page:
    """Page of the app, ``pages/<name>.py``; its first view is the default."""

    name: str
    title: str
    icon: str
    views: tuple[View, ...]

    @property
    def path(self) -> str:
        """Path of the script, relative to app.py."""
        return f"pages/{self.name}.py"


def _with_icon(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the file with the icon in Streamlit's notation."""
    return row | {"icon": f":material/{row['icon']}:"}


_SITE = tomllib.loads(Path(__file__).with_name("site.toml").read_text(encoding="utf-8"))
PAGES = tuple(
    Page(**_with_icon(page) | {"views": tuple(View(**_with_icon(view)) for view in page["views"])})
    for page in _SITE["pages"]
)
_PLACES = {view.name: (page, view) for page in PAGES for view in page.views}


def page_of_view(view: str) -> Page:
    """Return the page that has a view."""
    return _PLACES[view][0]


def view_of(page: Page, choices: Mapping[str, object]) -> View:
    """Return the view in the query parameter ``view``; by default the first view of the page."""
    named = str(choices.get("view", ""))
    return next((view for view in page.views if view.name == named), page.views[0])


def query_of(view: str, choices: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the query parameters of a view with these choices."""
    named = {"view": view} if len(page_of_view(view).views) > 1 else {}
    return named | dict(choices or {})


def readable_choices(view: View, choices: Iterable[str]) -> list[str]:
    """Return the choices that the view reads: its own choices and shared choices."""
    other_views = [other for _, other in _PLACES.values() if other is not view]
    return [name for name in choices if not any(view.owns(name) for view in other_views)]


def link_to_audit(label: str, dataset: str, split: str) -> None:
    """Show a link to the audit of a data set's split."""
    link("drop", label, leakage_source="a data set", dataset=dataset, split=split)


def link(name: str, label: str, **choices: str) -> None:
    """Show a link to a view, with its icon, that opens the view with choices."""
    page, view = _PLACES[name]
    st.page_link(page.path, label=label, icon=view.icon, query_params=query_of(name, choices))
