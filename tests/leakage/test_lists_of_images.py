"""A text that lists images is no list of classes, and its refusal names the next step."""

import pytest

from tests.writing import write_file
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
    with pytest.raises(FileRefusedError, match=sentence):
        recognise_file(write_file(path, text))


@pytest.mark.parametrize("text", ["dog\ncat\n", "a.jpg\ndog\n", "tub/bath\nfox/dog\n"])
def test_lists_without_image_names_are_class_lists(tmp_path, text):
    assert recognise_file(write_file(tmp_path / "classes.txt", text)).kind == "classes"


@pytest.mark.parametrize(
    "text",
    [
        "AWA2\nThis archive contains ResNet-101 features.\n- train: run `python train.py`\n",
        "Epoch 1 loss 2.31 H 0.14\nEpoch 2 loss 2.26 H 0.15\n",
        "seen accuracy: 71.2\nunseen accuracy: 52.1\nH: 60.2\n",
        "numpy>=1.21\nscipy\ntorch==1.13.1\nh5py\n",
        "## Training\npython train.py --data CUB\n## Testing\npython test.py --data CUB\n",
        "Train:\nRun the following command.\nTest:\nRun the evaluation script.\n",
        "Train:\nloss 2.3 acc 0.51\nTest:\nloss 2.4 acc 0.48\n",
        "train = load('train')\ntest = load('test')\nfor epoch in range(3):\n    pass\n",
    ],
)
@pytest.mark.parametrize("name", ["README", "out.txt"])
def test_texts_of_code_metrics_or_sentences_are_refused(tmp_path, name, text):
    path = tmp_path / name
    with pytest.raises(
        FileRefusedError, match="got a text file with code, metrics or sentences|fraction"
    ):
        recognise_file(write_file(path, text))


@pytest.mark.parametrize(
    "text",
    [
        "a photo of a dog.\na photo of a fox.\na photo of an ox.\n",
        "Putting something into something\nPulling something from behind of something\n",
        "St. Bernard\nMt. Rainier\nBoeing 737-800\nC++\n",
        "Train:\ndog\nfox\nTest:\nbat\nowl\n",
        "0: 'tench',\n1: 'goldfish',\n",
    ],
)
def test_class_names_with_punctuation_are_class_lists(tmp_path, text):
    assert recognise_file(write_file(tmp_path / "classes.txt", text)).kind in ("classes", "split")
