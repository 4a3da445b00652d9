"""May a number be reported as zero-shot? Which data sets an extractor has seen classes of.

The evidence is in three files under ``data/``; the first two are open to new rows:

- ``contamination.csv``: a published extractor, what it was trained on, and the source;
- ``contamination_sets.csv``: a pre-training set, and the list of its classes where there is one;
- ``contamination_counts.csv``: test classes of the benchmarks among those of every list, names and
  all, by ``tools/contamination.py``.

A cell of the map is a test set and a pre-training set. Its classes are counted as the audit counts
them (:mod:`zslcore.leakage.matching`): *certain*, or *possible* until a person decides. What has no
public list of classes stays *unknown*.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, table 1 and the lists of overlapping classes. Y. Xian, C. Lampert, B. Schiele,
Z. Akata, "Zero-shot learning - a comprehensive evaluation of the good, the bad and the ugly", TPAMI
2019, section 4.
"""

from zslcore.leakage.contamination.answering import Answer, answer
from zslcore.leakage.contamination.counting import (
    STATES,
    Cell,
    Extractor,
    PretrainingSet,
    State,
    TestSet,
    as_table,
    cell_of,
    cells,
    counts_of,
    evidence,
    extractors,
    find_extractor,
    find_test_set,
    of_dataset,
    own_test_set,
    pretraining_sets,
    test_sets,
)
from zslcore.leakage.contamination.reliability import (
    Measured,
    how_reliable,
    measured,
)

__all__ = [
    "STATES",
    "Answer",
    "Cell",
    "Extractor",
    "Measured",
    "PretrainingSet",
    "State",
    "TestSet",
    "answer",
    "as_table",
    "cell_of",
    "cells",
    "counts_of",
    "evidence",
    "extractors",
    "find_extractor",
    "find_test_set",
    "how_reliable",
    "measured",
    "of_dataset",
    "own_test_set",
    "pretraining_sets",
    "test_sets",
]
