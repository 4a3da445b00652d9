"""What each kind of work leaves is what the package computes, here without a child."""

import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.worlds import imagenet_world
from zslcore.analysis import bias_variance
from zslcore.analysis import leak_cost as costs
from zslcore.analysis.comparison import ComparisonSpec
from zslcore.analysis.cross_dataset import cross_table
from zslcore.analysis.large_scale import LargeScaleSpec, measure, nearest_answers
from zslcore.analysis.maps import MapSettings
from zslcore.analysis.overlap import half_and_half, overlap_study
from zslcore.analysis.regularization import RegularizationSpec
from zslcore.datasets import import_dataset, load
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.jobs import (
    compare,
    cross,
    draws,
    embed,
    follow,
    large_scale,
    leak_cost,
    take_apart,
)
from zslcore.jobs.runner import shipped
from zslcore.methods import get_method
from zslcore.results import planning
from zslcore.results.store import ResultStore


class Said:
    """Stands in for the report of a child."""

    def __init__(self):
        self.lines, self.pictures = [], []

    def __call__(self, *line):
        self.lines.append(line)

    def preview(self, draw):
        self.pictures.append(draw()["coordinates"])


def test_a_map_is_made_and_shown_on_its_way(tmp_path):
    digits = load("digits")
    settings = MapSettings("tsne", perplexity=5, n_samples=100, iterations=20, threads=1)
    work, said = embed.ask([digits], settings), Said()
    embed.do(tmp_path, said, **work.arguments)
    assert len(embed.read(tmp_path, work)) == 100
    stages = [line[3] for line in said.lines if len(line) > 3]
    assert list(dict.fromkeys(stages))[-2:] == ["Laying out (t-SNE)", "Quality of the map"]
    assert len(said.pictures) > 20
    changed = embed.ask([digits], MapSettings("tsne", perplexity=6, n_samples=100, threads=1))
    assert changed.key != work.key
    with pytest.raises(FileRefusedError, match="expected"):
        embed.read(tmp_path, changed)


AWA = ("simulated-AWA1", "simulated-AWA2")


def test_a_map_of_the_package_answers_whatever_libraries_are_installed(monkeypatch):
    """Other maps are made again: a library that lays them out otherwise may be in the way."""
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    pair, settings = [load(name) for name in AWA], MapSettings("tsne", n_samples=2000, threads=2)
    another = replace(settings, seed=1)
    shown, other, made_by = embed.ask(pair, settings), embed.ask(pair, another), settings.libraries
    monkeypatch.setattr("zslcore.analysis.maps.settings.version", lambda name: "99.0")
    again = embed.ask(pair, settings)
    assert again.key == shown.key
    read = embed.read(shipped(again.key), again)
    assert set(read.libraries) == set(made_by)
    assert "99.0" not in read.libraries.values()
    assert read.about()["libraries"] == read.libraries
    assert embed.ask(pair, another).key != other.key
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert embed.ask(pair, settings).key != shown.key


def test_a_crossing_is_the_table_and_tells_how_far_it_is(tmp_path):
    first, second = map(load, AWA)
    work = cross.ask(first, second, "PS", ["LinearS2V", "ESZSL"])
    said = Said()
    cross.do(tmp_path, said, **work.arguments)
    read = cross.read(tmp_path, work).drop(columns="seconds")
    made = cross_table(first, second, ["ESZSL", "LinearS2V"]).drop(columns="seconds")
    pd.testing.assert_frame_equal(read, made)
    assert said.lines[-1][:2] == (4, 4)


def test_order_of_methods_makes_no_other_work_and_data_do():
    first, second = map(load, AWA)
    keys = [
        cross.ask(first, second, "PS", m).key for m in (["SAE", "ALE"], ["ALE", "SAE"], ["SAE"])
    ]
    assert keys[0] == keys[1] != keys[2]
    assert cross.ask(second, first, "PS", ["SAE", "ALE"]).key != keys[0]


def test_draws_are_the_study(tmp_path):
    sets = [load(name) for name in ("simulated-AWA2", "simulated-AWA2-untrained")]
    known = [c for c, name in enumerate(sets[0].class_names) if c % 2]
    work, said = draws.ask(sets, ["LinearS2V"], known, 2), Said()
    draws.do(tmp_path, said, **work.arguments)
    assert said.lines[-1][:2] == (4, 4)
    expected = overlap_study(
        {"LinearS2V": get_method("LinearS2V")()},
        {data.name: data for data in sets},
        half_and_half(np.isin(np.arange(50), known), n_draws=2),
    )
    pd.testing.assert_frame_equal(draws.read(tmp_path, work), expected)
    assert draws.ask(sets, ["LinearS2V"], known[1:], 2).key != work.key


