import json

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.writing import as_cells, write_mat73
from zslcore.datasets import load, read_xlsa17
from zslcore.datasets.embeddings import read_class_embeddings
from zslcore.exceptions import FileRefusedError, ParameterError

pytestmark = pytest.mark.usefixtures("own_data")

RNG = np.random.default_rng(1)
VECTORS = RNG.normal(size=(5, 3)).astype(np.float32)
#: Classes of a standard split with lists in an arbitrary order.
TEST, TRAINVAL = ["zebra", "bat"], ["seal", "otter", "grizzly+bear"]


@pytest.fixture
def folder(tmp_path, in_process):
    folder = files.write_folder(tmp_path / "Toy")
    files.write_lists(folder / "standard_split", testclasses=TEST, trainvalclasses=TRAINVAL)
    vector_of = {name: VECTORS[files.CLASSES.index(name)] for name in files.CLASSES}
    several = {
        "test_word2vec": np.stack([vector_of[name] for name in TEST], 1),
        "trainval_word2vec": np.stack([vector_of[name] for name in TRAINVAL], 1),
        "test_short": VECTORS[:1].T,
        "trainval_short": VECTORS[:3].T,
        "test_odd": VECTORS[:2, :2].T,
        "trainval_odd": VECTORS[:3].T,
    }
    savemat(folder / "class_embeddings.mat", several)
    return folder


