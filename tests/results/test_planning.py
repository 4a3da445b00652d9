"""What a plan of runs makes once."""

from tests.worlds import linear_world
from zslcore.evaluation import protocol
from zslcore.results.planning import Plan, first_specs
from zslcore.results.store import ResultStore


def test_both_tasks_have_the_oracle_that_was_swept_once(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    swept, oracle = [], protocol.Setting.oracle

    def counted(*given, **options):
        swept.append(given)
        return oracle(*given, **options)

    monkeypatch.setattr(protocol.Setting, "oracle", counted)
    world = linear_world()
    runs = first_specs(world, "PS", "LinearS2V", ("zsl", "gzsl"))
    Plan(runs, with_oracle=True).complete_all(world, ResultStore())
    one, other = ResultStore().results()
    assert len(swept) == 1
    assert one.oracle == other.oracle is not None
    assert {one.spec.select_for, other.spec.select_for} == {"zsl", "gzsl"}
