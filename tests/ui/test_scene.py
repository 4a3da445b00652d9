"""Views of maps: content of panels, of selections, and of addresses."""

import numpy as np
import pytest

from tests.analysis.pairs import blobs
from tests.pages import taken_apart
from ui.figures.palette import SEEN, UNSEEN
from ui.maps.colours import colour_by_class, colour_by_density, colour_by_fifths, colour_by_group
from ui.maps.scene import Scene, read_cameras, read_selection, write_cameras, write_selection
from zslcore.analysis.maps.joint_pca import match_classes
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import make_map
from zslcore.interactive.point_map import PointMap

PAIR = blobs(shuffled=True)
SETTINGS = MapSettings("pca", threads=1)
KEY = "0123456789abcdef"
LEFT = {"panel": 0, "polygon": [[-99, -99], [0, -99], [0, 99], [-99, 99]]}


@pytest.fixture(scope="module")
def joint():
    return make_map(PAIR, SETTINGS)


@pytest.fixture(scope="module")
def single():
    return [make_map([dataset], SETTINGS) for dataset in PAIR]


def test_an_outline_selects_on_both_panels_of_one_plane(joint):
    scene = Scene.side_by_side(PAIR, joint)
    expected = joint.coordinates[:, 0] < 0
    np.testing.assert_array_equal(scene.selected(LEFT), expected)
    assert {0, 1} == set(scene.part[expected])
    assert [panel.behind for panel in scene.panels(names=False, alt="")] == [1, 0]


def test_an_outline_on_one_of_two_maps_selects_the_same_images_on_the_other(joint):
    other = make_map(PAIR, MapSettings("pca", threads=1, features="none"))
    scene = Scene.overlay(PAIR, joint, other)
    np.testing.assert_array_equal(scene.selected(LEFT), joint.coordinates[:, 0] < 0)
    in_other = scene.selected(LEFT | {"panel": 1})
    np.testing.assert_array_equal(in_other, other.coordinates[:, 0] < 0)
    assert not scene.selected(None).any()
    assert not scene.selected(LEFT | {"panel": 5}).any()


def test_separate_maps_link_images_only_if_they_are_the_same(single):
    order = match_classes(*PAIR)
    linked = Scene.separate(PAIR, single, order, same=True)
    assert len(linked) == len(single[0])
    np.testing.assert_array_equal(linked.images[1], linked.images[0])
    table = linked.table()
    assert {"x_pair 1", "y_pair 2"} < set(table.columns)
    assert table.notna().all(axis=None)

    loose = Scene.separate(PAIR, single, order, same=False)
    assert len(loose) == len(single[0]) + len(single[1])
    assert not set(loose.images[0]) & set(loose.images[1])
    second = loose.part == 1
    names = np.array(PAIR[1].class_names)[PAIR[1].labels]
    np.testing.assert_array_equal(np.array(loose.classes)[loose.labels[second]], names)


def test_names_are_in_the_middle_of_their_class_in_the_second_data_set(joint):
    scene = Scene.overlay(PAIR, joint)
    (panel,) = scene.panels(names=True, alt="words")
    for name in panel.names:
        of_class = scene.labels == scene.classes.index(name["text"])
        own = joint.coordinates[of_class & (scene.part == 1)]
        assert name["x"] == pytest.approx(np.median(own[:, 0]), abs=1e-6)
        assert name["y"] == pytest.approx(np.quantile(own[:, 1], 0.9), abs=1e-6)
    assert len(panel.names) == 5


def test_colours_match_their_legend(joint):
    scene = Scene.overlay(PAIR, joint)
    classes = colour_by_class(scene)
    assert [classes.palette[c].label for c in classes.category[:40]] == [
        scene.classes[c] for c in scene.labels[:40]
    ]
    assert len({(item.color, item.symbol) for item in classes.palette}) == 5
    groups = colour_by_group(np.array(["b", "a", "b"]), {"a": SEEN, "b": UNSEEN})
    np.testing.assert_array_equal(groups.category, [1, 0, 1])
    crowded = colour_by_density(scene)
    counts = np.bincount(crowded.category, minlength=16)
    assert counts.min() >= len(scene) // 16 - 1


def test_fifths_are_equally_large_and_leave_out_missing_values():
    has_value = np.arange(12) > 1
    looks = colour_by_fifths(np.arange(12)[::-1], has_value, list("abcde"), "left")
    named = [looks.palette[c].label for c in looks.category]
    assert named == ["left", "left", *"eeddccbbaa"]


def test_addresses_restore_the_view():
    drawn = {"panel": 1, "polygon": [[1.5, -2.25], [1e-5, 3], [-4e7, 0.125]]}
    assert read_selection(KEY, write_selection(KEY, drawn)) == drawn
    views = [None, [0.5, -1e-7, 20.0]]
    assert read_cameras(KEY, write_cameras(KEY, views)) == views
    assert read_cameras(KEY, write_cameras(KEY, [[1, 2, 3]])) == [[1, 2, 3]]


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "01234567.2.1,2;3,4;5,6", "89abcdef.0.1,2;3,4", "01234567.0.1,2;<b>,4"),
        *("01234567.0.nan,2", "01234567.0." + ";".join(["1,2"] * 500)),
    ],
)
def test_addresses_of_other_maps_are_ignored(text):
    assert read_selection(KEY, text) is None
    assert read_cameras(KEY, text) is None


@pytest.mark.parametrize("file", ["f", "fi", "fil", "file"])  # headers of every length modulo 4
def test_packed_lists_can_be_unpacked(joint, file):
    scene = Scene.side_by_side(PAIR, joint)
    looks = colour_by_class(scene)
    pictures = np.arange(len(scene) * 6, dtype=np.uint8).reshape(-1, 2, 3)
    packed = PointMap(
        key=KEY,
        file=file,
        panels=scene.panels(names=True, alt="words"),
        palette=looks.palette,
        category=looks.category,
        classes=scene.classes,
        sets=["<one>", "two"],
        class_of=scene.labels,
        part=scene.part,
        row=scene.row,
        pictures=pictures,
        selection=LEFT,
    ).packed()
    head, take = taken_apart(packed)
    n = head["n"]
    np.testing.assert_array_equal(take("<u2", n), looks.category)
    np.testing.assert_array_equal(take("<u2", n), scene.labels)
    np.testing.assert_array_equal(take("u1", n), scene.part)
    np.testing.assert_array_equal(take("<u4", n), scene.row)
    for panel, image, xy in zip(head["panels"], scene.images, scene.coordinates, strict=True):
        np.testing.assert_array_equal(take("<u4", panel["n"]), image)
        np.testing.assert_array_equal(take("<f4", 2 * panel["n"]), xy.ravel())
    np.testing.assert_array_equal(take("u1", n * 6), pictures.ravel())
    assert take() == b""
    assert head["selection"] == LEFT
    assert head["sets"] == ["<one>", "two"]
