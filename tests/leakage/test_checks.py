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


def test_labels_of_other_images_do_not_advise_to_take_classes_out():
    world = clean()
    n = world.n_rows // 2
    short = replace(world, labels=np.zeros(n, int), n_rows=n, features=None)
    (finding,) = [f for f in audit_context(short).of("ZSL001") if f.severity is Severity.FAIL]
    assert finding.advice.startswith("Give the labels of these images")
