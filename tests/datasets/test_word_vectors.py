"""Word vectors: all common formats, only the requested words, and refusals of other files."""

import pickle

import numpy as np
import pytest

from zslcore.datasets.word_vectors import vectors_of_classes
from zslcore.exceptions import FileRefusedError

WORDS = {
    "blue": [1.0, 0.0, 2.0],
    "whale": [0.0, 1.0, 0.5],
    "ox": [3.0, 3.0, 3.0],
    "Persian_cat": [5.0, 6.0, 7.0],
    "persian": [9.0, 9.0, 9.0],
    "cat": [9.0, 9.0, 8.0],
    ". . name with spaces": [0.0, 0.0, 0.0],
}
CLASSES = ("blue+whale", "Ox", "003.persian_cat", "persian ox")
EXPECTED = [[0.5, 0.5, 1.25], [3.0, 3.0, 3.0], [5.0, 6.0, 7.0], [6.0, 6.0, 6.0]]


def text(header=False):
    lines = [f"{word} {' '.join(map(str, values))}" for word, values in WORDS.items()]
    return "\n".join([f"{len(WORDS)} 3"] * header + lines) + "\n"


def binary():
    out = f"{len(WORDS)} 3\n".encode()
    for word, values in WORDS.items():
        out += word.replace(" ", "_").encode() + b" " + np.array(values, "<f4").tobytes() + b"\n"
    return out


@pytest.mark.parametrize("form", ["glove.txt", "word2vec.vec", "vectors.bin", "vectors.npz"])
def test_every_format_gives_the_mean_over_the_words_of_a_name(form, tmp_path):
    path = tmp_path / form
    if form.endswith(".npz"):
        np.savez(path, vectors=np.array(list(WORDS.values())), words=np.array(list(WORDS)))
    elif form.endswith(".bin"):
        path.write_bytes(binary())
    else:
        path.write_text(text(header=form.endswith(".vec")))
    result = vectors_of_classes(path, CLASSES)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, EXPECTED)


def test_a_word_without_a_vector_is_named(tmp_path):
    (tmp_path / "glove.txt").write_text(text())
    with pytest.raises(FileRefusedError, match="word of each class; got none for 'red whale'"):
        vectors_of_classes(tmp_path / "glove.txt", ["ox", "red whale"])


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("model.kv", pickle.dumps({"a": 1}), "could run code: save it with KeyedVectors"),
        ("cut.bin", binary()[:60], "declares 7 words, but ends within word 4"),
        ("odd.txt", b"ox 1 2 3\nblue 1 x 3\nwhale 1 2 3\n", "line 2: expected 3 finite numbers"),
        ("nan.txt", b"ox 1 2 3\nblue 1 nan 3\n", "line 2: expected 3 finite numbers"),
        ("short.txt", b"ox 1 2 3\nblue 1 2\n", "line 2: expected 3 finite numbers"),
        ("zero.txt", b"\x00" * 4000, "line 1: expected a word and its numbers; got other bytes"),
        ("long.txt", b"a" * (1 << 18), "line 1: expected a word and its numbers; got other bytes"),
        ("bare.txt", b"ox\nblue\n", "line 1: expected a word and its numbers"),
        ("empty.txt", b"", "got none for 'blue whale', 'ox'"),
        ("nothing.bin", b"no sizes here", "expected the numbers of words and of dimensions"),
    ],
)
def test_other_files_are_refused_in_one_sentence(name, content, match, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileRefusedError, match=match):
        vectors_of_classes(tmp_path / name, ["blue whale", "ox"])
