"""A file is there whole or not at all."""

import pytest

from zslcore.files import written_whole


def test_a_file_is_replaced_once_all_is_written(tmp_path):
    path = tmp_path / "not there yet" / "file"
    with written_whole(path) as file:
        file.write(b"first")
        assert not path.exists()
    with written_whole(path) as file:
        file.write(b"second")
        assert path.read_bytes() == b"first"
    assert path.read_bytes() == b"second"
    assert list(path.parent.iterdir()) == [path]


def test_who_may_read_a_file_is_what_the_system_says_of_any(tmp_path):
    (tmp_path / "any").touch()
    with written_whole(tmp_path / "file"):
        pass
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "any").stat().st_mode


def interrupted(path):
    with written_whole(path) as file:
        file.write(b"half of the second")
        raise KeyboardInterrupt


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"first")
    with pytest.raises(KeyboardInterrupt):
        interrupted(path)
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]
