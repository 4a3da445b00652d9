"""ImageNet-21K without its images: the stored facts equal the released ones."""

import gzip
import json
from itertools import pairwise

import numpy as np
import pytest
import scipy.io

from tests.conftest import SHARED
from zslcore.datasets.facts import published_table
from zslcore.datasets.imagenet import (
    CLASSES,
    LISTS,
    SETS,
    challenge_split,
    class_positions,
    have_imagenet_ids,
    imagenet,
    imagenet_rows,
)
from zslcore.datasets.table import read_table
from zslcore.exceptions import DatasetError
from zslcore.storage.files import FACTS

RELEASED = SHARED / "data/imagenet"
FACTS_OF = imagenet()


def test_the_nine_sets_have_the_class_counts_of_the_released_file():
    released = published_table("imagenet_released").set_index("split")["classes"]
    ours = {name: int(FACTS_OF.sets[name].sum()) for name in SETS}
    ours |= {"train": int((FACTS_OF.seen & ~FACTS_OF.validation).sum())}
    ours |= {"val": int(FACTS_OF.validation.sum())}
    assert ours == released.to_dict()
    assert tuple(FACTS_OF.sets) == SETS


def test_the_nine_sets_are_nested_and_have_no_training_class():
    for inner, outer in [*pairwise(("2H", "3H", "All")), ("M500", "M1K"), ("L1K", "L5K")]:
        assert (FACTS_OF.sets[inner] <= FACTS_OF.sets[outer]).all()
    assert not (FACTS_OF.sets["M5K"] & FACTS_OF.sets["L5K"]).any()
    assert not (FACTS_OF.sets["All"] & FACTS_OF.seen).any()


@pytest.mark.skipif(not RELEASED.exists(), reason="the released ImageNet lists are not here")
def test_every_class_is_in_the_sets_of_the_released_files():
    synsets = json.loads((RELEASED / "paper_synsets.json").read_text())
    ids = np.array([*synsets["train"], *synsets["test"]])
    assert list(ids) == list(FACTS_OF.synsets[:CLASSES])
    lists = scipy.io.loadmat(RELEASED / "paper_splits.mat")
    keys = {"2H": "hops2", "3H": "hops3", "All": "all"}
    keys |= {name: f"{name[0].lower()}p{name[1:].replace('K', '000')}" for name in SETS[2:8]}
    for name in SETS:
        assert set(np.flatnonzero(FACTS_OF.sets[name]) + 1) == set(lists[keys[name]].ravel())
    assert set(np.flatnonzero(FACTS_OF.validation) + 1) == set(lists["val_classes"].ravel())
    for name, file in (("2H", "2-hops.txt"), ("3H", "3-hops.txt")):
        listed = set((RELEASED / file).read_text().split())
        assert set(ids[1000 : 1000 + LISTS[name]]) == listed
    assert LISTS["All"] == CLASSES - 1000


def test_files_are_small_and_included_in_the_wheel():
    files = sorted((FACTS / "imagenet").iterdir())
    assert [file.name for file in files] == ["positions.tsv.gz", "synsets.tsv.gz"]
    assert sum(file.stat().st_size for file in files) < 1_000_000
    for file in files:
        assert gzip.decompress(file.read_bytes())


def test_every_class_is_a_kind_of_entity():
    names, root = FACTS_OF.names, FACTS_OF.row["n00001740"]
    assert names[root] == "entity"
    assert {i for i, above in enumerate(FACTS_OF.parents) if not above} == {root}
    steps, level, n = {}, {FACTS_OF.row["n01440764"]}, 0
    while level:
        steps |= {names[row]: n for row in level if names[row] not in steps}
        level, n = {above for row in level for above in FACTS_OF.parents[row]}, n + 1
    assert [steps[n] for n in ("tench", "cyprinid", "fish", "entity")] == [0, 1, 6, 16]


