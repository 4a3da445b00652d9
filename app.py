"""Groups, order, names and icons of the pages; nothing else."""

import streamlit as st

from ui.frame import navigate

PAGES = {
    "Learn": [
        ("overview", "Overview", ":material/school:"),
        ("lessons", "Lessons", ":material/cast_for_education:"),
    ],
    "Data": [
        ("data_and_splits", "Data and splits", ":material/dataset:"),
        ("awa1_and_awa2", "AWA1 and AWA2", ":material/compare:"),
    ],
    "Methods": [
        ("evaluate", "Evaluate", ":material/query_stats:"),
        ("calibration", "Calibration", ":material/tune:"),
        ("regularization", "Regularization", ":material/linear_scale:"),
        ("transductive", "Transductive", ":material/hub:"),
        ("scores", "Your scores", ":material/grid_on:"),
    ],
    "Studies": [
        ("compare", "Compare methods", ":material/leaderboard:"),
        ("large_scale", "Large scale", ":material/account_tree:"),
        ("actions", "Actions", ":material/sports_gymnastics:"),
        ("published", "Published", ":material/menu_book:"),
    ],
    "Leakage": [
        ("leakage_review", "Leakage review", ":material/policy:"),
        ("overlap_gain", "Overlap gain", ":material/join_inner:"),
        ("contamination", "Contamination map", ":material/coronavirus:"),
    ],
    "Runs": [
        ("runs", "Runs", ":material/history:"),
        ("board", "Board", ":material/social_leaderboard:"),
    ],
}

navigate(
    {
        group: [
            st.Page(f"pages/{name}.py", title=title, icon=icon, default=name == "overview")
            for name, title, icon in pages
        ]
        for group, pages in PAGES.items()
    }
)
