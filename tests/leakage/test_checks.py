from pathlib import Path

from zslcore.leakage import CHECKS, checks


def test_every_file_of_checks_is_registered():
    files = {path.stem for path in Path(checks.__file__).parent.glob("[!_]*.py")}
    assert {check.run.__module__.rpartition(".")[2] for check in CHECKS} == files


def test_ids_are_stable_and_in_order():
    assert [check.id for check in CHECKS] == [f"ZSL{k:03d}" for k in range(1, 13)]


def test_a_check_says_its_id_in_its_docstring():
    for check in CHECKS:
        assert check.run.__doc__.startswith(check.id), check.id