def test_all_but_one_class_of_2h_is_above_or_below_a_training_class():
    seen, two_hops = np.flatnonzero(FACTS_OF.seen), np.flatnonzero(FACTS_OF.sets["2H"])
    above = {parent for row in seen for parent in FACTS_OF.parents[row]}
    near = [row for row in two_hops if row in above or {*FACTS_OF.parents[row]} & {*seen}]
    assert (len(near), len(two_hops)) == (1508, 1509)
    assert {parent for parent in above if parent < CLASSES}


def test_wordnet_ids_are_found_anywhere_in_a_name():
    names = ["n01440764", "n01440764 tench", "train/n01440764", "n01440764.tar", "tench"]
    names += ["n014407640", "xn01440764", "n00001740", "n99999999"]
    tench = FACTS_OF.row["n01440764"]
    assert imagenet_rows(names).tolist() == [tench] * 4 + [-1] * 5
    assert have_imagenet_ids(names[:5])
    assert not have_imagenet_ids(["antelope", "n01440764"])
    assert not have_imagenet_ids([])


def own_file(path, rows):
    """Write features of classes named by their ids, four images each."""
    rng = np.random.default_rng(0)
    names = [FACTS_OF.synsets[row] for row in rows]
    arrays = {"features": rng.random((4 * len(rows), 6)), "prototypes": rng.random((len(rows), 3))}
    np.savez(path, labels=np.repeat(np.arange(len(rows)), 4), class_names=names, **arrays)
    return path


def test_a_file_with_ids_needs_no_list_of_unseen_classes(tmp_path):
    train = np.flatnonzero(FACTS_OF.seen & ~FACTS_OF.validation)[:5]
    val, unseen = np.flatnonzero(FACTS_OF.validation)[:3], np.flatnonzero(FACTS_OF.sets["2H"])[:4]
    data = read_table(own_file(tmp_path / "own.npz", [*unseen, *train, *val]))
    split = data.split()
    assert split.unseen_classes.tolist() == [0, 1, 2, 3]
    assert len(split.test_seen) == 8
    (fold,) = split.folds
    assert np.unique(data.labels[fold.train]).tolist() == [4, 5, 6, 7, 8]
    assert np.unique(data.labels[fold.val]).tolist() == [9, 10, 11]
    with pytest.raises(
        DatasetError,
        match="from the 2012 challenge and other classes to test; got 0 and 4 with images",
    ):
        read_table(own_file(tmp_path / "unseen.npz", unseen))


def test_only_classes_with_images_count_as_seen_or_unseen():
    rows = [*np.flatnonzero(FACTS_OF.seen)[:2], *np.flatnonzero(FACTS_OF.sets["2H"])[:3]]
    names = [FACTS_OF.synsets[row] for row in rows]
    with pytest.raises(DatasetError, match="got 0 and 3 with images"):
        challenge_split(np.array([2, 3, 4]), names)


# --- Positions ------------------------------------------------------------------------------------


def test_positions_of_related_classes_are_similar():
    G = class_positions()
    assert G.shape == (CLASSES, 48)
    assert not G.flags.writeable
    np.testing.assert_allclose((G**2).sum(axis=1), 1, atol=0.02)  # stored positions are rounded
    pairs = [(i, p) for i, above in enumerate(FACTS_OF.parents[:CLASSES]) for p in above]
    child, parent = np.array([(i, p) for i, p in pairs if p < CLASSES]).T
    near = (G[child] * G[parent]).sum(axis=1)
    far = (G[child] * G[np.random.default_rng(0).permutation(parent)]).sum(axis=1)
    assert near.mean() > 0.95
    assert abs(far.mean()) < 0.15


def test_leaves_with_the_same_parent_share_their_position():
    G, row = class_positions(), FACTS_OF.row
    below = {p for above in FACTS_OF.parents for p in above}
    goldfish, tench = row["n01443537"], row["n01440764"]
    assert FACTS_OF.parents[goldfish] == FACTS_OF.parents[tench]
    assert not {goldfish, tench} & below
    np.testing.assert_array_equal(G[goldfish], G[tench])
    assert not np.array_equal(G[goldfish], G[row["n02084071"]])
