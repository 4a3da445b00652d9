"""Maps: input data, PCA, layouts, settings, and results on disk."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from tests.analysis.pairs import blobs
from zslcore.analysis.maps.joint_pca import (
    JointPCA,
    MapData,
    match_classes,
    same_images,
    stratified_sample,
    why_incompatible,
)
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import (
    EmbeddedMap,
    add_quality,
    estimated_seconds,
    make_map,
    map_key,
    place_all_rows,
    sketch,
)
from zslcore.analysis.maps.quality import neighbours
from zslcore.datasets import load
from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import FeatureView
from zslcore.storage import records

PAIR = blobs()
QUICK = MapSettings(method="tsne", perplexity=5, iterations=30, threads=1, n_components=6)


@pytest.fixture(scope="module")
def tsne():
    return make_map(PAIR, QUICK)


# --- Input data -----------------------------------------------------------------------------------


def test_classes_are_matched_by_name_in_any_order():
    first, second = blobs(shuffled=True)
    data = MapData.of((first, second))
    names = np.array(second.class_names)[second.labels]
    np.testing.assert_array_equal(np.array(first.class_names)[data.labels[data.part == 1]], names)
    assert second.class_names != first.class_names


def renamed(dataset, names):
    return ZSLDataset("other", dataset.features, dataset.labels, dataset.prototypes, names)


@pytest.mark.parametrize("names", [["a", *[f"class {c}" for c in range(1, 5)]], ["class 0"] * 5])
def test_other_classes_are_refused_in_one_sentence(names):
    with pytest.raises(DatasetError, match=r"must have the same classes to be compared: .*\.$"):
        match_classes(PAIR[0], renamed(PAIR[1], names))


def test_features_of_other_width_have_separate_maps():
    narrow = blobs(n_features=7)[1]
    assert why_incompatible(*PAIR) == ""
    assert "12 features per image" in why_incompatible(PAIR[0], narrow)
    with pytest.raises(DatasetError, match="its own map"):
        MapData.of((PAIR[0], narrow))


def test_the_same_images_are_sampled_for_two_kinds_of_features():
    first, second = blobs(), blobs(n_features=7, shuffled=True)
    assert same_images(first[0], second[1])
    assert not same_images(first[0], blobs(n_per_class=(30, 31))[1])
    rows = [MapData.of([d], n_samples=62, seed=3).row for d in (first[0], second[1])]
    np.testing.assert_array_equal(*rows)


@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    share=st.floats(0.05, 1.2),
    seed=st.integers(0, 5),
)
@settings(deadline=None, max_examples=60)
def test_a_sample_keeps_every_stratum_in_proportion(sizes, share, seed):
    strata = np.repeat(np.arange(len(sizes)), sizes)
    n = max(1, int(share * len(strata)))
    rows = stratified_sample(strata, n, seed)
    assert (np.diff(rows) > 0).all()
    taken = np.bincount(strata[rows], minlength=len(sizes))
    fair = np.array(sizes) * min(n / len(strata), 1)
    assert (taken >= 1).all()
    assert (taken <= sizes).all()
    assert (np.abs(taken - fair) <= 1).all()
    assert len(rows) == min(n, len(strata)) or (len(rows) > n and (fair < 1).any())


# --- The PCA --------------------------------------------------------------------------------------


def test_pca_of_two_matrices_equals_pca_of_all_their_rows():
    X = np.vstack([d.features for d in PAIR]).astype(float)
    ours = JointPCA.fit([FeatureView(d.features) for d in PAIR], 6)
    theirs = PCA(6, svd_solver="full").fit(X)
    np.testing.assert_allclose(ours.variance, theirs.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(ours.explained, theirs.explained_variance_ratio_, rtol=1e-10)
    sign = np.sign((ours.components * theirs.components_).sum(axis=1))
    np.testing.assert_allclose(ours.transform(X) * sign, theirs.transform(X), atol=1e-9)


def test_pca_signs_do_not_depend_on_the_order_of_rows():
    X = PAIR[0].features
    a, b = JointPCA.fit([X], 4), JointPCA.fit([X[::-1]], 4)
    np.testing.assert_allclose(a.components, b.components, atol=1e-9)
    assert (a.components.max(axis=1) == np.abs(a.components).max(axis=1)).all()


def test_pca_of_few_rows_has_all_their_axes():
    assert JointPCA.fit([PAIR[0].features[:5]], 50).components.shape == (4, 12)
    with pytest.raises(DatasetError, match="at least 3 images"):
        JointPCA.fit([PAIR[0].features[:2]], 2)


def test_neighbours_are_exact_and_leave_out_the_point_itself():
    Z = np.random.default_rng(0).normal(size=(60, 4))
    graph = neighbours(Z, 5)
    distance = np.linalg.norm(Z[:, None] - Z, axis=2)
    np.fill_diagonal(distance, np.inf)
    np.testing.assert_array_equal(graph.indices, np.argsort(distance, axis=1)[:, :5])


# --- Layouts --------------------------------------------------------------------------------------


def test_the_same_settings_give_the_same_coordinates(tsne):
    again = make_map(PAIR, QUICK)
    np.testing.assert_array_equal(again.coordinates, tsne.coordinates)
    other = make_map(PAIR, replace(QUICK, seed=1))
    np.testing.assert_array_equal(other.row, tsne.row)
    assert not np.array_equal(other.coordinates, tsne.coordinates)


def test_tsne_keeps_blobs_apart(tsne):
    assert tsne.quality.class_accuracy_map > 0.95
    assert tsne.quality.trustworthiness > 0.85
    assert (tsne.coordinates.shape[1], tsne.coordinates.dtype) == (2, np.float32)


@pytest.mark.nightly
def test_umap_is_reproducible_and_reports_its_start():
    changed = replace(QUICK, method="umap", n_neighbors=8, iterations=40)
    stages = []
    maps = [make_map(PAIR, changed, progress=lambda *line: stages.append(line)) for _ in range(2)]
    np.testing.assert_array_equal(maps[0].coordinates, maps[1].coordinates)
    assert maps[0].quality.class_accuracy_map > 0.95
    assert stages.count((0, 0, "Laying out (UMAP)")) == 2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("method", "which"), [("tsne", "progress"), ("tsne", "on_picture"), ("umap", "progress")]
)
def test_an_error_in_a_callback_ends_the_computation(method, which):
    calls = []

    def stop(*args):
        calls.append(args)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_map(PAIR, replace(QUICK, method=method), **{which: stop})
    assert len(calls) == 4


def test_pca_map_is_the_first_two_axes():
    embedded = make_map(PAIR[:1], replace(QUICK, method="pca"))
    view = FeatureView(PAIR[0].features, unit=True)
    expected = JointPCA.fit([view], 6).transform(view)[:, :2]
    np.testing.assert_allclose(embedded.coordinates, expected, atol=1e-6)
    assert embedded.mixing.empty


def test_too_few_images_are_refused():
    with pytest.raises(ParameterError, match="perplexity 30 needs more than 90 images; got 20"):
        make_map(PAIR, MapSettings(n_samples=20))


# --- Settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *{"method": "isomap", "perplexity": 1, "min_dist": 1.5, "n_neighbors": 2.5}.items(),
        *{"n_samples": 3, "seed": -1, "threads": True, "features": "z"}.items(),
        ("perplexity", float("nan")),
    ],
)
def test_invalid_settings_are_refused(name, value):
    with pytest.raises(ParameterError, match=rf"Map: {name} must be"):
        MapSettings(**{name: value})


def test_key_depends_on_the_input_only():
    base = MapSettings()
    assert MapSettings.from_json(base.to_json()) == base
    assert replace(base, min_dist=0.5).key == base.key  # t-SNE does not use min_dist
    changed = {
        "perplexity": 10.0,
        "seed": 1,
        "sample_seed": 1,
        "threads": 1,
        "n_samples": None,
        "iterations": 100,
    }
    keys = {replace(base, **{name: value}).key for name, value in changed.items()}
    assert len(keys | {base.key, replace(base, method="umap").key}) == len(changed) + 2
    assert map_key(PAIR, base) != map_key(PAIR[::-1], base)
    assert "seed 0, 2 threads" in base.caption()


# --- Results on disk ------------------------------------------------------------------------------


def test_a_map_is_read_unchanged(tsne, tmp_path):
    records.save(tmp_path, tsne)
    back = records.load_record(tmp_path, EmbeddedMap)
    assert back.about() == tsne.about()
    pd.testing.assert_frame_equal(back.table(), tsne.table())
    pd.testing.assert_frame_equal(back.mixing, tsne.mixing)
    np.testing.assert_array_equal(back.pca.components, tsne.pca.components)
    assert not back.coordinates.flags.writeable


def test_exports_have_coordinates_settings_and_quality(tsne, tmp_path):
    tsne.to_parquet(tmp_path / "map.parquet")
    parquet = pq.read_table(tmp_path / "map.parquet")
    about = json.loads(parquet.schema.metadata[b"about"])
    assert about == json.loads(json.dumps(tsne.about()))
    pd.testing.assert_frame_equal(
        parquet.to_pandas(), tsne.table(), check_dtype=False, check_categorical=False
    )
    as_json = json.loads(tsne.to_json())
    assert as_json["quality"]["knn_recall"] == tsne.quality.knn_recall
    assert as_json["settings"]["perplexity"] == 5
    assert len(as_json["map"]["x"]) == len(tsne) == 300
    assert len(as_json["mixing"]) == 10
    assert tsne.to_csv().splitlines()[0] == "data_set,row,class,x,y,version,commit"


def test_a_sketch_keeps_its_axes_and_positions_when_all_rows_are_added():
    pair = blobs(shuffled=True)
    first = sketch(pair, n_samples=60)
    data = MapData.of(pair, n_samples=60)
    exact = JointPCA.fit(data.sampled_views(), 2)
    Z = np.vstack([exact.transform(view) for view in data.sampled_views()])
    np.testing.assert_allclose(first.coordinates, Z, atol=1e-3)
    everything = place_all_rows(first, pair)
    assert len(everything) == sum(len(dataset.labels) for dataset in pair)
    rows = zip(everything.part, everything.row, strict=True)
    place = {(p, r): k for k, (p, r) in enumerate(rows)}
    places = [place[p, r] for p, r in zip(first.part, first.row, strict=True)]
    np.testing.assert_allclose(everything.coordinates[places], first.coordinates, atol=1e-5)
    np.testing.assert_array_equal(everything.labels[places], first.labels)
    measured = add_quality(first, pair)
    assert 0 < measured.quality.knn_recall <= 1
    assert set(measured.mixing["space"]) == {"PCA", "map"}


def test_more_images_and_steps_are_estimated_to_take_longer():
    pair = [load("simulated-AWA1"), load("simulated-AWA2")]
    few, many = (MapSettings("tsne", n_samples=n) for n in (2_000, None))
    assert 1 < estimated_seconds(pair, few) < estimated_seconds(pair, many)
    assert estimated_seconds(pair, MapSettings("pca", n_samples=2_000)) < 5
