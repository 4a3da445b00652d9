"""A data set with hostile names of classes and attributes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tests.hostile.looking import CANARY, FOREIGN

#: Name of the data set, with all characters allowed in names of imports.
NAME = "my__qqunder__set+x.v1"
#: Words inside the names, each with its prefix; a missing prefix shows that a name was interpreted
#: as more than text.
_MARKED = {
    "qqhtml": "<b>",
    "qqanchor": '/">',
    "qqbold": "**",
    "qqitalic": " *",
    "qqlink": "[",
    "qqpicture": "![",
    "qqauto": "http://192.0.2.1/",
    "qqmail": "<",
    "qqtex": "\\frac{",
    "qqred": ":red[",
    "qqicon": ":material/",
    "qqcode": "`",
    "qqheading": "# ",
    "qqentity": "&lt;",
    "qqunder": "__",
}
#: Twenty-four names.
NAMES = (
    f'<a href="http://{FOREIGN}/">qqanchor</a>',
    f'<a href="javascript:window.{CANARY}=1">seal</a>',
    f"<script>window.{CANARY}=1</script>",
    f'"><img src=x onerror=window.{CANARY}=1>',
    f"<svg/onload=window.{CANARY}=1>",
    "<b>qqhtml</b><br><i>bear</i>",
    f"[qqlink](http://{FOREIGN}/)",
    f"![qqpicture](http://{FOREIGN}/a.png)",
    f"http://{FOREIGN}/qqauto",
    "<qqmail@example.com>",
    "$\\frac{qqtex}{0}$",
    ":red[qqred] :red-badge[x]",
    ":material/qqicon: :smile:",
    "**qqbold** *qqitalic* ~~gone~~",
    "`qqcode` | a | b |",
    "# qqheading",
    "%{x} %{customdata[0]} %s%n {0.__class__}",
    "&lt;qqentity&gt; &#60;script&#62;",
    "\u202egnp.exe\u200b",
    "=cmd|' /C calc'!A0",
    "'; DROP TABLE runs; -- \\n \\u003cb\\u003e",
    "../../../etc/passwd%2e%2e",
    "nan",
    "x" * 200,
)
SEEN, EACH = 18, 4


def write(folder: Path) -> Path:
    """Write the data set, 96 images of 24 classes, as a file to import; return its path."""
    rng, n = np.random.default_rng(0), len(NAMES)
    labels = np.repeat(np.arange(n), EACH)
    prototypes = np.eye(n) + 0.1 * rng.normal(size=(n, n))
    rows = np.arange(n * EACH)
    of_seen = labels < SEEN
    np.savez(
        folder / "hostile.npz",
        features=prototypes[labels] + 0.3 * rng.normal(size=(len(rows), n)),
        labels=labels,
        prototypes=prototypes,
        class_names=np.array(NAMES),
        attribute_names=np.array(NAMES),
        image_files=np.array([f"{NAMES[c][:80]} {row}.jpg" for row, c in enumerate(labels)]),
        trainval=rows[of_seen & (rows % EACH > 0)],
        test_seen=rows[of_seen & (rows % EACH == 0)],
        test_unseen=rows[~of_seen],
    )
    return folder / "hostile.npz"


def altered(texts: Iterable[str]) -> list[str]:
    """Return the pieces of text in which a name was interpreted as more than text.

    Examples
    --------
    >>> altered(["a **qqbold** seal", "qqbold"])
    ['qqbold']
    """
    return [
        text
        for text in texts
        for word, before in _MARKED.items()
        if word in text and f"{before}{word}" not in text
    ]
