"""Splits that are not zero-shot: one sentence and a link to Leakage, on every page."""

import numpy as np
import pytest

from tests.datasets import files
from tests.pages import visit
from ui.state import cache
from zslcore.datasets import Split, ZSLDataset, import_dataset
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import SplitError
from zslcore.methods import get_method


def odd(kind):
    """A data set with all test classes in training, or with a single class."""
    is_single = kind == "one class"
    labels = np.zeros(files.N, int) if is_single else files.LABELS
    rows = np.arange(files.N)
    split = Split.from_rows("own", labels, trainval=rows[::2], test_seen=[], test_unseen=rows[1::2])
    return ZSLDataset(
        name=kind.replace(" ", "-"),
        features=files.FEATURES,
        labels=labels,
        prototypes=files.ATT[:1] if is_single else files.ATT,
        class_names=files.CLASSES[:1] if is_single else files.CLASSES,
        splits=[split],
    )


@pytest.fixture(autouse=True, scope="module")
def _own_data(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("data")))
        for kind in ("all seen", "one class"):
            import_dataset(odd(kind))
        yield


@pytest.mark.parametrize("kind", ["all seen", "one class"])
def test_a_split_without_images_to_score_is_refused_in_one_sentence(kind):
    data = odd(kind)
    split = data.splits["own"]
    setting = Setting(data, split)
    for score in (setting.score, setting.transduce):
        with pytest.raises(SplitError, match="nothing can be scored") as caught:
            score(get_method("LinearS2V")())
        assert (caught.value.dataset, caught.value.split) == (data.name, "own")


@pytest.mark.parametrize("page", ["play", "about", "awa1_and_awa2", "leakage"])
def test_a_single_class_breaks_no_page(page):
    source = {"leakage_source": "a data set"} if page == "leakage" else {}
    visit(page, dataset="one-class", split="own", parameters="given", **source)


def test_data_replaced_by_another_process_are_opened_again():
    first = import_dataset(odd("all seen"), name="replaced")
    assert cache.dataset("replaced").digest == first.digest
    assert cache.dataset("replaced") is cache.dataset("replaced")
    # This stands for an import by another process.
    second = import_dataset(odd("one class"), name="replaced")
    assert second.digest != first.digest
    assert cache.dataset("replaced").digest == second.digest
    assert cache.names_of_classes("replaced") == second.class_names