def test_costs_of_leaks_are_those_of_the_analysis(tmp_path):
    digits, said = load("digits"), Said()
    work = leak_cost.ask(digits, "PS", "LinearS2V", ["training"], choose=False)
    leak_cost.do(tmp_path, said, **work.arguments)
    expected = costs.table(
        costs.costs(
            get_method("LinearS2V")(), digits, digits.split("PS"), ["training"], choose=False
        )
    )
    read = leak_cost.read(tmp_path, work)
    params = ["clean_params", "leaky_params"]
    pd.testing.assert_frame_equal(read.drop(columns=params), expected.drop(columns=params))
    assert read["clean_params"][0] == expected["clean_params"][0]
    other = [
        leak_cost.ask(digits, "PS", "LinearS2V", ["training"], choose=True),
        leak_cost.ask(digits, "PS", "LinearV2S", ["training"], choose=False),
        leak_cost.ask(digits, "PS", "LinearS2V", ["selection"], choose=False),
    ]
    assert len({work.key, *(each.key for each in other)}) == 4
    with pytest.raises(DatasetError, match="expected data"):
        leak_cost.do(tmp_path, said, **work.arguments | {"digest": "other"})


def test_a_refused_run_is_told_and_stops_no_other(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(
        planning, "parallel", lambda *_, **__: nullcontext(lambda calls: map(run_call, calls))
    )
    spec = ComparisonSpec({"digits": load("digits").digest}, ("PS",), ("PrototypeCosine", "ESZSL"))
    work, said = compare.ask(spec), Said()
    compare.do(tmp_path, said, **json.loads(json.dumps(work.arguments)))
    (sentence,) = compare.read(tmp_path, work).values()
    assert sentence.startswith("PrototypeCosine on digits, split PS: ")
    assert [result.spec.method for result in ResultStore().results()] == ["ESZSL"]
    assert said.lines[-1][:2] == (2, 2)
    assert compare.ask(spec, attempt=1).key != work.key != compare.ask(spec, ["folds"]).key


def run_call(call):
    """Do what joblib would do in another process."""
    function, given, named = call
    return function(*given, **named)


PATH = RegularizationSpec("digits", "PS", "SAE", n_values=4)


def test_a_path_is_followed_and_read_as_it_was(tmp_path):
    work, said = follow.ask(PATH), Said()
    follow.do(tmp_path, said, **work.arguments)
    read, made = follow.read(tmp_path, work), PATH.follow()
    pd.testing.assert_frame_equal(read.table(), made.table())
    assert (read.method, read.params, read.origin) == (made.method, made.params, made.origin)
    np.testing.assert_array_equal(read.fold_harmonic, made.fold_harmonic)
    assert said.lines[-1] == (4, 4, "The test set")


def test_an_error_is_taken_apart_and_read_as_it_was(tmp_path):
    work, said = take_apart.ask(PATH), Said()
    take_apart.do(tmp_path, said, **work.arguments)
    read = take_apart.read(tmp_path, work)
    pd.testing.assert_frame_equal(read.table(), bias_variance.of_spec(PATH).table())
    n = read.class_draws * read.image_draws
    assert said.lines[-1] == (n, n, "Fitting to another training set")


def test_paths_with_other_values_or_parameters_are_other_works():
    specs = [PATH, replace(PATH, n_values=5), replace(PATH, params={"direction": "V2S"})]
    for kind in (follow, take_apart):
        assert len({kind.ask(spec).key for spec in specs}) == 3


def test_what_is_waited_for_is_small_and_goes_in_one_pass():
    digits, animals = load("digits"), load("simulated-AWA2")
    assert follow.is_quick(PATH, digits)
    assert follow.is_quick(PATH, animals)
    assert take_apart.is_quick(PATH, digits)
    assert not take_apart.is_quick(PATH, animals)
    assert not follow.is_quick(RegularizationSpec("digits", "PS", "ALE"), digits)


def test_large_scale_is_what_the_package_measures_and_tells_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    world = import_dataset(imagenet_world())
    work, said = large_scale.ask(LargeScaleSpec(world.name, world.digest, "ESZSL")), Said()
    large_scale.do(tmp_path, said, **work.arguments)
    read = large_scale.read(tmp_path, work)
    made = measure(LargeScaleSpec(world.name, world.digest, "ESZSL"), world)
    pd.testing.assert_frame_equal(read.table(), made.table())
    assert (read.params, read.validated) == (made.params, True)
    assert read.counts.curve("All").ausuc == made.counts.curve("All").ausuc
    row = int(made.rows[made.answers.classes[0]])
    pd.testing.assert_frame_equal(nearest_answers(read, row), nearest_answers(made, row))
    shares = [done / total for done, total, *_ in said.lines if total]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    with pytest.raises(DatasetError, match="expected data other"):
        large_scale.do(tmp_path, said, **work.arguments | {"digest": "other"})
    brief = large_scale.ask(LargeScaleSpec(**work.arguments), images=False)
    (tmp_path / "brief").mkdir()
    large_scale.do(tmp_path / "brief", said, **brief.arguments)
    without = large_scale.read(tmp_path / "brief", brief)
    assert without.answers is None
    pd.testing.assert_frame_equal(without.table(), made.table())
