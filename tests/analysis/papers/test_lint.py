import re

import pandas as pd
import pytest
from scipy.io import loadmat

from tools.lint import RULES, lint, lint_printed
from zslcore.analysis.papers.claims import read_lint
from zslcore.datasets.facts import published_table, published_tables
from zslcore.metrics import harmonic_mean

#: Rule -> number of comparisons on the papers' tables, and number of disagreements.
COUNTS = {
    "H": (70, 1),
    "averages": (6, 0),
    "totals": (27, 0),
    "versions": (60, 9),
    "repeated rows": (70, 1),
    "text": (38, 3),
    "captions": (4, 4),
    "balance": (3, 3),
    "folds": (10, 2),
    "ImageNet": (10, 2),
    "other tests": (4, 4),
    "action text": (9, 1),
    "paired test": (1, 1),
}


@pytest.fixture
def tables():
    return {name: published_table(name) for name in published_tables()}


def of_rule(linted, name):
    return next(item for item in linted if item.name == name)


def test_every_rule_counts_checks_and_disagreements():
    linted = lint_printed()
    assert {item.name: (item.checked, len(item.disagreements)) for item in linted} == COUNTS


def test_the_file_that_the_command_reads_is_up_to_date():
    """If this fails, ``python -m tools.lint`` writes the file again."""
    assert read_lint() == lint_printed()


#: Rule -> table, column, and a change of one cell that adds one disagreement.
CHANGES = {
    "H": ("gzsl_ps", "harmonic", 0.002),
    "averages": ("calibration_gzsl_average", "harmonic", 0.002),
    "totals": ("dataset_statistics", "images", 1),
    "versions": ("cross_dataset_awa", "top1_per_class", 0.001),
    "text": ("reproduction", "reproduced", 0.001),
    "folds": ("dataset_statistics", "train_classes", 1),
    "ImageNet": ("imagenet_released", "classes", 1),
    "action text": ("action_text", "stated", 1),
}


@pytest.mark.parametrize("rule", CHANGES)
def test_a_changed_cell_adds_one_line(tables, rule):
    name, column, change = CHANGES[rule]
    changed = tables[name].copy()
    at = changed.index[0]
    if rule == "ImageNet":
        at = changed.index[changed["split"] == "2H"][0]
    if rule == "folds":
        at = changed.index[changed["dataset"] == "CUB"][0]
    changed.loc[at, column] += change
    result = of_rule(lint(tables | {name: changed}), rule).disagreements
    lines = 2 if rule in ("totals", "folds") else 1  # the cell belongs to two sums or two splits
    assert len(result) == COUNTS[rule][1] + lines


def test_quoting_either_version_of_a_table_is_not_a_misquotation(tables):
    result = of_rule(lint(tables), "versions").disagreements
    quoted = tables["text_figures"].copy()
    quoted.loc[quoted["quoted"] == 0.210, "quoted"] = 0.211
    (line,) = set(of_rule(lint(tables | {"text_figures": quoted}), "versions").disagreements) - set(
        result
    )
    assert line == (
        "ESZSL on CUB (harmonic): CAL, table 2, has 21.1, in neither version; table 6 prints 23.3."
    )


def test_a_difference_of_half_the_last_digit_is_rounding_and_more_is_not():
    _, compare = RULES["H"]
    u, s = 0.10, 0.80
    h = harmonic_mean(s, u)
    cells = pd.DataFrame({"method": ["A"], "dataset": ["B"], "unseen": [u], "seen": [s]})
    for printed, lines in ((round(h, 3), 0), (round(h + 0.001, 3), 0), (round(h + 0.004, 3), 1)):
        ((agrees, _),) = compare({"gzsl_ps": cells.assign(harmonic=printed)})
        assert agrees == (not lines)


def test_captions_with_the_right_count_are_not_findings(tables):
    right = tables["captions"].assign(stated=[13, 5, 13, 15])
    rule = of_rule(lint(tables | {"captions": right}), "captions")
    assert (rule.checked, rule.disagreements) == (4, ())
    fewer = tables["zsl_mean_ranks"].query("method != 'IAP'")
    rule = of_rule(lint(tables | {"zsl_mean_ranks": fewer}), "captions")
    assert len(rule.disagreements) == 3  # of four captions, the one with "12 models" is now right


