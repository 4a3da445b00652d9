"""A page: its heading, the choice of its views, and the view named in the address."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from ui.intake import import_dialog
from ui.shell import search, site_map
from ui.shell.frame import open_page
from ui.shell.guard import errors_as_sentences


def show_page(name: str) -> None:
    """Open the page ``pages/<name>.py`` and show one of its views, importing only that view."""
    page = next(page for page in site_map.PAGES if page.name == name)
    view = site_map.view_of(page, st.query_params)
    header = open_page(page, view, search.offer_search)
    with errors_as_sentences():
        import_dialog.show()
        import_module(f"ui.views.{page.name}.{view.name}").show(header)
