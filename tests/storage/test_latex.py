"""One function writes every LaTeX table: caption, label, escaped cells, best values bold."""

import re

import numpy as np
import pandas as pd
import pytest

from ui.takeaway.exports import table_as_latex as as_seen
from zslcore.analysis.stored_runs import as_latex as of_runs
from zslcore.results.store import ResultStore
from zslcore.storage.tables import best_in_groups, in_latex, latex_table

HOSTILE = r"\input{x} & 50% of $a_b$ #1 ~^ <i>|[x]| {y" + "\n" + r"} \\ \end{table}"
#: Commands allowed in cells; all others belong to the frame of the table.
COMMAND = re.compile(r"\\[A-Za-z]+|\\.", re.DOTALL)
FRAME = {r"\begin", r"\end", r"\centering", r"\caption", r"\label", r"\textbf", r"\\"} | {
    rf"\{rule}rule" for rule in ("top", "mid", "bottom")
}


def compiles(text):
    """Check for errors in TeX: braces, dollars, and the number of cells per row."""
    bare = re.sub(r"\\[\\{}$&%#_]", "", text)
    depth = np.cumsum([(sign == "{") - (sign == "}") for sign in bare])
    assert depth.min() >= 0
    assert depth[-1] == 0
    assert bare.count("$") % 2 == 0
    assert bare.count(r"\begin{") == bare.count(r"\end{") == 2
    columns = len(re.search(r"\\begin{tabular}{([lr]*)}", text)[1])
    rows = re.findall(r"^(.*) \\\\$", text, re.MULTILINE)
    assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {max(columns, 1)}
    assert not re.search(r"(?<!\\)[#%~^]", bare.replace(r"\,", ""))
    return rows


def stored():
    return ResultStore().stored()


TABLES = {
    "runs": lambda: of_runs(stored()),
    "no run": lambda: of_runs([]),
    "screen": lambda: as_seen(pd.DataFrame({HOSTILE: [HOSTILE, "b"], "n": [1, 2]}), HOSTILE),
}


@pytest.mark.nightly
@pytest.mark.parametrize("table", TABLES)
def test_every_latex_table_compiles(own_data, table, precomputed):
    text = TABLES[table]()
    rows = compiles(text)
    assert r"\caption{" in text
    assert text.isascii()
    if table in ("runs", "board"):
        assert len(rows) > 100
        assert rf"\label{{tab:{table}}}" in text
        assert r"\textbf{" in text


def test_special_characters_in_cells_are_escaped():
    text = latex_table([HOSTILE, "b"], [[HOSTILE, "[1]"]], caption=HOSTILE, best=[[True, False]])
    compiles(text)
    assert text.count(r"\textbackslash{}input\{x\}") == 3
    assert text.count(r"\end{table}") == 1
    assert " & {[}1{]} \\\\" in text
    allowed = FRAME | set(COMMAND.findall(in_latex(HOSTILE)))
    assert set(COMMAND.findall(text)) <= allowed


def test_a_star_at_the_start_of_a_row_is_protected():
    text = latex_table(["a"], [["b"], ["* c"]], caption="d")
    assert not re.search(r"\\\\\s*\*", text)
    assert "{}* c" in text


def test_signs_without_a_letter_in_the_fonts_become_formulas():
    assert in_latex("γ ≥ −1, 2×3…") == r"$\gamma$ $\geq$ $-$1, 2$\times$3\dots{}"
    assert in_latex("bias² \u20071 · 2") == r"bias$^2$ \phantom{0}1 $\cdot$ 2"


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="reshape"):
        latex_table(["a", "b"], [["1"]], caption="c")


def test_the_best_results_of_a_group_are_bold_without_oracles():
    values = pd.DataFrame({"H": [50.0, 60, 60, 99, 10], "error": [1.0, 2, 3, np.nan, 4]})
    groups = pd.DataFrame({"data": ["a", "a", "a", "a", "b"]})
    among = [True, True, True, False, True]
    best = best_in_groups(values, groups, among=among, smallest=["error"])
    assert best["H"].tolist() == [False, True, True, False, False]
    assert best["error"].tolist() == [True, False, False, False, False]


def test_bold_in_the_table_of_runs_is_the_largest_of_its_data_set(own_data, precomputed):
    runs = [stored_run for stored_run in stored() if stored_run.result.spec.dataset == "digits"]
    zsl = max(run.result.evaluation.zsl for run in runs)
    heading, *rows = [row.split(" & ") for row in compiles(of_runs(runs))]
    place = heading.index("ZSL")
    bold = {row[place] for row in rows if "textbf" in row[place]}
    assert bold == {rf"\textbf{{{100 * zsl:.1f}}}"}