def test_captions_are_those_of_the_paper(shared, tables):
    text = (shared / "papers/gbu_benchmark.tex.txt").read_text(encoding="utf-8")
    assert "Robustness of 10 methods evaluated on SUN, CUB, AWA1, aPY using 3" in text
    assert "Ranking 12 models" in text
    assert r"over all $4\times3$ observations" in text
    assert [*tables["captions"]["stated"]] == [10, 4, 12, 4 * 3]


def test_a_repeated_row_is_listed_and_a_p_value_that_follows_from_the_table_is_not(tables):
    rows = tables["gzsl_ps"]
    twin = rows[(rows["method"] == "ALE") & (rows["dataset"] == "CUB")].assign(method="SJE")
    other_rows = rows[~((rows["method"] == "SJE") & (rows["dataset"] == "CUB"))]
    result = of_rule(
        lint(tables | {"gzsl_ps": pd.concat([other_rows, twin])}), "repeated rows"
    ).disagreements
    assert "ALE and SJE on CUB: the same 23.7 / 62.8 / 34.4." in result
    swapped = tables["cross_dataset_awa"].rename(
        columns={"train_dataset": "test_dataset", "test_dataset": "train_dataset"}
    )
    assert not of_rule(lint(tables | {"cross_dataset_awa": swapped}), "paired test").disagreements


def test_every_rule_has_a_test():
    assert RULES.keys() == COUNTS.keys()
    assert COUNTS.keys() - CHANGES.keys() == {
        *("repeated rows", "paired test", "other tests", "captions", "balance")
    }


def test_released_class_counts_of_imagenet_equal_the_file(shared):
    file = loadmat(shared / "data/imagenet/paper_splits.mat")
    named = {"train": "train_classes", "val": "val_classes", "All": "all"}
    named |= {"2H": "hops2", "3H": "hops3"} | {
        f"{kind}{size}": f"{prefix}{number}"
        for kind, prefix in (("M", "mp"), ("L", "lp"))
        for size, number in (("500", 500), ("1K", 1000), ("5K", 5000))
    }
    released = published_table("imagenet_released").set_index("split")["classes"]
    for split, variable in named.items():
        assert file[variable].size == released[split], split


def test_figures_of_the_text_are_in_the_papers(shared):
    text = (shared / "papers/gbu_benchmark.tex.txt").read_text(encoding="utf-8")
    body = re.sub(r"\\begin\{(table|comment).*?\\end\{\1", "", text, flags=re.DOTALL)
    for row in published_table("text_figures").query("paper == 'GBU'").itertuples():
        assert f"{100 * row.quoted:.1f}" in body, row
    calibration = (shared / "papers/cal_calibration.txt").read_text(encoding="utf-8")
    for row in published_table("text_figures").query("paper == 'CAL'").itertuples():
        assert f"{100 * row.quoted:.1f}" in calibration, row


@pytest.mark.parametrize(
    ("kind", "data", "stated", "sentence"),
    [
        (
            "overlapping classes of previous splits",
            "UCF101",
            36.2,
            "states 36.2; the mean of the first",
        ),
        (
            "more overlapping classes",
            "HMDB51",
            14.48,
            "states 14.48; the difference of the shares has",
        ),
        ("relative rise", "HMDB51", 2.0, "states 2.00; its table 4 gives 10.19 to 11.32"),
    ],
)
def test_statements_of_the_action_paper_follow_from_tables(tables, kind, data, stated, sentence):
    text = tables["action_text"].copy()
    text.loc[(text["what"] == kind) & (text["dataset"] == data), "stated"] = stated
    result = of_rule(lint(tables | {"action_text": text}), "action text").disagreements
    assert len(result) == 2
    assert any(sentence in line for line in result)


def test_a_number_on_the_same_test_classes_is_not_listed(tables):
    notes = tables["reproduction_notes"].query("dataset == 'SUN'")
    notes = notes.assign(test_classes=72, pretraining=None)
    assert of_rule(lint(tables | {"reproduction_notes": notes}), "other tests").disagreements == ()
