"""Splits with one fault each, and the findings on them: ``findings.txt``.

``python -m tests.leakage.situations`` writes it again; read the diff before the commit.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.leakage.worlds import add, clean, move, with_features, with_parts, with_prototype
from zslcore.leakage import AuditContext, DeclaredProvenance, Vocabulary
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.context import UNREAD

FINDINGS_FILE = Path(__file__).with_name("findings.txt")
NONE = np.empty(0, int)
W = clean()
P = {part: np.sort(rows) for part, rows in W.parts.items()}


def bare(parts, **facts):
    return AuditContext("bare", {p: np.array(rows) for p, rows in parts.items()}, **facts)


def lists(world=W, **classes):
    return replace(
        world, class_lists={side: np.array(members) for side, members in classes.items()}
    )


def remove_parts(world, *parts):
    return with_parts(world, **dict.fromkeys(parts, NONE))


def numbers(trainval, unseen, **facts):
    return bare({"trainval": trainval, "test_unseen": unseen}, **facts)


def label_numbers(labels, trained, tested):
    return numbers(trained, tested, labels=np.array(labels), n_rows=len(labels))


def cells(*values, world=W, **more):
    """A hundred positive cells, with other values at given places."""
    S = (np.random.default_rng(0).random((10, 10)) + 0.1).astype(np.float32)
    for c, a, value in values:
        S[c, a] = value
    return replace(world, prototypes=S, class_names=tuple(f"thing {c}" for c in range(10)), **more)


def constant(n):
    S = W.prototypes[:n].copy()
    S[:, 1:3] = 0.5
    return replace(W, prototypes=S, labels=W.labels % n)


def extractor(names, world=W, **more):
    return replace(world, vocabularies=(Vocabulary.of("mine", names),), **more)


def alike(n, jitter):
    world = remove_parts(clean(n_unseen=1, per_class=100), "test_seen")
    rows, train = world.parts["test_unseen"][:n], world.parts["train"][:n]
    noise = jitter * np.random.default_rng(0).normal(size=(n, world.features.shape[1]))
    return with_features(world, rows, world.features[train] + noise)


def shift_rows(by, world=W):
    return with_parts(world, **{p: rows + by for p, rows in world.parts.items()})


def sorted_world(by=0):
    place = np.argsort(np.argsort(W.labels, kind="stable"))
    parts = {p: place[rows] for p, rows in W.parts.items()}
    parts = {p: rows[rows < 96 - by] + by for p, rows in parts.items()}
    return replace(W, labels=np.sort(W.labels), parts=parts)


WIDE = clean(n_classes=12, n_unseen=8)
BETTER = {c: 0.9 if c < 8 else 0.1 for c in range(4, 12)}
NAMES_IN_SET = [f"thing {c}" for c in (4, 5, 6, 7)]
FEW_FOLDS = ((np.array([2, 3]), np.array([0, 1])), (np.array([2, 6]), np.array([2, 7])))
LESS = with_parts(W, trainval=np.setdiff1d(P["trainval"], P["train"][:1]), train=P["train"][1:])
BAD_ROWS = np.append(P["train"], [*P["val"][:2], *P["test_unseen"][:3]])
GONE = P["trainval"][W.labels[P["trainval"]] == 4]
V1 = add(add(W, P["test_seen"][:9], "train"), P["test_seen"][9:], "val")
UNSEEN_7 = P["test_unseen"][W.labels[P["test_unseen"]] == 7]
MANY = clean(per_class=60)
TWO = np.array([[1.02], [1.01]], np.float32)

SITUATIONS = {
    "nothing is wrong": W,
    "nothing is known": bare({"trainval": range(3)}),
    "names of classes alone": bare({"trainval": range(3)}, class_names=("a",)),
    "no training": bare({"train": range(3)}),
    "no test": bare({"trainval": range(3)}),
    "no training rows": remove_parts(W, "trainval", "train", "val"),
    "no test rows": remove_parts(W, "test_seen", "test_unseen"),
    "rows out of range": add(W, [-1, 95, 96, 103], "test_seen"),
    "rows out of any range": numbers(range(3), [-2, 999]),
    **{
        f"numbers {a} and {b}": numbers(a, b, n_rows=10)
        for a, b in (
            *(((-1, 0, 1), (7, 8)), ((-1, 0, 1), (8, 9)), ((-2, 0, 1), (7, 8))),
            *(((1, 2), (9, 10)), ((2, 3), (9, 10)), ((0, 2), (9, 10)), ((1, 2), (9, 11))),
        )
    },
    "numbers start at 0": shift_rows(-1),
    "numbers start at 2": shift_rows(1),
    "numbers off by one in blocks": sorted_world(1),
    "rows listed again": add(W, P["val"][[0, 0, 1]], "val"),
    **{
        f"{a} in {b}": add(W, P[a][:2], b)
        for a, b in (
            *(("test_seen", "trainval"), ("test_unseen", "val"), ("test_unseen", "test_seen")),
            *(("val", "train"), ("test_seen", "train")),
        )
    },
    "train outside trainval": with_parts(W, trainval=np.setdiff1d(P["trainval"], P["train"][:2])),
    "trainval alone": replace(W, parts={p: P[p] for p in ("trainval", "test_seen", "test_unseen")}),
    "first release": V1,
    "part of the first release": add(W, P["test_seen"][:5], "train"),
    "first release without seen": remove_parts(V1, "test_seen"),
    "folds of rows": replace(W, fold_rows=((P["train"], P["val"]),)),
    "bad folds of rows": replace(
        LESS, fold_rows=((P["train"][1:], P["val"]), (BAD_ROWS, P["val"]))
    ),
    "variables not read": replace(W, facts={UNREAD: "val2_loc"}),
    "other lists": replace(
        W, other_lists={"my_train_idx": P["test_unseen"][:2], "gallery_loc": P["test_seen"]}
    ),
    "class on both sides": move(W, UNSEEN_7[:2], "test_unseen", "trainval", "train"),
    **{
        f"labels {labels}, {a} and {b}": label_numbers(labels, a, b)
        for labels, a, b in (
            *(((0, 0, 1, 1), (1, 2), (3, 4)), ((0, 0, 1, 1), (0, 1, 2), (3,))),
            *(((1, 0, 1, 1), (1, 2), (3,)), ((0, 0, 1, 1), (0, 2), (1, 3))),
            *(((0, 0, 1, 1), (-1, 0, 2), (1, 2)), ((0, 0, 0, 1, 1), (0, 1), (2, 3))),
            ((0, 0, 1, 1), (0, 2), (3, 4, 5)),
        )
    },
    "lists contradict": lists(seen=range(6), unseen=[5, 6]),
    "lists agree": lists(seen=range(5), unseen=range(5, 8)),
    "seen list alone": lists(seen=range(6)),
    "unseen list alone": lists(unseen=[5, 6]),
    "lists without labels": lists(bare({"trainval": range(3)}), seen=range(4), unseen=[3, 4]),
    "lists without rows": lists(bare({}), seen=range(3), unseen=range(3, 5)),
    "seen but untrained": with_parts(
        W, trainval=np.setdiff1d(P["trainval"], GONE), train=np.setdiff1d(P["train"], GONE)
    ),
    "bad folds": replace(W, folds=FEW_FOLDS),
    "val class in train": move(W, P["val"][:1], "val", "train"),
    "folds without labels": replace(
        lists(bare({"train": range(3), "val": range(3)}), seen=range(3), unseen=[3, 4]),
        folds=((np.array([0]), np.array([4])),),
    ),
    "train and val alone": bare({"train": [0, 1], "val": [2, 3]}, labels=np.array([0, 1, 1, 2])),
    "one image twice in train": with_features(W, P["train"][1], W.features[P["train"][0]]),
    "one image twice in test": with_features(
        W, P["test_unseen"][1], W.features[P["test_unseen"][0]]
    ),
    "image seen and unseen": with_features(W, P["test_unseen"][0], W.features[P["test_seen"][0]]),
    "images without features": with_features(W, P["trainval"][:3], 0),
    "many equal images": with_features(
        MANY, MANY.parts["test_unseen"][:120], MANY.features[MANY.parts["train"][0]]
    ),
    **{f"{n} of 100 at {jitter}": alike(n, jitter) for n in (1, 2) for jitter in (0.0, 0.01)},
    "two near images": with_features(
        W, W.parts["test_unseen"][:2], TWO * W.features[W.parts["train"][:2]]
    ),
    "own classes": extractor(["thing 5", "house"]),
    "own classes decided": extractor(
        ["thing 5", "house"], decisions={"mine": {"thing 6": "confirmed", "thing 7": "rejected"}}
    ),
    "own class rejected": extractor(["thing 5"], decisions={"mine": {"thing 5": "rejected"}}),
    "own class misspelt": extractor(["thimg 5s"]),
    "no own class": extractor(["house"], accuracies={"A": {5: 0.1, 6: 0.2, 7: 0.3}}),
    "all own classes": extractor([f"thing {c}" for c in (5, 6, 7)], accuracies={"A": {5: 0.1}}),
    "no images at all": extractor([]),
    "better, of two": extractor(
        NAMES_IN_SET, WIDE, accuracies={"A": dict.fromkeys(BETTER, 0.5), "B": BETTER | {0: 1.0}}
    ),
    "better, of one": extractor(NAMES_IN_SET, WIDE, accuracies={"B": BETTER}),
    **{
        f"chosen {' '.join(origins)}": replace(W, provenance=DeclaredProvenance(*origins))
        for origins in (
            ("given", "test", "test"),
            ("validation", "none", "unknown"),
            ("test", "given", "given", "test images"),
        )
    },
    "prototypes of unknown origin": replace(W, independent_prototypes=False),
    "prototypes declared": replace(
        W, independent_prototypes=False, provenance=DeclaredProvenance(prototypes="independent")
    ),
    "one cell missing": cells((3, 4, -1)),
    "one cell negative": cells((3, 4, -0.5)),
    "two cells negative": cells((3, 4, -0.5), (5, 6, -1)),
    "missing before scaling": cells(
        (3, 4, -0.5), (5, 6, -1), raw_prototypes=cells((5, 6, -1)).prototypes
    ),
    "prototype of zeros": with_prototype(W, 2, 0),
    "prototype not finite": with_prototype(W, 2, np.inf),
    "equal prototypes, trained": with_prototype(W, 1, W.prototypes[0]),
    "equal prototypes, tested": with_prototype(W, 7, W.prototypes[0]),
    **{f"constant attributes of {n}": constant(n) for n in (8, 2, 1)},
    "nine images": remove_parts(clean(per_class=9), "test_seen"),
    "ten images": remove_parts(clean(per_class=10), "test_seen"),
}


def findings_of(world):
    """All findings on a split, with their evidence."""
    for check in CHECKS:
        for f in run_check(check, world):
            lines = [f"  {f.check} {f.mark}: {f.sentence}", f"    {f.advice}" * bool(f.advice)]
            if f.rows or f.classes or f.numbers:
                lines.append(
                    f"    {plain(f.rows)}; {plain(f.classes)}; {plain(dict(f.numbers))}".rstrip()
                )
            for table in f.evidence:
                lines.append(f"    {table.title} | {', '.join(table.columns)} | {table.total}")
                lines += [f"      {plain(row)}" for row in table.rows[:6]]
            yield "\n".join(filter(None, lines))


def plain(value):
    """A value as text, with numbers to four digits, so that rounding errors do not show."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{k} {plain(float(v))}" for k, v in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(plain, value))
    return str(value)


def text():
    """The findings on each split, without those on a clean split and on an unknown split."""
    names = iter(SITUATIONS)
    usual = {name: list(findings_of(SITUATIONS[name])) for name in (next(names), next(names))}
    usual_findings = set().union(*usual.values())
    rest = {
        name: [f for f in findings_of(SITUATIONS[name]) if f not in usual_findings]
        for name in names
    }
    return "\n\n".join("\n".join([name, *event]) for name, event in (usual | rest).items()) + "\n"


if __name__ == "__main__":
    FINDINGS_FILE.write_text(text(), encoding="utf-8")
