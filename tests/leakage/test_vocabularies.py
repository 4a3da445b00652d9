import pytest

from tests.writing import write_file
from zslcore.exceptions import FileRefusedError, UnknownNameError
from zslcore.leakage import get_vocabulary, read_vocabulary
from zslcore.leakage.loading import vocabulary_of
from zslcore.leakage.vocabularies import MAX_LETTERS, MAX_NAMES, is_understood


def test_an_own_vocabulary_is_read_with_ids_synonyms_and_comments(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# my classes\nn02391049 zebra\npersian cat, Persian\n\nta-ta  # a comment\n")
    vocabulary = read_vocabulary(path)
    assert vocabulary.name == "mine"
    assert [entry.names for entry in vocabulary.entries] == [
        ("zebra",),
        ("persian cat", "Persian"),
        ("ta-ta",),
    ]
    assert vocabulary.entries[0].synset == "n02391049"
    assert vocabulary_of(str(path)) == vocabulary


def test_a_misspelt_vocabulary_gets_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'imagenet-1k'"):
        get_vocabulary("imagenet1k")
    with pytest.raises(UnknownNameError, match="did you mean 'kinetics-400'"):
        vocabulary_of("kinetics-40")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "got none"), (b"# nothing\n", "got none"), (b"x" * (9 << 20), "at most")],
)
def test_invalid_lists_are_refused(tmp_path, content, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        read_vocabulary(write_file(tmp_path / "list.txt", content))


def test_a_missing_list_is_refused(tmp_path):
    with pytest.raises(FileRefusedError):
        vocabulary_of(tmp_path / "none.txt")


@pytest.mark.parametrize("line", ["ab," * 600, "ant" * 600, "aB" * 900])
def test_a_list_of_more_names_than_can_be_compared_is_refused(tmp_path, line):
    path = write_file(tmp_path / "mine.txt", "\n".join([line] * 1500))
    with pytest.raises(FileRefusedError, match="expected at most 100,000 names"):
        read_vocabulary(path)
    assert len(read_vocabulary(write_file(path, "\n".join([line] * 100))).entries) == 100


def test_the_longest_vocabulary_is_within_the_limit_for_uploads():
    entries = get_vocabulary("imagenet-21k").entries
    assert 2 * sum(len(entry.names) for entry in entries) < MAX_NAMES
    assert 2 * sum(len(str(entry)) for entry in entries) < MAX_LETTERS


def test_names_of_products_with_a_year_are_not_understood():
    names = ["Jeep Wrangler SUV 2012", "chimpanzee 12", "brown pelican"]
    assert [is_understood(name) for name in names] == [False, False, True]
