"""What this tool has found in the field's own data and tables, one line and one command each.

A finding is a sentence whose numbers a test computes again: from ``data/`` alone, or from the files
that the field has released, where these are at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FINDINGS", "MARKS", "Finding", "markdown_list"]

#: Where README.md keeps the list.
MARKS = ("<!-- findings -->", "<!-- /findings -->")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is so, against what is said or expected.

    Attributes
    ----------
    id : short name
    where : "data" (released files) or "tables" (what papers print)
    said : one sentence with the numbers
    command : what shows it; FOLDER is the released archive
    """

    id: str
    where: Literal["data", "tables"]
    said: str
    command: str


FINDINGS = (
    Finding(
        id="apy-photographs",
        where="data",
        said=(
            "aPY's Proposed Split goes by boxes: 817 of 1,483 test_seen and 2,885 of 7,924 "
            "test_unseen rows are cut from a photograph that also gave a training row."
        ),
        command="zslcore audit FOLDER/APY",
    ),
    Finding(
        id="v1-is-2-but-for-two-lists",
        where="data",
        said=(
            "The first release of the Proposed Split and 2.0 have the same trainval, test_seen "
            "and test_unseen in all five data sets; train_loc and val_loc of the first are "
            "those of 2.0 and the test_seen rows of their classes."
        ),
        command="zslcore audit FOLDER/CUB/att_splits_v1.mat",
    ),
    Finding(
        id="v1-holds-test-rows",
        where="data",
        said=(
            "So train_loc and val_loc of the first release hold every test_seen row: 4,958 of "
            "AWA1, 5,882 of AWA2, 1,764 of CUB, 2,580 of SUN and 1,483 of aPY."
        ),
        command="zslcore audit FOLDER/AWA2/att_splits_v1.mat",
    ),
    Finding(
        id="v1-adds-points",
        where="data",
        said=(
            "Trained on these two lists, LinearS2V gains 4.2 points on seen classes of CUB (VGG "
            "fc7) and 1.8 points of calibrated H, and nothing in ZSL (0.0)."
        ),
        command="zslcore leak-cost --dataset CUB --method LinearS2V --leak training",
    ),
    Finding(
        id="awa1-one-picture-two-whales",
        where="data",
        said=(
            "Rows 1310 and 16520 of AWA1, counted from 0, have the same features, hand-crafted "
            "twice: one picture, filed as blue whale (test_unseen) and as humpback whale "
            "(training)."
        ),
        command="zslcore audit FOLDER/AWA1 --features lss.mat",
    ),
    Finding(
        id="folds-of-sun-and-apy",
        where="data",
        said=(
            "The released folds of the standard split have 581 + 64 classes of SUN and 13 + 7 "
            "of aPY; the paper prints 580 + 65 and 15 + 5, which are those of PS."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="imagenet-validation-classes",
        where="data",
        said=(
            "The released ImageNet split keeps 250 classes for validation and 750 for training; "
            "the paper says 200 of 1,000."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="paired-test",
        where="tables",
        said=(
            "The p = 0.007 for another training set (AWA1 or AWA2) does not follow from its "
            "table, whose 24 pairs give p = 0.351; 0.00716 is that of another test set."
        ),
        command="zslcore claims --id gbu-cross-p",
    ),
    Finding(
        id="ale-on-apy",
        where="tables",
        said="The benchmark paper's text gives ALE 37.1 % on aPY, its table 3 prints 39.7.",
        command="zslcore claims --lint",
    ),
    Finding(
        id="sse-on-sun",
        where="tables",
        said=(
            "The text gives SSE 74.5 % on SUN with ten test classes, table 2 prints 83.0 "
            "(reproduced) and 82.5 (original)."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="iap-on-sun",
        where="tables",
        said=(
            "Of 70 printed H one does not follow from its u and s: IAP on SUN has u = 1.0 and s "
            "= 37.8, which with rounding give 1.80 to 2.09 and round to 1.9, printed is 1.8."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="earlier-version",
        where="tables",
        said=(
            "The source of the benchmark paper also has an earlier version of tables 3 and 6, in "
            "which 18 of 130 and 30 of 210 figures differ: ZSL of DEVISE on aPY was 39.8 (37.0 as "
            "printed), of SYNC on AWA2 46.6 (49.3), of ESZSL on CUB 53.9 (51.9). Nine figures "
            "elsewhere are still of that version: four in table 4 (SYNC on AWA1 54.0 and on AWA2 "
            "46.6, CONSE 45.6 and 44.5) and five of 36 that the calibration paper quotes (ZSL of "
            "ESZSL and SYNC on CUB 53.9 and 55.6, of SYNC on AWA2 46.6, H of ESZSL on CUB 21.0, "
            "of SYNC on AWA2 18.0)."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="latem-and-sje",
        where="tables",
        said=(
            "LATEM and SJE have the same u, s and H on aPY, 1.3 / 71.4 / 2.6, since that revision; "
            "before it they had 0.1 / 73.0 / 0.2 and 3.7 / 55.7 / 6.9."
        ),
        command="zslcore claims --lint",
    ),
    Finding(
        id="who-ranks-first",
        where="tables",
        said=(
            "One paragraph of the benchmark paper (5.1, on figure 4) ranks GFZSL highest on both "
            "splits and ALE first on PS, SYNC and ALE second on SS. Figure 4 ranks results of "
            "single folds, which are not printed; table 3 alone gives ALE the first place on PS "
            "(mean rank 2.2, GFZSL 2.4) and SYNC the second on SS (4.1, ALE 4.2)."
        ),
        command="zslcore claims --id gbu-gfzsl-first-ps gbu-ale-first-ps gbu-ale-second-ss",
    ),
    Finding(
        id="ale-between-awa1-and-awa2",
        where="tables",
        said=(
            "Four methods are more than 2 points apart between AWA1 and AWA2, of which the "
            "paper names three; the fourth is ALE, 59.9 and 62.5."
        ),
        command="zslcore claims --id gbu-only-three-differ",
    ),
    Finding(
        id="detector-on-cub",
        where="tables",
        said=(
            "CMT*, which the text calls better than CMT in all cases of figure 7, has the lower H "
            "on CUB in table 6: 8.7 and 12.6."
        ),
        command="zslcore claims --id gbu-detector-helps",
    ),
    Finding(
        id="word2vec-range",
        where="tables",
        said=(
            "The action paper's range of gains with word2vec, 10.14 to 39.21 %, leaves out "
            "CONSE with Kinetics-400: −11.94 %."
        ),
        command="zslcore claims --id fair-word2vec-gain",
    ),
)


def markdown_list() -> str:
    """Return the findings as README.md lists them."""
    return "\n".join(f"- {finding.said} `{finding.command}`" for finding in FINDINGS)
