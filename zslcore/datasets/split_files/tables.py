"""Entries of a table with a column of parts, or with rows of one part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from zslcore.datasets.part_names import (
    CHECKSUM_TITLES,
    FLAGS,
    PART_TITLES,
    YES,
    composition_columns,
    is_unlabelled,
    part_of_cell,
    part_or_side,
    trains_and_tests,
)
from zslcore.datasets.split_files.columns import (
    TableColumns,
    are_titles_of_parts,
    find_columns,
    find_flags,
)
from zslcore.datasets.split_files.lists import quoted_names, read_lists, rows_as_images
from zslcore.datasets.split_lists import MULTI, Entries, drain, parent_folder
from zslcore.names import squeeze
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.readers.array_names import PREDICTED, first_named

#: Question on lists of images without labels.
NOT_COMPARED = (
    "Images without labels are not compared with test images: {}. For transductive training?"
)
#: Minimum number of columns of 0 and 1 that are read as one column per class.
MIN_MARKS = 3
#: Titles of a column with the number of a split.
FOLD_TITLES = ("fold", "foldid", "splitid", "splitnumber", "trial", "repeat", "seed")


def entries_of_table(
    file: str,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    part: str = "",
    *,
    take: bool = False,
) -> Entries | None:
    """Return the entries of a table by the titles of its columns; None for any other table.

    All rows belong to ``part``, unless it is empty. With ``take``, rows of images are removed from
    the list ``rows`` while they are read, which saves memory. Raises a FileRefusedError for a row
    of an image without a part.
    """
    if not rows or first_named(titles, PREDICTED):
        return None
    pair = composition_columns(titles)
    if pair:
        titles, rows = _add_compositions(file, titles, rows, pair)
    if not part and (flags := find_flags(titles, rows)):
        titles, rows = _replace_flags(titles, rows, flags)
    if are_titles_of_parts(titles):
        cells = zip(*(row for row in rows if len(row) == len(titles)), strict=True)
        named = ([cell for cell in column if cell.strip()] for column in cells)
        return read_lists(dict(zip(titles, named, strict=True)))
    columns = find_columns(titles, rows, of_one_part=bool(part))
    if {columns.image, columns.label} == {None} or (columns.where is None and not part):
        return None
    if (completed := _add_classes(file, titles, rows, columns)) is None:
        return None
    titles, rows, columns = completed
    if columns.where is not None:
        title = titles[columns.where]
        sides = () if columns.part is not None else FLAGS.get(squeeze(title), ())
        if columns.image is not None and "unseen" in sides:
            return None  # seen images may be training or test images
        if not sides and part_or_side(title):  # the first line is not a title
            rows = [titles, *rows]
            titles = [*titles[: columns.where], "", *titles[columns.where + 1 :]]
        _refuse_folds(file, titles, rows, columns.where)
    is_taken = take and columns.image is not None  # rows of classes may be read in another format
    lines = drain(rows) if is_taken and isinstance(rows, list) else rows
    entries = _read_rows(file, titles, lines, columns, part)
    if part or entries is None:
        return entries
    if pair:
        _divide_test(entries)
    if trains_and_tests(entries):
        return rows_as_images(entries)
    expect(columns.image is None, file, "rows of a training and a test part", ", ".join(entries))
    return None


def _add_compositions(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], pair: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    """Return a table with a column of classes, each of which is an attribute and an object."""
    composed = []
    for number, row in enumerate(rows, 1):
        expect(len(row) == len(titles), file, f"{len(titles)} fields in row {number}", len(row))
        composed.append([*row, " ".join(row[k] for k in pair)])
    return [*titles, "class"], composed


def _add_classes(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], columns: TableColumns
) -> tuple[Sequence[str], Sequence[Sequence[str]], TableColumns] | None:
    """Return a table, with a column of classes if only columns of 0 and 1 mark the classes.

    None for images with neither classes, folders nor row numbers.
    """
    if columns.label is not None:
        return titles, rows, columns
    complete = [row for row in rows if len(row) == len(titles)]
    images = [row[columns.image or 0] for row in complete]
    folders = {*map(parent_folder, images)}
    if len(folders) == 1 and (
        classes := _read_marked_classes(file, titles, complete, (columns.image, columns.where))
    ):
        rows = [[*row, name] for row, name in zip(complete, classes, strict=True)]
        return [*titles, "class"], rows, columns._replace(label=len(titles))
    if "" in folders and not all(map(str.isdecimal, images)):
        return None
    return titles, rows, columns


def _read_rows(
    file: str,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    columns: TableColumns,
    part: str,
) -> Entries | None:
    """Return the entries of rows by the columns of the image, the class and the part.

    None if a row of a class has no part; raises a FileRefusedError if a row of an image has none.
    """
    image, label, where = columns.image, columns.label, columns.where or 0
    words = [*map(squeeze, titles)]
    entries = Entries()
    checksum = next((k for k, word in enumerate(words) if word in CHECKSUM_TITLES), None)
    for k, row in enumerate(rows, 1):
        expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        name = part or part_of_cell(words[where], row[where])
        if image is not None and not name and is_unlabelled(row[where]):
            entries.questions = (NOT_COMPARED.format(row[where]),)
            continue
        if image is None and not name:
            return None
        if image is not None and (not name or name in ("seen", "unseen")):
            parts = "train, val, test, test_seen, test_unseen or trainval"
            expected = f"{parts} in the column {titles[where]!r}, row {k}"
            raise refusal_of(file, expected, clean_text(row[where], 40) or "none")
        file_name = "" if image is None else row[image].strip()
        label_of_row = parent_folder(file_name) if label is None else row[label].strip()
        if checksum is not None and row[checksum].strip():
            entries.checksums[file_name] = row[checksum].strip()
        # A table with one row per part may list its classes in one cell.
        is_list = image is None and label_of_row[:1] == "["
        labels = (is_list and quoted_names(label_of_row)) or [label_of_row]
        entries.setdefault(name, []).extend((file_name, of_row) for of_row in labels)
    return entries


def _divide_test(entries: Entries) -> None:
    """Divide the test part, which may have seen compositions, by the training compositions."""
    trained = {label for name in ("train", "trainval") for _, label in entries.get(name, ())}
    for entry in entries.pop("test", []):
        side = "test_seen" if entry[1] in trained else "test_unseen"
        entries.setdefault(side, []).append(entry)


def _replace_flags(
    titles: Sequence[str], rows: Sequence[Sequence[str]], marks: Mapping[int, str]
) -> tuple[list[str], list[list[str]]]:
    """Return a table with a column of parts instead of one column of yes and no per part."""
    kept_columns = [k for k in range(len(titles)) if k not in marks]
    marked = [
        [*(row[k] for k in kept_columns), part]
        for row in rows
        for k, part in marks.items()
        if len(row) == len(titles) and row[k].strip().lower() in YES
    ]
    return [*(titles[k] for k in kept_columns), PART_TITLES[0]], marked


def _refuse_folds(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], where: int
) -> None:
    """Refuse a table of several splits, in which most rows are repeated in other folds."""
    fold = next((k for k, title in enumerate(titles) if squeeze(title) in FOLD_TITLES), None)
    if fold is None or fold == where:
        return
    parts: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for row in rows:
        if len(row) == len(titles):
            entry = tuple(cell for k, cell in enumerate(row) if k not in (fold, where))
            parts.setdefault(entry, {}).setdefault(row[fold], set()).add(row[where])
    folds = sorted({name for of_entry in parts.values() for name in of_entry})
    n_moved = sum(len(set().union(*of_entry.values())) > 1 for of_entry in parts.values())
    if n_moved and 2 * sum(len(of_entry) > 1 for of_entry in parts.values()) >= len(parts):
        got = f"{len(folds)} in the column {clean_text(titles[fold], 40)!r}"
        advice = f"write one file for each, such as the rows of {clean_text(folds[0], 40)!r}"
        raise refusal_of(file, "one split per file", f"{got}; {advice}")


def _read_marked_classes(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], used: Collection[int | None]
) -> list[str]:
    """Return the class of each row in a table with one column of 0 and 1, or -1 and 1, per class.

    Returns [] without such columns. Raises a FileRefusedError for a row with several classes.
    """
    marks = [
        k
        for k in range(len(titles))
        if k not in used and {row[k].strip().removesuffix(".0") for row in rows} <= {"0", "1", "-1"}
    ]
    if len(marks) < MIN_MARKS:
        return []
    classes = [[titles[k] for k in marks if float(row[k]) == 1] for row in rows]
    for number, classes_of_row in enumerate(classes, 1):
        if len(classes_of_row) != 1:
            names = clean_text(", ".join(classes_of_row), 60) or "none"
            raise refusal_of(f"{file}, row {number}", "one class per image", f"{names}; {MULTI}")
    return [classes_of_row[0] for classes_of_row in classes]
