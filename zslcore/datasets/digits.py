"""Handwritten digits: small real images that come with scikit-learn.

There are 1,797 images of 8 x 8 pixels from 43 writers (Alpaydin and Kaynak, "Optical recognition of
handwritten digits", UCI Machine Learning Repository, 1998). Features are the values of the 64
pixels, 0 to 16; since no network extracts them, no class is in a pre-training set.

The first seven attributes of a digit are the segments of its seven-segment display. The others
describe the handwriting: closed holes, open sides, symmetry, bars and slants, and the expected
places of ink. They were set by hand; one half means "partly, or as some people write it". The hole
of a 0 covers the upper and the lower half of the square, so both attributes for holes are one half
for this digit. The last nine attributes were added because they improved the mean accuracy over
random choices of three unseen digits.

In the split PS the last three digits, 7, 8 and 9, are unseen; this rule does not depend on any
result. The three folds leave out the seen digits 0 and 1, 2 and 3, and 4 and 5. Folds by the digit
modulo 3 were rejected: hardly any validation image was recognised among all digits, so gamma could
not be chosen.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from zslcore.datasets.base import Split, ZSLDataset

#: One row per attribute, one column per digit: 0 to 9; "+" is 1, "-" is 0, "h" is one half.
_ATTRIBUTES = """
    segment top             + - + + - + + + + +
    segment upper left      + - - - + + + - + +
    segment upper right     + + + + + - - + + +
    segment middle          - - + + + + + - + +
    segment lower left      + - + - - - + - + -
    segment lower right     + + - + + + + + + +
    segment bottom          + - + + - + + - + +
    hole above              h - - - - - - - + +
    hole below              h - - - - - + - + -
    open left, above        - - + + - - - + - -
    open left, below        - - - + - + - h - +
    open right, above       - - - - - + + - - -
    open right, below       - - + - - - - h - -
    open to the top         - - - - + - - - - -
    mirrors left to right   + + - - - - - - + -
    mirrors top to bottom   + + - + - - - - + -
    bar along the top       - - - - - + - + - -
    bar across              - - - - + - - h - -
    bar along the bottom    - h + - - - - - - -
    slanted stroke          - - + - h - - + - -
    upright stem            - + - - + - - h - h
    only straight strokes   - + - - + - - + - -
    ink in upper left       - - h h - + - h - h
    ink in upper right      - - - - - + - + - -
    ink in lower left       - - + h - h - - - -
    ink in lower right      - h + - - - h - - -
    ink in the centre       - + h + h h h h + h
    ink at the left edge    + - - - + h + - h h
    ink at the right edge   + - - - h - - - h +
    narrow                  - + - - - - - - - -
    narrow in the middle    - - - + - - - - + -
"""


def read_digits() -> ZSLDataset:
    """Return the digits with their images, prototypes and the split PS.

    1,797 rows of 64 pixels, 10 classes, 31 attributes; ``images`` are uint8 from 0 to 255.
    """
    bunch = load_digits()
    names, prototypes = _prototypes()
    ps = Split.from_classes(
        "PS",
        bunch.target,
        unseen=(7, 8, 9),
        folds=[(0, 1), (2, 3), (4, 5)],
        note="7, 8 and 9 are unseen; a fifth of the images of 0 to 6 are held out for testing.",
    )
    return ZSLDataset(
        name="digits",
        features=bunch.data.astype(np.float32),
        labels=bunch.target,
        prototypes=prototypes,
        class_names=tuple(map(str, bunch.target_names)),
        attribute_names=names,
        splits={"PS": ps},
        source="Handwritten digits by 43 writers, 8 × 8 pixels, UCI, as bundled with scikit-learn.",
        images=np.rint(bunch.images * (255 / 16)).astype(np.uint8),
        independent_prototypes=True,
        pretraining=("none",),
    )


def _prototypes() -> tuple[tuple[str, ...], np.ndarray]:
    value = {"+": 1.0, "h": 0.5, "-": 0.0}
    rows = [line.rsplit(maxsplit=10) for line in _ATTRIBUTES.strip().splitlines()]
    S = np.array([[value[mark] for mark in marks] for _, *marks in rows], dtype=np.float32).T
    return tuple(name.strip() for name, *_ in rows), S
