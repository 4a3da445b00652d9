"""Write the facts of ImageNet-21K in ``data/imagenet`` again.

    python -m tools.imagenet_facts FOLDER

``FOLDER`` holds ``paper_synsets.json`` (the synsets in the order of the released file's numbers),
``paper_splits.mat`` (the benchmark's splits) and ``imagenet_synset_to_lemma.txt`` (their words).
What a synset is a kind of comes from ``data/vocabularies/wordnet.tsv.gz``, and the positions of the
classes from that relation (:mod:`zslcore.datasets.imagenet_positions`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import scipy.io

from zslcore.datasets.imagenet import CLASSES, imagenet
from zslcore.datasets.imagenet_positions import STEP, spectral_positions
from zslcore.leakage.wordnet import wordnet
from zslcore.storage.files import FACTS

#: What four synsets are instances of, which the kept WordNet leaves out: a star and three people.
INSTANCES = {
    "n09450163": "n09444100",  # the sun: star
    "n10994097": "n10013927",  # Edmond Genet: diplomat
    "n11196627": "n10794014",  # H. H. Munro: writer
    "n11318824": "n10794014",  # Bram Stoker: writer
}
#: The released lists, smallest first within a column: the first one that has a class is its place.
HOPS = {"2H": "hops2", "3H": "hops3", "far": "all"}
POPULATED = ("mp500", "mp1000", "mp5000", "lp500", "lp1000", "lp5000")
NAMES = {"mp500": "M500", "mp1000": "M1K", "mp5000": "M5K"} | {
    "lp500": "L500",
    "lp1000": "L1K",
    "lp5000": "L5K",
}
#: Numbers that tell a class's place in the relation.
DIMENSIONS = 48
HEAD = (
    "# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved."
    " See ../vocabularies/README.md",
    "# synset\tparents\thops\tpopulated\twords",
)


def main() -> None:
    """Write the table of all synsets, and where each class stands among them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    listed = json.loads((folder / "paper_synsets.json").read_text(encoding="utf-8"))
    path = FACTS / "imagenet" / "synsets.tsv.gz"
    _write(path, [*HEAD, *_rows(folder, [*listed["train"], *listed["test"]])])
    _write(path.with_name("positions.tsv.gz"), _positions())


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write ``lines``; the file carries no time, so the same facts give the same bytes."""
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), compresslevel=9, mtime=0))


def _positions() -> Iterator[str]:
    """Yield each position that there is once, and then which of them every class has."""
    G = spectral_positions(imagenet().adjacency, DIMENSIONS)[:CLASSES]
    positions, of_class = np.unique(np.rint(G / STEP).astype(int), axis=0, return_inverse=True)
    yield "# positions in the hypernym relation, in steps of 1/127; then the position of each class"
    yield from ("\t".join(map(str, position)) for position in positions.tolist())
    yield "\t".join(map(str, of_class.ravel().tolist()))


def _rows(folder: Path, classes: Sequence[str]) -> Iterator[str]:
    """Yield the row of every class, in the release's order, then of every synset above them."""
    lines = (folder / "imagenet_synset_to_lemma.txt").read_text(encoding="utf-8").splitlines()
    words = {line.partition("\t")[0]: line.partition("\t")[2].strip() for line in lines}
    released = scipy.io.loadmat(folder / "paper_splits.mat")
    lists = {name: set(ids.ravel().tolist()) for name, ids in released.items() if name[0] != "_"}
    for number, synset in enumerate(classes, start=1):  # the release counts from 1
        yield "\t".join((synset, " ".join(_parents(synset)), *_place(number, lists), words[synset]))
    for synset in _inner(classes):
        words_of = ", ".join(wordnet().synsets[synset].lemmas)
        yield "\t".join((synset, " ".join(_parents(synset)), "", "", words_of))


def _parents(synset: str) -> tuple[str, ...]:
    if synset in INSTANCES:
        return (INSTANCES[synset],)
    return wordnet().synsets[synset].parents


def _place(number: int, lists: dict[str, set[int]]) -> tuple[str, str]:
    """Return the nearest list of hops that has a class, and the list of populations."""
    if number in lists["trainval_classes"]:
        return ("train" if number in lists["train_classes"] else "val"), ""
    hops = next((name for name, of in HOPS.items() if number in lists[of]), "")
    return hops, next((NAMES[name] for name in POPULATED if number in lists[name]), "")


def _inner(classes: Sequence[str]) -> list[str]:
    """Return the synsets above the classes that are none themselves, sorted."""
    known, todo = set(classes), list(classes)
    while todo:
        for parent in _parents(todo.pop()):
            if parent not in known:
                known.add(parent)
                todo.append(parent)
    return sorted(known.difference(classes))


if __name__ == "__main__":
    main()
