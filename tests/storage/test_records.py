from dataclasses import dataclass, field

import pytest

from zslcore.storage.records import Schema, UnreadableError


@dataclass(frozen=True)
class Point:
    x: float
    by_class: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    name: str
    ends: tuple[Point, Point]


SCHEMA = Schema(Line, version=3)
LINE = Line("A", (Point(1.5, {3: 0.1, 20: 0.25}), Point(2.0)))


def test_a_record_is_read_unchanged():
    assert SCHEMA.load(SCHEMA.dump(LINE)) == LINE
    assert list(SCHEMA.load(SCHEMA.dump(LINE)).ends[0].by_class) == [3, 20]


def test_an_unknown_field_is_ignored():
    text = SCHEMA.dump(LINE).replace('"name"', '"mood": "good", "name"')
    assert SCHEMA.load(text) == LINE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "got text that is not JSON"),
        ("[]", "got a list"),
        ('{"schema": 4}', "got schema 4, this version reads 3"),
        ('{"schema": 0}', "got schema 0"),
        ('{"schema": "x"}', "got schema 'x'"),
        ('{"schema": 3, "name": "a"}', r"got values that do not fit \(ValidationError\)"),
        ('{"schema": 3, "name": "a", "ends": 7}', "got values that do not fit"),
        ('{"schema": 2, "name": "a"}', "got schema 2, this version reads 3"),
        ('{"name": "a"}', "got schema None, this version reads 3"),
    ],
)
def test_unreadable_records_are_refused_in_one_sentence(text, sentence):
    with pytest.raises(UnreadableError, match=f"^Line: expected a stored record; {sentence}"):
        SCHEMA.load(text)
