"""Damaged files of every kind, read in this process if the readers cannot crash it."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.datasets.conftest import in_process
from tests.hostile import predictions, scores
from tests.hostile.answers import spoil_folder, spoiled_answer
from tests.hostile.making import BOMBS, NAMES, honest, spoiled
from tests.hostile.trying import is_a_sentence, tried
from zslcore.datasets.table import read_table
from zslcore.untrusted import answers

__all__ = ["in_process"]

#: Damaged files per kind: the same ones each time, unless more are requested.
MORE = os.environ.get("ZSL_HOSTILE")
COUNT = int(MORE or 25)
KINDS = ("npz", "csv", "prototypes", "split", "toml", "list")


def verdicts_on(kind, honest, into, spoil, times=1):
    """Return the outcomes of reading damaged files; Hypothesis shrinks a failing case."""
    verdicts = set()

    @settings(
        derandomize=MORE is None,
        max_examples=times * COUNT,
        suppress_health_check=list(HealthCheck),
    )
    @given(rng=st.randoms(use_true_random=False))
    def look(rng):
        verdict, text = tried(kind, spoil(rng), honest, into)
        verdicts.add(verdict)
        assert verdict != "broken", text

    look()
    return verdicts


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return honest(tmp_path_factory.mktemp("honest"))


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_accepted_or_refused_in_one_sentence(kind, good, tmp_path):
    spoil_and_try(kind, good, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["mat", "hdf5"])
def test_a_damaged_file_with_a_reader_that_may_crash_is_accepted_or_refused(kind, good, tmp_path):
    spoil_and_try(kind, good, tmp_path)


def spoil_and_try(kind, good, tmp_path):
    path = tmp_path / good[kind].name

    def spoil(rng):
        path.write_bytes(spoiled(good[kind].read_bytes(), rng))
        return path

    verdicts = verdicts_on(kind, good, tmp_path, spoil)
    assert "refused" in verdicts or kind == "list"  # any text is a list of names


#: Bombs that take seconds to create or to refuse, or need a separate process.
SLOW = (0, 4, 5, 9, 14, 15)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("n", [n for n, (_, make) in enumerate(BOMBS) if n not in SLOW])
def test_a_bomb_is_refused_in_one_sentence(n, good, tmp_path):
    drop(n, good, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("n", SLOW)
def test_a_bomb_is_refused_by_a_separate_process(n, good, tmp_path):
    drop(n, good, tmp_path)


def drop(n, good, tmp_path):
    kind, make = BOMBS[n]
    path = tmp_path / good[kind].name
    path.write_bytes(make())
    verdict, text = tried(kind, path, good, tmp_path)
    assert verdict == "refused", text


@pytest.mark.usefixtures("in_process")
def test_a_name_with_a_meaning_elsewhere_is_accepted_or_refused(good, tmp_path):
    lines = good["prototypes"].read_text().splitlines()
    for name in NAMES:
        side = tmp_path / "prototypes.csv"
        quoted = '"' + name.replace('"', '""') + '"'
        with side.open("w", encoding="utf-8", errors="surrogatepass") as file:
            file.write("\n".join([*lines, f"{quoted},1,2,3,4"]) + "\n")
        verdict, text = tried("prototypes", side, good, tmp_path)
        assert verdict != "broken", text
        if verdict == "accepted":
            table = read_table(good["csv"], prototypes=side).class_names[-1]
            assert table.isprintable()
            assert len(table) <= 200


@pytest.fixture(scope="module")
def good_scores(tmp_path_factory):
    return scores.honest_scores(tmp_path_factory.mktemp("scores"))


@pytest.mark.nightly
@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("kind", [kind for kind in scores.KINDS if kind != "scores mat"])
def test_damaged_scores_are_evaluated_or_refused_in_one_sentence(kind, good_scores, tmp_path):
    assert tried(kind, good_scores[kind], good_scores, tmp_path) == ("accepted", "")
    content, path = good_scores[kind].read_bytes(), tmp_path / good_scores[kind].name

    def spoil(rng):
        scores.spoiled_scores(kind, path, content, rng)
        return path

    assert "refused" in verdicts_on(kind, good_scores, tmp_path, spoil)


@pytest.mark.usefixtures("in_process")
def test_damaged_predictions_are_evaluated_or_refused_in_one_sentence(tmp_path):
    good = predictions.honest_predictions(tmp_path / "honest")
    assert tried("predictions", good, {}, tmp_path) == ("accepted", "")
    path = tmp_path / "predictions.parquet"

    def spoil(rng):
        predictions.spoiled_predictions(path, good.read_bytes(), rng)
        return path

    verdicts = verdicts_on("predictions", {}, tmp_path, spoil, times=2)
    assert verdicts == {"accepted", "refused"}


@pytest.mark.nightly
@pytest.mark.usefixtures("in_process")
# NumPy warns of huge shapes
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize(
    "kind",
    [*KINDS, "mat", "hdf5", "predictions", *(f"scores {k}" for k in ("npz", "csv", "parquet"))],
)
def test_any_answer_of_a_worker_is_read_or_refused(kind, good, good_scores, tmp_path, monkeypatch):
    real, honest = answers.call, good | good_scores
    honest["predictions"] = predictions.honest_predictions(tmp_path / "honest")

    def spoil(rng):
        def call(*arguments, out, **limits):
            answer = real(*arguments, out=out, **limits)
            spoil_folder(out, rng)
            return spoiled_answer(answer, rng) if rng.random() < 0.7 else answer

        monkeypatch.setattr(answers, "call", call)
        return honest[kind]

    assert "refused" in verdicts_on(kind, honest, tmp_path, spoil, times=4)


@pytest.mark.parametrize(
    "message", ["KeyError: 'y'.", "two\nlines.", "no end", "<object at 0x7f>.", "x" * 6000 + "."]
)
def test_messages_that_are_not_one_sentence_count_as_broken(message):
    assert not is_a_sentence(message)
    assert is_a_sentence("own.npz, scores: expected a matrix; got the shape (3,).")
