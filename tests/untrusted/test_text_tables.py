"""Tables and texts as named arrays; other files are refused in one sentence."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from zslcore.exceptions import FileRefusedError
from zslcore.untrusted.client import ARRAYS, look_into
from zslcore.untrusted.readers import parquet_files, text_tables
from zslcore.untrusted.readers.text_tables import TextTable

pytestmark = pytest.mark.usefixtures("in_process")


def contents_of(path):
    return look_into(path, (*ARRAYS, "text"))


def text(tmp_path, content, name="a.csv"):
    (tmp_path / name).write_text(content)
    return contents_of(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "shapes"),
    [
        ("1\n2\n2\n", {"array": (3,)}),
        ("bat\nsea lion\n", {"array": (2,)}),
        ("1,2\n3,4\n5,6\n", {"array": (3, 2)}),
        ("1 2\n3 4\n", {"array": (2, 2)}),
        ("1\t2\n3\t4\n", {"array": (2, 2)}),
        ("label\n0\n1\n", {"label": (2,)}),
        ("class,a,b\nbat,1,2\n", {"class": (1,), "values": (1, 2), "columns": (2,)}),
        (",a,b\n0,1,2\n1,3,4\n", {"values": (2, 2), "columns": (2,)}),
        (",0,1\nbat,1,2\nsea lion,3,4\n", {"name": (2,), "values": (2, 2), "columns": (2,)}),
        (",0,1\n0,1,2\n1,3,4\n", {"values": (2, 2), "columns": (2,)}),
        (",0,2\nbat,1,2\n", {"0": (2,), "array": (2, 2)}),
        ('name;a;b\n"x, y";1;2\n', {"name": (1,), "values": (1, 2), "columns": (2,)}),
        (
            "label,split,f,g\n0,train,1,2\n",
            {"label": (1,), "split": (1,), "values": (1, 2), "columns": (2,)},
        ),
    ],
)
def test_columns_of_a_text_are_arrays(tmp_path, content, shapes):
    assert text(tmp_path, content).shapes == shapes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "expected 2 fields; got 1"),
        ("a,a\n1,2\n", "expected distinct column names"),
        ("\n \n", "expected a text file with lines; got none"),
        ("label,a\n", "expected rows below the column names; got none"),
        (",".join("1" * 20_000) + "\n", "expected at most 16,384 columns"),
    ],
)
def test_a_text_without_a_table_is_refused(tmp_path, content, message):
    with pytest.raises(FileRefusedError, match=message):
        text(tmp_path, content)


def test_a_text_too_large_for_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_tables, "MAX_TEXT", 10)
    with pytest.raises(FileRefusedError, match=r"at most 10 bytes; got 12; write it as \.npy"):
        text(tmp_path, "1,2\n" * 3)


def test_numbers_and_texts_of_one_column_are_texts(tmp_path):
    result = text(tmp_path, "label,a\n1,2\ndog,3\n1_0,nan\n")
    assert result.arrays["label"].tolist() == ["1", "dog", "1_0"]
    assert np.array_equal(result.arrays["a"], [2, 3, np.nan], equal_nan=True)
    result = text(tmp_path, 'label,a\n1,"2"\n1_0, 3\n\n7,4e-1\n')
    assert result.arrays["label"].tolist() == [1, 10, 7]
    assert result.arrays["a"].tolist() == [2, 3, 0.4]


@given(st.lists(st.lists(st.floats(width=64), min_size=3, max_size=3), min_size=1, max_size=9))
def test_numbers_are_those_that_python_reads(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    path.write_text("label,y,target\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    columns = TextTable(str(path)).values
    assert np.array_equal(np.stack(list(columns.values()), 1), np.array(rows), equal_nan=True)


def test_whole_numbers_take_a_few_times_their_text(tmp_path):
    """Python objects would take 20 times the size of the text, more than the limit."""
    path = tmp_path / "a.csv"
    rows = "".join(f"{k},{k + 50_000},{k + 100_000},{k + 150_000}\n" for k in range(50_000))
    path.write_text("a,b,c,d\n" + rows)
    tracemalloc.start()
    try:
        assert TextTable(str(path)).shape_and_itemsize("values") == ((50_000, 4), 8)
        assert tracemalloc.get_traced_memory()[1] < 8 * path.stat().st_size
    finally:
        tracemalloc.stop()


def write(tmp_path, table, metadata=None):
    table = table.replace_schema_metadata(metadata) if metadata else table
    parquet.write_table(table, tmp_path / "a.parquet")
    return contents_of(tmp_path / "a.parquet")


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 3)])
def test_lists_of_one_length_are_a_matrix(tmp_path, kind):
    X = np.arange(12, dtype=np.float32).reshape(4, 3)
    path = write(tmp_path, pa.table({"e": pa.array(X.tolist(), kind), "label": [0, 1, 1, 0]}))
    assert path.shapes == {"e": (4, 3), "label": (4,)}
    np.testing.assert_array_equal(path.rows("e"), X)


@pytest.mark.parametrize(
    "values",
    [
        *([[1.0, 2], [3]], [[1.0, 2], [3], [4, 5, 6]], [[1.0, 2], None], [[1.0, None], [2, 3]]),
        *([[], []], [["a"], ["b"]], [[[1.0]], [[2.0]]]),
    ],
)
def test_lists_of_other_forms_are_refused_and_the_rest_is_read(tmp_path, values):
    labels = list(range(len(values)))
    path = write(tmp_path, pa.table({"e": values, "label": labels}))
    assert "expected lists of numbers of equal length" in path.refused["e"]
    assert path.numbers("label").tolist() == labels


def test_a_table_without_rows_and_a_row_without_label_are_refused(tmp_path):
    empty = pa.table({"e": pa.array([], pa.list_(pa.float32())), "label": pa.array([], pa.int64())})
    assert "declares 0 bytes" in write(tmp_path, empty).refused["e"] or write(tmp_path, empty)
    path = write(tmp_path, pa.table({"label": ["a", None], "x": [1.0, 2]}))
    assert "expected a value in every row" in path.refused["label"]


@pytest.mark.parametrize(
    "features",
    [
        *("", "[", "[]", '{"info": 1}', '{"info": {"features": []}}'),
        '{"info": {"features": {"label": {"_type": "ClassLabel"}}}}',
        '{"info": {"features": {"label": {"_type": "ClassLabel", "names": [1]}}}}',
        '{"info": {"features": {"label": {"_type": "ClassLabel", "names": "ab"}}}}',
        "[" * 100_000,
    ],
)
def test_invalid_column_descriptions_name_no_class(tmp_path, features):
    table = pa.table({"label": [0, 1], "x": [1.0, 2.0]})
    assert "class_names" not in write(tmp_path, table, {"huggingface": features}).shapes


def test_class_names_are_read_from_the_column_description(tmp_path):
    features = {"label": {"_type": "ClassLabel", "names": ["bat", "cow"]}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    path = write(tmp_path, pa.table({"label": [0, 1], "x": [1.0, 2.0]}), metadata)
    assert path.names("class_names") == ("bat", "cow")


def test_a_truncated_parquet_file_is_refused_in_one_sentence(tmp_path):
    pd.DataFrame({"x": np.arange(1000.0), "y": 1.0}).to_parquet(tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    for cut in (4, 12, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b.parquet").write_bytes(whole[:cut])
        with pytest.raises(FileRefusedError, match="damaged or truncated"):
            contents_of(tmp_path / "b.parquet")


def test_the_rows_of_a_table_in_many_blocks_are_counted_once(tmp_path, monkeypatch):
    """Otherwise each of 60 columns would search the 60 columns of every block."""
    table = pa.table({f"list{k}": pa.array([[0.5, 1.0]] * 40) for k in range(60)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    looked = []
    real = parquet_files._column_sizes
    monkeypatch.setattr(
        parquet_files, "_column_sizes", lambda data: looked.append(data) or real(data)
    )
    result = contents_of(tmp_path / "a.parquet")
    assert set(result.shapes.values()) == {(40, 2)}
    assert len(looked) == 1
