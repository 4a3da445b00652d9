"""A text that lists images is no list of classes: the sentence says what to check instead."""

import pytest

from zslcore.exceptions import FileRefusedError
from zslcore.leakage.file_kinds import recognise_file


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("grizzly/1.jpg 3\ngrizzly/2.jpg 3\nfox/1.jpg 4\n", "the images of one part; check the"),
        ("a.png\nb.png\n", "the images of one part; check the folder"),
        ("a/1.jpg dog\nb/2.jpg cat\n", "the images of one part; check the folder"),
        ("1.jpg dog cat\n2.jpg cat cat\n", "columns image, label and predicted"),
        ("1.jpg,dog,cat\n2.jpg,cat,cat\n", "columns image, label and predicted"),
    ],
)
@pytest.mark.parametrize("name", ["train.txt", "list"])
def test_a_list_of_images_is_refused_with_the_next_step(tmp_path, name, text, sentence):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FileRefusedError, match=sentence):
        recognise_file(path)


@pytest.mark.parametrize("text", ["dog\ncat\n", "a.jpg\ndog\n", "tub/bath\nfox/dog\n"])
def test_other_lists_are_classes(tmp_path, text):
    path = tmp_path / "classes.txt"
    path.write_text(text)
    assert recognise_file(path).kind == "classes"
