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
from zslcore.datasets.split_files.columns import are_titles_of_parts, find_columns, find_flags
from zslcore.datasets.split_files.lists import quoted_names, read_lists, rows_as_images
from zslcore.datasets.split_lists import MULTI, Entries, drain, parent_folder
from zslcore.names import squeeze
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.readers.array_names import PREDICTED, first_named

#: Question on lists of images without labels.
NOT_COMPARED = (
    "Images without labels are not compared with test images: {}. For transductive training?"
)
#: Smallest number of columns of 0 and 1 that are read as one column per class.
FEWEST_MARKS = 3
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

    If ``part`` is given, all rows belong to it. With ``take``, rows of images are removed from the
    list. Raises a FileRefusedError for a row of an image without a part.
    """
    if not rows or first_named(titles, PREDICTED):
        return None
    pair = composition_columns(titles)
    if pair:
        for k, row in enumerate(rows, 1):
            expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        titles, rows = [*titles, "class"], [[*row, " ".join(row[k] for k in pair)] for row in rows]
    if not part and (marks := find_flags(titles, rows)):
        titles, rows = _replace_flags(titles, rows, marks)
    if are_titles_of_parts(titles):
        columns = zip(*(row for row in rows if len(row) == len(titles)), strict=True)
        named = ([cell for cell in column if cell.strip()] for column in columns)
        return read_lists(dict(zip(titles, named, strict=True)))
    image, label, place, where = find_columns(titles, rows, of_one_part=bool(part))
    if (image is None and label is None) or (where is None and not part):
        return None
    if label is None and (complete := [row for row in rows if len(row) == len(titles)]):
        folders = {parent_folder(row[image or 0]) for row in complete}
        if len(folders) == 1 and (
            classes := _read_marked_classes(file, titles, complete, (image, where))
        ):
            label, titles = len(titles), [*titles, "class"]
            rows = [[*row, name] for row, name in zip(complete, classes, strict=True)]
        elif "" in folders and not all(row[image or 0].isdecimal() for row in complete):
            return None  # the images have neither classes nor row numbers
    words = [*map(squeeze, titles)]
    if image is not None and place is None and "unseen" in FLAGS.get(words[where or 0], ()):
        return None  # seen images may be training or test images
    # The first line is not a title.
    has_parts = where is not None and (place is not None or words[where] not in FLAGS)
    if where is not None and has_parts and part_or_side(titles[where]):
        rows = [titles, *rows]
        titles = [*titles[:where], "", *titles[where + 1 :]]
    if where is not None:
        _refuse_folds(file, titles, rows, where)
    is_taken = take and image is not None  # rows of classes may be read in another format
    lines = drain(rows) if is_taken and isinstance(rows, list) else rows
    entries = _read_rows(file, titles, lines, (image, label, where), part)
    if part or entries is None:
        return entries
    if pair:
        _divide_test(entries)
    if trains_and_tests(entries):
        return rows_as_images(entries)
    expect(image is None, file, "rows of a training and a test part", ", ".join(entries))
    return None


def _read_rows(
    file: str,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    columns: tuple[int | None, int | None, int | None],
    part: str,
) -> Entries | None:
    """Return the entries of rows by the columns of the image, the class and the part.

    None if a row of a class has no part; raises a FileRefusedError if a row of an image has none.
    """
    image, label, where = columns
    words = [*map(squeeze, titles)]
    entries = Entries()
    checksum = next((k for k, word in enumerate(words) if word in CHECKSUM_TITLES), None)
    for k, row in enumerate(rows, 1):
        expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        name = part or part_of_cell(words[where or 0], row[where or 0])
        if image is not None and not name and is_unlabelled(row[where or 0]):
            entries.questions = (NOT_COMPARED.format(row[where or 0]),)
            continue
        if image is None and not name:
            return None
        if image is not None and (not name or name in ("seen", "unseen")):
            title, cell = titles[where or 0], clean_text(row[where or 0], 40) or "none"
            parts = "train, val, test, test_seen, test_unseen or trainval"
            raise refusal_of(file, f"{parts} in the column {title!r}, row {k}", cell)
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
    """Refuse a table of several splits: most rows differ only in part and fold from others."""
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
    if len(marks) < FEWEST_MARKS:
        return []
    classes = [[titles[k] for k in marks if float(row[k]) == 1] for row in rows]
    for number, of_one in enumerate(classes, 1):
        if len(of_one) != 1:
            names = clean_text(", ".join(of_one), 60) or "none"
            raise refusal_of(f"{file}, row {number}", "one class per image", f"{names}; {MULTI}")
    return [of_one[0] for of_one in classes]