def write_lines(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def as_csv(path, names=files.CLASSES):
    rows = (f"{name},{','.join(map(repr, map(float, VECTORS[k])))}" for k, name in enumerate(names))
    return write_lines(path, ["class,x,y,z", *rows])


def test_columns_in_the_order_of_the_lists_are_sorted_like_the_classes(folder):
    plain = read_xlsa17(folder)
    ds = read_xlsa17(folder, prototypes="class_embeddings.mat", embedding="word2vec")
    np.testing.assert_array_equal(ds.prototypes, VECTORS)
    assert ds.name == "Toy-word2vec"
    assert "word2vec of class_embeddings.mat" in ds.source
    np.testing.assert_array_equal(ds.features, plain.features)
    np.testing.assert_array_equal(ds.splits["PS"].trainval, plain.splits["PS"].trainval)
    assert ds.digest != plain.digest
    np.testing.assert_array_equal(load("Toy-word2vec").prototypes, VECTORS)


@pytest.mark.parametrize(
    "form", ["index", "title", "semicolons", "decimal commas", "no title", "words"]
)
def test_tables_of_class_embeddings_in_other_forms(tmp_path, in_process, form):
    table = pd.DataFrame(VECTORS, columns=["a", "b", "c"], index=list(files.CLASSES))
    path = tmp_path / ("mine.txt" if form == "words" else "mine.csv")
    if form in ("index", "no title"):
        table.to_csv(path, header=form == "index")
    elif form == "words":
        table.to_csv(path, sep=" ", header=False)
    else:
        title = "Name" if form == "title" else "class"
        options = {} if form == "title" else {"sep": ";"}
        options |= {"decimal": ","} if form == "decimal commas" else {}
        table.to_csv(path, index_label=title, **options)
    result = read_class_embeddings(path)
    assert result.classes == tuple(files.CLASSES)
    assert result.names == (() if form in ("no title", "words") else ("a", "b", "c"))
    np.testing.assert_array_equal(result.values, VECTORS)


NAMES = ["bat", "grizzly bear", "zebra"]
ROWS = VECTORS[:3].tolist()
FORMS = {
    "records.json": json.dumps(
        [{"class": name, "embedding": row} for name, row in zip(NAMES, ROWS, strict=True)]
    ),
    "lists.json": json.dumps({"classes": NAMES, "embeddings": ROWS}),
    "lines.jsonl": "".join(
        json.dumps({"name": name, "vector": row}) + "\n"
        for name, row in zip(NAMES, ROWS, strict=True)
    ),
    "block.yaml": "".join(f"{name}: {row}\n" for name, row in zip(NAMES, ROWS, strict=True)),
    "words.txt": "".join(
        f"{name} {' '.join(map(str, row))}\n" for name, row in zip(NAMES, ROWS, strict=True)
    ),
    "columns.csv": pd.DataFrame(VECTORS[:3].T, columns=NAMES).to_csv(index=False),
}


@pytest.mark.parametrize("name", [*FORMS, "rows.npz", "columns.npz", "vectors.npz"])
def test_one_list_of_classes_and_one_matrix_or_a_vector_each(tmp_path, in_process, name):
    path = tmp_path / name
    if name in FORMS:
        path.write_text(FORMS[name])
    elif name == "vectors.npz":
        np.savez(path, **dict(zip(NAMES, VECTORS, strict=False)))
    else:
        rows = VECTORS[:3, :2] if name == "rows.npz" else VECTORS[:3, :2].T
        np.savez(path, words=np.array(NAMES), clip=rows)
    read = read_class_embeddings(path).of(["zebra", "Grizzly_Bear"])
    expected = VECTORS[[2, 1], : 2 if name.endswith(("rows.npz", "columns.npz")) else 3]
    np.testing.assert_allclose(read, expected, rtol=1e-6)


@pytest.mark.parametrize("text", ["a b 1 2\nc d 1\n", "bat: [1, 2]\nant: [1]\n", "a b c\nd e f\n"])
def test_vectors_of_several_lengths_are_refused(tmp_path, in_process, text):
    path = write_lines(tmp_path / ("e.yaml" if ":" in text else "e.txt"), [text])
    with pytest.raises(FileRefusedError):
        read_class_embeddings(path)


@pytest.mark.parametrize("turned", [False, True])
def test_a_csv_is_matched_by_names(folder, tmp_path, turned):
    names = [name.replace("+", "_") for name in files.CLASSES]
    path = as_csv(tmp_path / "mine.csv", names)
    if turned:
        head, *rows = path.read_text().splitlines()
        write_lines(path, [head, *rows[::-1]])
    ds = read_xlsa17(folder, prototypes=path)
    np.testing.assert_array_equal(ds.prototypes, VECTORS)
    assert ds.attribute_names == ("x", "y", "z")
    assert ds.name == "Toy-mine"


def test_att_is_matched_to_classes_by_allclasses_names(folder, tmp_path):
    order = [4, 2, 0, 1, 3]
    names = as_cells([files.CLASSES[k] for k in order])
    savemat(tmp_path / "binary.mat", {"att": VECTORS[order].T, "allclasses_names": names})
    ds = read_xlsa17(folder, prototypes=tmp_path / "binary.mat")
    np.testing.assert_array_equal(ds.prototypes, VECTORS)


def test_an_earlier_import_does_not_change(folder):
    before = read_xlsa17(folder)
    read_xlsa17(folder, prototypes="class_embeddings.mat", embedding="word2vec")
    assert read_xlsa17(folder).digest == before.digest == load("Toy").digest


@pytest.mark.parametrize(
    ("embedding", "sentence"),
    [
        ("glove", "variable 'test_glove'"),
        ("short", r"one column per class of the test list \(2\); got 1"),
        ("odd", "as many rows in 'test_odd' as in 'trainval_odd'; got 2 and 3"),
        (None, "expected 'att' and 'allclasses_names'"),
    ],
)
def test_mismatched_files_are_refused(folder, embedding, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        read_xlsa17(folder, prototypes="class_embeddings.mat", embedding=embedding)


def test_a_variable_name_cannot_be_a_path(folder):
    with pytest.raises(ParameterError, match="letters, digits and underscores"):
        read_xlsa17(folder, prototypes="class_embeddings.mat", embedding="../../x")


def test_an_embedding_needs_its_file(folder, tmp_path):
    with pytest.raises(ParameterError, match="expected this file"):
        read_xlsa17(folder, embedding="word2vec")
    with pytest.raises(ParameterError, match="a CSV file has only one embedding"):
        read_xlsa17(folder, prototypes=as_csv(tmp_path / "mine.csv"), embedding="word2vec")


def test_without_class_lists_the_order_of_embeddings_is_unknown(folder):
    (folder / "standard_split" / "testclasses.txt").unlink()
    with pytest.raises(FileRefusedError, match=r"testclasses\.txt in the folder standard_split"):
        read_xlsa17(folder, prototypes="class_embeddings.mat", embedding="word2vec")


def test_classes_without_a_vector_are_named(folder, tmp_path):
    path = as_csv(tmp_path / "mine.csv", ["grizzly bear", "otter", "zebra", "bat", "walrus"])
    with pytest.raises(FileRefusedError, match=r"none for 1 of them; the first is 'seal'"):
        read_xlsa17(folder, prototypes=path)
    path = as_csv(tmp_path / "mine.csv", ["grizzly bear", "grizzly+bear", "zebra", "bat", "seal"])
    with pytest.raises(FileRefusedError, match=r"got 'grizzly bear' and 'grizzly\+bear'"):
        read_xlsa17(folder, prototypes=path)


def test_zslcore_import_accepts_class_embeddings(folder, printed):
    request = ["import", str(folder), "--prototypes", "class_embeddings.mat"]
    assert "Toy-word2vec\n" in printed(*request, "--embedding", "word2vec")
    assert "with embedding= (--embedding)" in printed(*request, status=2)


def test_the_released_embeddings_of_cub_are_its_attributes_and_more(shared, tmp_path):
    """The attributes in the released file equal those of the benchmark, class by class."""
    cub = shared / "data/xlsa17/CUB"
    if not (cub / "class_embeddings.mat").exists():
        pytest.skip("needs the class embeddings of CUB")
    from zslcore.datasets.embeddings import read_class_embeddings
    from zslcore.datasets.xlsa17 import read_split_arrays

    splits = read_split_arrays(cub / "att_splits.mat")
    lists = {path.name: path for path in (cub / "standard_split").glob("*.txt")}
    read = read_class_embeddings(cub / "class_embeddings.mat", "cont", lists)
    values = read.of(splits["allclasses_names"].tolist())
    cosine = (values * splits["att"]).sum(axis=1)
    np.testing.assert_allclose(cosine, 1, atol=1e-5)


IDS = ("n01440764", "n01443537", "n01484850", "n01491361")


def words(path, **changes):
    """Word vectors of four classes in the layout of ``ImageNet_w2v.mat``, MATLAB 7.3."""
    vectors = VECTORS[:4].astype(float)
    vectors[2] = np.nan
    tables = {"w2v": vectors, "wnids": as_cells(IDS), "no_w2v_loc": np.array([[3.0]])}
    write_mat73(path, tables | changes)
    return path


@pytest.mark.usefixtures("in_process")
def test_word_vectors_of_imagenet_are_read_as_released(tmp_path):
    result = read_class_embeddings(words(tmp_path / "ImageNet_w2v.mat"))
    assert result.classes == IDS
    np.testing.assert_array_equal(result.values[2], 0)
    np.testing.assert_array_equal(result.of(IDS[:2]), VECTORS[:2])
    with pytest.raises(FileRefusedError, match="none for 1 of them; the first is 'n01484850'"):
        result.of(IDS)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"no_w2v_loc": np.array([[9.0]])}, r"numbers 1\.\.4; got 9 "),
        ({"no_w2v_loc": np.array([[1.0]])}, r"got other values in row 3 \(n01484850\)"),
        ({"wnids": as_cells(IDS[:3])}, r"as many names in wnids as rows in w2v \(4\); got 3"),
        ({"wnids": as_cells([IDS[0]] * 4)}, "each class once in wnids"),
        ({"wnids": np.ones((4, 1))}, "expected a list of strings"),
    ],
)
def test_word_vectors_that_do_not_fit_are_refused(tmp_path, changes, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        read_class_embeddings(words(tmp_path / "ImageNet_w2v.mat", **changes))


@pytest.mark.usefixtures("in_process")
def test_own_shards_use_the_released_word_vectors(tmp_path):
    from zslcore.datasets.imagenet import imagenet
    from zslcore.large.shards import write_shards
    from zslcore.large.sources import imagenet_of_shards

    facts = imagenet()
    ids = [facts.synsets[c] for c in (*np.flatnonzero(facts.seen)[:3], 1500)]
    y = np.repeat(np.arange(4), 5)
    X = RNG.normal(size=(20, 2)).astype(np.float32)
    write_shards(tmp_path / "mine", iter([(X, y)]))
    path = words(tmp_path / "w.mat", wnids=as_cells(ids))
    data = imagenet_of_shards(tmp_path / "mine", path)
    assert data.class_names == tuple(ids)
    np.testing.assert_array_equal(data.split("own").unseen_classes, [3])
