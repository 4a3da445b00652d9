"""Write the lists in ``data/vocabularies`` again, from the sources named in its README.md.

    python -m tools.vocabularies --imagenet FOLDER --action FOLDER --wordnet FOLDER

The folders hold ``imagenet_synsets.txt``, ``imagenet21k_goog_synsets.txt`` and
``imagenet_synset_to_lemma.txt``; ``kinetics400_label_map.txt``,
``kinetics700_label_map.txt`` and ``sports1m_labels.txt``; and
WordNet 3.0's ``data.noun``, ``data.verb``, ``noun.exc`` and ``verb.exc`` (Debian's package
``wordnet-base`` puts them into ``/usr/share/wordnet``) with ``index.noun`` and ``index.verb``.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from zslcore.storage.files import FACTS

WORDNET_NOTE = (
    "# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. See README.md"
)


def main() -> None:
    """Write every list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("imagenet", "action", "wordnet"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()

    lemmas = dict(_pairs(args.imagenet / "imagenet_synset_to_lemma.txt"))
    for name, source in (
        ("imagenet-1k.txt", "imagenet_synsets.txt"),
        ("imagenet-21k.txt.gz", "imagenet21k_goog_synsets.txt"),
    ):
        ids = _lines(args.imagenet / source)
        _write(name, (f"{wnid} {lemmas[wnid]}" for wnid in ids))
    _write("kinetics-400.txt", _lines(args.action / "kinetics400_label_map.txt"))
    _write("kinetics-700.txt", _lines(args.action / "kinetics700_label_map.txt"))
    _write("sports-1m.txt", _lines(args.action / "sports1m_labels.txt"))
    _write("wordnet.tsv.gz", _wordnet(args.wordnet))
    _write("irregular.tsv.gz", _irregular(args.wordnet))


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        key, tab, value = line.partition("\t")
        if tab:
            yield key, value.strip()


def _write(name: str, lines: Iterable[str]) -> None:
    """Write ``lines``; compressed files carry no time, so the same facts give the same bytes."""
    data = ("\n".join(lines) + "\n").encode()
    if name.endswith(".gz"):
        data = gzip.compress(data, compresslevel=9, mtime=0)
    (FACTS / "vocabularies" / name).write_bytes(data)


def _wordnet(folder: Path) -> Iterator[str]:
    """Yield id, category, parents, topics and lemmas, tab-separated; no definitions."""
    yield WORDNET_NOTE
    yield "# synset\tcategory\tparents\ttopics\tlemma#rank, ..."
    for part in ("noun", "verb"):
        rank = _ranks(folder / f"index.{part}")
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):
                yield from _synset(line, rank)


def _ranks(path: Path) -> dict[tuple[str, str], int]:
    """Return how common a meaning is for a word, 1 the commonest, by (word, offset)."""
    rank = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            word, _, count, *fields = line.split()
            for k, offset in enumerate(fields[-int(count) :]):
                rank[word, offset] = k + 1
    return rank


def _synset(line: str, rank: dict[tuple[str, str], int]) -> Iterator[str]:
    """Yield the row of one line of WordNet's format; instances (people, places) are left out."""
    head = line.partition(" | ")[0]
    offset, category, pos, count, *fields = head.split(" ")
    n = int(count, 16)
    lemmas = [
        f"{word.replace('_', ' ')}#{rank[word.lower(), offset]}" for word in fields[: 2 * n : 2]
    ]
    pointers = fields[2 * n + 1 :]
    linked: dict[str, list[str]] = {"@": [], "@i": [], ";c": []}
    for i in range(int(fields[2 * n])):
        kind, target, target_pos = pointers[4 * i : 4 * i + 3]
        if kind in linked and target_pos in "nv":
            linked[kind].append(target_pos + target)
    if linked["@i"] and not linked["@"]:
        return
    parents, topics = " ".join(linked["@"]), " ".join(linked[";c"])
    yield "\t".join((pos + offset, category, parents, topics, ", ".join(lemmas)))


def _irregular(folder: Path) -> Iterator[str]:
    """Yield irregular form, tab, base forms of single words, for nouns and verbs together."""
    yield WORDNET_NOTE
    for part in ("noun", "verb"):
        for line in _lines(folder / f"{part}.exc"):
            form, *bases = line.split(" ")
            if "_" not in line and bases != [form]:
                yield f"{form}\t{' '.join(bases)}"


if __name__ == "__main__":
    main()
