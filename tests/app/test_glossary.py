"""Glossary: every term is explained once, in one file, on every page."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import go, unexplained, visit
from ui.shell import terms
from ui.shell.text import GLOSSARY, TERMS, plain, term_of

BOUND = "Chosen on the test set (oracle): an upper bound, never a result."


def test_every_term_has_one_sentence_and_one_entry():
    names = [name.lower() for name in TERMS]
    assert len(names) == len(set(names)) > 25
    for term in TERMS.values():
        first, *more = re.split(r"(?<=\.) (?=[A-Z])", term.says)
        assert first.endswith(".")
        assert more in ([], [BOUND])
        assert term.formula.count("{") == term.formula.count("}")
    assert sum(bool(term.formula) for term in TERMS.values()) > 15


def test_choices_on_the_test_set_are_called_upper_bounds():
    gains = [f"Gain with oracle {of}" for of in ("γ", "parameters", "parameters and γ")]
    for name in ("H, oracle γ", *gains):
        assert "never a result" in GLOSSARY[name]


def test_the_glossary_is_in_the_header_and_empty_until_it_is_opened():
    app = visit("wall")
    assert app.session_state["glossary_menu"] is False
    assert "glossary_search" not in app.session_state


def test_names_of_terms_are_distinct():
    words = [w for term in TERMS.values() for w in (term.name, *term.also)]
    keys = [w.casefold() if len(w) > 1 else w for w in words]
    assert sorted(keys) == sorted(set(keys))
    assert all(term_of(w).name == name for name, term in TERMS.items() for w in term.also)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("H", "Harmonic mean H"),
        ("H at γ = 0", "H at γ = 0"),
        ("H at γ = 0.12", "H at γ"),
        ("H, γ = −1.2e-05", "H at γ"),
        ("H at γ = 0, SAE", "H at γ = 0"),
        ("u at γ", "Unseen accuracy u"),
        ("folds: A_U→Cu", "ZSL accuracy"),
        ("folds: H, best γ", "Harmonic mean H"),
        ("H, λ for ZSL", "Harmonic mean H"),
        ("λ for GZSL", "Regularization, λ"),
        ("p, Holm", "p-value"),
        ("top-10", "Top-k accuracy"),
        ("in the pre-training set", "Overlap"),
        ("splits", "Split"),
        ("γ of ESZSL", None),
        ("h", None),
        ("Parameters for", None),
        ("top-10 answers", None),
        ("", None),
    ],
)
def test_a_label_with_a_value_or_method_is_its_term(label, name):
    term = term_of(label)
    assert (term and term.name) == name


def test_the_check_of_terms_detects_a_missing_explanation():
    def page():
        import pandas as pd
        import streamlit as st

        from ui.shell import terms
        from ui.takeaway import tables

        terms.metric("AUSUC", "12.3 %")
        st.metric("ZSL accuracy", "45.6 %")
        st.selectbox("Split", ["PS"])
        table = pd.DataFrame({"u": [0.5], "s": [0.5]})
        tables.show(table, "one", labels={"u": "u", "s": "s at γ"}, percent=["u"])
        st.dataframe(table, column_config={"u": st.column_config.Column("unseen accuracy")})

    assert unexplained(AppTest.from_function(page).run()) == [
        "ZSL accuracy",
        "Split",
        "unseen accuracy",
    ]


def test_further_text_is_below_the_explanation():
    assert terms.tip("AUSUC", "Here of two.") == GLOSSARY["AUSUC"] + "\n\nHere of two."
    assert terms.tip("Reversed", "Here of two.") == "Here of two."
    assert terms.tip("Reversed") is None


def test_the_terms_of_a_page_come_first_in_its_glossary():
    app = visit("table")
    app.session_state["glossary_menu"] = True
    app.run()
    listed = [element.value for element in [*app.caption, *app.markdown]]
    assert "On this page" in listed
    listed = listed[listed.index("On this page") :]
    names = [item.splitlines()[0].strip("* ") for item in listed if item.startswith("**")]
    names = [name for name in names if name in {*map(plain, TERMS)}]  # answers in bold are left out
    shown = [plain(name) for name in TERMS if name in app.session_state["terms_shown"]]
    assert {"Split", "AUSUC", "ZSL accuracy"} <= set(shown)
    assert names[: len(shown)] == shown
    assert len(names) == len(TERMS)
    go(app, "wall").run().run()
    assert "terms_shown" not in app.session_state
