"""Order, names and icons of the pages; nothing else."""

import streamlit as st

from ui.frame import navigate

PAGES = (
    ("overview", "Overview", ":material/school:"),
    ("data_and_splits", "Data and splits", ":material/dataset:"),
    ("evaluate", "Evaluate", ":material/query_stats:"),
    ("calibration", "Calibration", ":material/tune:"),
    ("compare", "Compare", ":material/leaderboard:"),
    ("regularization", "Regularization", ":material/linear_scale:"),
    ("transductive", "Transductive", ":material/hub:"),
    ("awa1_and_awa2", "AWA1 and AWA2", ":material/compare:"),
    ("overlap_gain", "Overlap gain", ":material/join_inner:"),
    ("leakage_review", "Leakage review", ":material/policy:"),
    ("published", "Published", ":material/menu_book:"),
    ("runs", "Runs", ":material/history:"),
)

navigate(
    [
        st.Page(f"pages/{name}.py", title=title, icon=icon, default=name == "overview")
        for name, title, icon in PAGES
    ]
)
