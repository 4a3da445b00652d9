"""Search over pages, data sets, methods, extractors, classes, claims and terms, also by Ctrl K."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from ui.components import window
from ui.lessons.registry import LESSONS
from ui.shell import site_map
from ui.shell.frame import CHOICE
from ui.shell.text import GLOSSARY, TERMS, plain
from ui.state import cache, data_menu
from zslcore.analysis.papers.claims import CLAIMS, FINDINGS
from zslcore.datasets.facts import title
from zslcore.leakage import contamination
from zslcore.leakage.contamination import Extractor, titles_of_sets
from zslcore.leakage.released_codes import codes
from zslcore.leakage.vocabularies import NOTHING
from zslcore.methods import METHODS
from zslcore.names import spaced_name

_HIT = "search_found"
#: Maximum number of classes of a test set in the search.
MOST_CLASSES = 1000
#: Keys of two controls of the contamination map.
_EXTRACTOR, _TEST_SET = "contamination_extractor", "contamination_on"


@dataclass(frozen=True, slots=True)
class Hit:
    """Entry of the search: a view, or a ``term`` of the glossary that is shown in place.

    A view opens with ``choice`` (name and value of a control) or ``query`` (name and value of a
    parameter in the address).
    """

    label: str
    view: str = ""
    choice: tuple[str, str] | tuple[()] = ()
    query: tuple[str, str] | tuple[()] = ()
    term: str = ""


def hits() -> list[Hit]:
    """Return all entries of the search, in the order of the list."""
    extractors, sets = contamination.extractors(), contamination.pretraining_sets()
    # An extractor trained on one set alone is the better example of the set.
    by_size = sorted(extractors.values(), key=lambda e: len(e.pretraining), reverse=True)
    trained_on = {name: e for e in by_size for name in e.pretraining if name != NOTHING}
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
            Hit(f"Extractor · {e.name}, {_training_of(e)}", "contamination", (_EXTRACTOR, e.name))
            for e in extractors.values()
        ),
        *(
            Hit(f"Pre-training set · {sets[name].title}", "contamination", (_EXTRACTOR, e.name))
            for name, e in trained_on.items()
        ),
        *(
            Hit(f"Test class · {name} ({test_set})", "contamination", (_TEST_SET, test_set))
            for name, test_set in _test_classes().items()
        ),
        *(
            Hit(f"Class · {name} ({title(data)})", "splits", ("dataset", data))
            for name, data in _classes_of_data().items()
        ),
        *(
            Hit(f"Claim · {claim.statement} ({claim.paper})", "wall", query=("claims_open", id_))
            for id_, claim in CLAIMS.items()
        ),
        *(
            Hit(f"Finding · {finding.sentence}", "wall", query=("claims_open", finding.id))
            for finding in FINDINGS
        ),
        *(Hit(f"Released code · {code}", "wall", query=("claims_open", code)) for code in codes()),
        *(
            Hit(f"Lesson · {lesson.title}", "lessons", query=("lesson", name))
            for name, lesson in LESSONS.items()
        ),
        *(Hit(f"Term · {name}", term=name) for name in TERMS),
    ]


def _training_of(extractor: Extractor) -> str:
    """Return the pre-training of an extractor in words."""
    sets = titles_of_sets([name for name in extractor.pretraining if name != NOTHING])
    return f"trained on {sets}" if sets else "without pre-training"


@lru_cache(maxsize=1)
def _test_classes() -> dict[str, str]:
    """Map each test class of the contamination map to its first test set.

    The classes of ImageNet-21K, which are too many for the list, are left out.
    """
    test_set_of: dict[str, str] = {}
    for test_set in contamination.test_sets():
        if len(test_set.classes) > MOST_CLASSES:
            continue
        for name in test_set.classes:
            test_set_of.setdefault(spaced_name(name), str(test_set))
    return test_set_of


def _classes_of_data() -> dict[str, str]:
    """Map each class of the data sets of this visitor to its first data set."""
    data_of: dict[str, str] = {}
    for data in data_menu.offered():
        for name in cache.names_of_classes(data):
            data_of.setdefault(spaced_name(name), data)
    return data_of


def offer_search() -> None:
    """Show the search button; pressing it builds the list."""
    keys = None if window.is_narrow() else "Ctrl+K"  # a phone has no such keys
    if st.button("Search", key="search", icon=":material/search:", type="tertiary", shortcut=keys):
        st.session_state.pop(_HIT, None)
        _ask()


@st.dialog("Search", icon=":material/search:", width="medium")
def _ask() -> None:
    """Show the list of hits in a dialog, and open the chosen hit."""
    hit = st.selectbox(
        "Page, data set, method, extractor, class, claim, lesson or term",
        hits(),
        index=None,
        format_func=lambda hit: hit.label,
        key=_HIT,
        placeholder="Type a few letters",
        filter_mode="contains",  # a fuzzy filter lists long claims for any short word
    )
    if hit is not None and hit.term:
        st.markdown(f"**{plain(hit.term)}**  \n{GLOSSARY[hit.term]}")
    elif hit is not None:
        # Streamlit forbids writing the parameter of a control on this page into the address, so the
        # choice is passed in the session.
        st.session_state[CHOICE] = hit.choice
        page = site_map.page_of_view(hit.view)
        query = dict([hit.query] if hit.query else [])
        st.switch_page(page.path, query_params=site_map.query_of(hit.view, query))
