"""What did the papers report, and does it hold?"""

from ui import terms
from ui.frame import errors_as_sentences, open_page
from ui.sections.published import show_claims, show_findings, show_lint, show_tables

TABS = {
    "Tables": show_tables,
    "Claims": show_claims,
    "Findings": show_findings,
    "Checks": show_lint,
}

open_page("Published", "What did the papers report, and does it hold?", icon=":material/menu_book:")

opened = terms.tabs(list(TABS), key="published_tab", bind="query-params")
for tab, show in zip(opened, TABS.values(), strict=True):
    if tab.open:
        with tab, errors_as_sentences():
            show()
