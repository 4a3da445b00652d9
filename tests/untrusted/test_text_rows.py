"""Limits on rows of text: as Python objects, rows take tens of times the size of their file."""

import sys

import pytest

from zslcore.untrusted.readers import text_rows
from zslcore.untrusted.worker import Refused


def size_of(rows):
    """Return the bytes of rows in memory; repeated texts are counted once."""
    cells = {id(cell): cell for row in rows for cell in row}
    return sum(map(sys.getsizeof, rows)) + sum(map(sys.getsizeof, cells.values()))


@pytest.mark.parametrize("n_different", [1, 3000])
def test_the_limit_on_rows_counts_their_size_in_memory(tmp_path, monkeypatch, n_different):
    rows = [[f"images/{k % n_different:04}.jpg", "dog"] for k in range(3000)]
    monkeypatch.setattr(text_rows, "MAX_SHARED", 100)
    text_rows.write_cells(rows, "rows", 3000, tmp_path)
    read = [*text_rows.rows_in(tmp_path, 3000)]
    assert [[*row] for row in read] == rows
    monkeypatch.setattr(text_rows, "MAX_BYTES", round(0.9 * size_of(read)))
    with pytest.raises(Refused, match="expected rows that take at most .* of memory; got more"):
        text_rows.write_cells(rows, "rows", 3000, tmp_path)
    monkeypatch.setattr(text_rows, "MAX_BYTES", round(1.2 * size_of(read)))
    text_rows.write_cells(rows, "rows", 3000, tmp_path)


@pytest.mark.parametrize(
    "text", ["a,b\n" + "," * 70_000, '"\n",' * 70_000, "x" * (5 << 20)], ids=["line", "row", "long"]
)
def test_a_row_with_too_many_cells_is_refused_before_it_is_split(tmp_path, monkeypatch, text):
    (tmp_path / "a.csv").write_text(text)
    lengths = []
    counted = text_rows.csv.reader

    def reader(lines, **options):
        return counted((lengths.append(len(line)) or line for line in lines), **options)

    monkeypatch.setattr(text_rows.csv, "reader", reader)
    with pytest.raises(Refused, match="expected at most 65,536 columns; got"):
        text_rows.copy_text_rows(str(tmp_path / "a.csv"), "CSV", 100, tmp_path)
    assert sum(lengths) < 280_000
