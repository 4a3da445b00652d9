"""Results of other people with one wrong value are accepted or refused in one sentence."""

import json
from dataclasses import replace

import pytest

from tests.hostile.results import changed_results
from tests.hostile.trying import is_a_sentence
from tests.pages import visit
from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError
from zslcore.results.run_files import checked_runs
from zslcore.results.store import ResultStore

WORLD = linear_world(noise=1.0)
#: Every 19th of the changes is tried, about 260 in all. The step is a prime, so that each place and
#: each value occurs.
STEP = 19


@pytest.fixture(scope="module")
def tried():
    """The accepted results by key, and the refusals."""
    result = run(RunSpec(WORLD.name, "PS", "LinearS2V"), WORLD).result
    accepted, text = [result], {}
    for where, value in changed_results(json.loads(result.to_json()), STEP):
        try:
            (actual,) = checked_runs(json.loads(json.dumps(value)), "hers.json")
        except FileRefusedError as error:
            text[where] = str(error)
        else:
            accepted.append(replace(actual, key=f"{len(accepted):016x}"))
    return accepted, text


def test_every_refusal_is_one_sentence(tried):
    accepted, text = tried
    assert len(text) + len(accepted) > 200
    assert {where: words for where, words in text.items() if not is_a_sentence(words)} == {}


@pytest.mark.nightly
def test_accepted_results_are_listed_compared_and_exported(own_data, tried, capsys):
    accepted, _ = tried
    assert len(accepted) > 20
    store = ResultStore()
    for result in accepted:
        store.put(result)
    assert store.unreadable() == ""
    assert {stored_run.id for stored_run in store.stored()} == {result.key for result in accepted}
    words = [["list", "--json"], ["show", accepted[-1].key], ["list", "--sort", "dataset"]]
    words += [["compare", accepted[-1].key, accepted[0].key]]
    words += [["export", "--format", form] for form in ("csv", "json", "latex")]
    for word in words:
        assert main(["runs", *word]) == 0, word
        output = capsys.readouterr()
        assert "Traceback" not in output.err
        assert len(output.out) < 20_000 * len(accepted)
    page = visit("table")
    assert not page.exception
    assert not page.error


@pytest.mark.nightly
def test_markdown_in_a_digest_is_escaped_on_the_page(own_data, tried):
    result, link = tried[0][0], "[x](http://192.0.2.1/)"
    ResultStore().put(replace(result, spec=replace(result.spec, digest=link)))
    app = visit("table", table_whose="your runs")
    (text,) = (c.help for c in app.caption if c.help.startswith("Computed by version"))
    assert link not in text
    assert "192.0.2.1" in text.replace("\N{WORD JOINER}", "").replace("\\", "")
