"""Plugin methods: found, named by their source, run, and refused in one sentence."""

import json
import re
from contextlib import closing

import numpy as np
import pytest

import zslcore
from tests import pages
from tests.evaluation.plugin_files import BROKEN, DRAWN, RIDGE, STEPS, TUNED, forget
from ui.playground import answers as playground_answers
from ui.shell.runtime import prepare_folder
from ui.state import cache
from ui.state.controls import YOURS, by_family
from zslcore import jobs
from zslcore.__main__ import main
from zslcore.analysis.study import RunStudy
from zslcore.datasets import load
from zslcore.evaluation import plugins
from zslcore.evaluation.contract import check_contract
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import MethodError, ParameterError, UnknownNameError
from zslcore.methods import METHODS, get_method
from zslcore.results.store import ResultStore

NAME = re.compile(r"Mine@[0-9a-f]{12}")


@pytest.fixture(autouse=True)
def _own_world(own_data, tmp_path, monkeypatch):
    monkeypatch.delenv("ZSL_PUBLIC", raising=False)
    monkeypatch.chdir(tmp_path)
    yield
    forget()


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(RIDGE)
    return f"{path}:Mine"


def written(path, text, attribute):
    path.write_text(text)
    return f"{path}:{attribute}"


def test_a_file_is_run_stored_and_named_by_its_source(mine, printed):
    output = printed("run", "--method", mine)
    (stored_run,) = ResultStore().stored()
    assert NAME.fullmatch(stored_run.result.spec.method)
    assert stored_run.result.spec.method in output
    assert stored_run.result.params_origin == stored_run.result.gamma_origin == "validated"
    assert "--method mine.py:Mine" in output
    assert "/tmp" not in output  # the output has no path of this machine


def test_an_edited_file_is_another_method(mine, tmp_path):
    first = plugins.register(mine)
    assert plugins.register(mine) == first
    (tmp_path / "mine.py").write_text(RIDGE.replace("self.lam * np.eye", "2 * self.lam * np.eye"))
    second = plugins.register(mine)
    assert first != second
    keys = {RunSpec("digits", "PS", name).key for name in (first, second)}
    assert len(keys) == 2
    lam = {
        name: run(RunSpec("digits", "PS", name, {"lam": 1.0})).result for name in (first, second)
    }
    assert lam[first].evaluation != lam[second].evaluation


def test_two_files_with_a_class_of_the_same_name_are_two_methods(mine, tmp_path, printed):
    other = written(tmp_path / "hers.py", RIDGE.replace("X.T @ S[y]", "X.T @ S[y] ** 2"), "Mine")
    output = printed("compare", "--method", mine, other, "ESZSL", "--jobs", "1")
    assert len(set(NAME.findall(output))) == 2
    assert "ESZSL" in output


def test_the_same_file_in_another_place_is_the_same_method(mine, tmp_path):
    (tmp_path / "there").mkdir()
    copied_method = written(tmp_path / "there" / "copy.py", RIDGE.replace("\n", "\r\n"), "Mine")
    assert plugins.register(mine) == plugins.register(copied_method)


@pytest.mark.nightly
def test_a_result_of_a_missing_plugin_is_listed_shown_and_exported(mine, tmp_path, capsys, printed):
    assert main(["run", "--method", mine]) == 0
    (stored_run,) = ResultStore().stored()
    (tmp_path / "mine.py").unlink()
    forget()
    capsys.readouterr()
    assert f"pass the file of {stored_run.result.spec.method} to --method" in printed(
        "runs", "show", stored_run.id
    )
    words = [["list"], ["show", stored_run.id], ["export", "--format", "json"]]
    words += [["export", stored_run.id, "--predictions", "p.parquet"]]
    for word in words:
        assert main(["runs", *word]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert NAME.search(out) or word[-1] == "p.parquet"
    entry = ["--add", stored_run.id, "--who", "Ada"]
    (tmp_path / "board").mkdir()
    assert main(["board", "board", *entry]) == 0
    (file,) = (tmp_path / "board").glob("*.json")
    assert json.loads(file.read_text())["method"] == stored_run.result.spec.method
    page = pages.visit("table")
    assert not page.error
    with pytest.raises(UnknownNameError):
        plugins.register(stored_run.result.spec.method)


@pytest.mark.parametrize(
    ("text", "attribute"), [(RIDGE, "Mine"), (TUNED, "Tuned"), (STEPS, "Steps")]
)
def test_three_plugins_pass_the_contract(tmp_path, text, attribute, printed):
    name = plugins.register(written(tmp_path / "plug.py", text, attribute))
    broken = [item for item in check_contract(get_method(name)) if item.state != "hold"]
    assert [(item.law.name, item.why) for item in broken] == []
    assert "of 21 laws, 21 hold, 0 waived, 0 broken" in printed(
        "check-method", f"plug.py:{attribute}", "--all"
    )


def test_a_subclass_does_not_change_the_method_of_the_package(tmp_path):
    before = METHODS["ESZSL"].card, dict(METHODS["ESZSL"].param_grid)
    name = plugins.register(written(tmp_path / "tuned.py", TUNED, "Tuned"))
    assert name.startswith("ESZSL@")
    assert (METHODS["ESZSL"].card, dict(METHODS["ESZSL"].param_grid)) == before
    params = {"gamma": 1.0, "lam": 1.0}
    ours, theirs = (run(RunSpec("digits", "PS", m, params)).result for m in ("ESZSL", name))
    assert ours.evaluation == theirs.evaluation
    assert ours.key != theirs.key


@pytest.mark.parametrize("case", BROKEN)
def test_broken_plugins_are_refused_in_one_sentence(tmp_path, case, capsys):
    old, new, words = BROKEN[case]
    assert old in STEPS
    path = written(tmp_path / "broken.py", STEPS.replace(old, new), "Steps")
    assert main(["run", "--method", path]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_an_error_raised_through_a_base_class_names_the_line_of_the_plugin(tmp_path, capsys):
    assert main(["run", "--method", written(tmp_path / "drawn.py", DRAWN, "Drawn")]) == 2
    (line,) = (n for n, text in enumerate(DRAWN.splitlines(), 1) if "linalg.inv" in text)
    output = capsys.readouterr().err
    assert output.endswith(f": train raised LinAlgError in line {line}: Singular matrix.\n")


def test_a_broken_method_does_not_stop_the_other_methods(mine, tmp_path, capsys):
    old, new, _ = BROKEN["exception"]
    broken = written(tmp_path / "broken.py", STEPS.replace(old, new), "Steps")
    assert main(["compare", "--method", broken, mine, "--jobs", "1"]) == 0
    out, err = capsys.readouterr()
    assert "Not ranked, since a metric is missing: Steps@" in out
    assert "fit raised KeyError in line 24: 'lost'." in err
    assert [
        NAME.match(stored_run.result.spec.method) is not None
        for stored_run in ResultStore().stored()
    ] == [True]
    words = ["leak-cost", "--given", "--dataset", "simulated-aPY", "--leak", "training"]
    assert main([*words, "--method", broken, mine]) == 0
    out, err = capsys.readouterr()
    assert NAME.search(out)
    assert "KeyError" in err


def test_check_method_names_the_fault(tmp_path, capsys, printed):
    old, new, words = BROKEN["NaN"]
    path = written(tmp_path / "broken.py", STEPS.replace(old, new), "Steps")
    output = printed("check-method", path, status=1)
    assert "broken  Scores are one finite float64 per sample and candidate." in output
    assert words in output
    path = written(tmp_path / "other.py", STEPS.replace("stochastic=True", "requires=''"), "Steps")
    assert main(["check-method", path]) == 1
    assert "expected stochastic=True, since it has a random_state" in capsys.readouterr().out


def test_a_card_that_states_a_dependence_waives_three_laws(tmp_path, printed):
    text = RIDGE.replace(
        'formula="x^T V s",', 'formula="x^T V s", depends_on_candidates="it says so",'
    )
    output = printed("check-method", written(tmp_path / "mine.py", text, "Mine"))
    assert output.count("the card states that scores depend on the candidates: it says so.") == 3
    assert "18 hold, 3 waived, 0 broken" in output


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("none.py:Mine", "expected a Python file"),
        ("mine.py:Mien", "Unknown class of mine.py 'Mien'; did you mean 'Mine'?"),
        ("mine.py:np", "expected a class derived from"),
        ("Mnie", "Unknown method 'Mnie'"),
    ],
)
def test_a_file_or_class_without_a_method_is_refused(mine, place, words, printed):
    assert words in printed("run", "--method", place, status=2)


def test_reproduce_accepts_the_file_of_a_plugin(mine, printed):
    words = ["reproduce", "gbu:table6", "--method", mine, "ESZSL", "--jobs", "1", "--seeds", "1"]
    output = printed(*words, "--param", "Mine.lam=2")
    assert len(NAME.findall(output)) >= 2  # the row and its arguments name the method
    assert "lam = 2" in output


# --- Worker processes -----------------------------------------------------------------------------


def left_by(name):
    dataset = load("digits")
    spec = RunSpec("digits", "PS", name, digest=dataset.digest)
    work = RunStudy.of(spec, dataset)
    with closing(jobs.Runner()) as runner:
        runner.submit(work)
        return spec, runner.wait(work.key, 120)


@pytest.mark.nightly
def test_a_job_loads_the_file_of_a_plugin(mine):
    spec, status = left_by(plugins.register(mine))
    assert (status.state, status.error) == ("done", "")
    stored_evaluation, here = ResultStore().get(spec.key).evaluation, run(spec).result.evaluation
    assert (stored_evaluation.zsl, stored_evaluation.plain, stored_evaluation.per_class) == (
        here.zsl,
        here.plain,
        here.per_class,
    )
    # A worker process may have another number of threads and round differently.
    assert stored_evaluation.calibrated.gamma == pytest.approx(here.calibrated.gamma)


@pytest.mark.nightly
def test_a_job_refuses_a_file_that_was_edited_meanwhile(mine, tmp_path):
    name = plugins.register(mine)
    (tmp_path / "mine.py").write_text(RIDGE + "\n# edited\n")
    _, status = left_by(name)
    assert status.state == "failed"
    assert f"{name}: expected mine.py:Mine as it was registered" in status.error
    assert ResultStore().stored() == []


@pytest.mark.nightly
def test_parallel_processes_load_the_file_of_a_plugin(mine, tmp_path, capsys):
    other = written(tmp_path / "steps.py", STEPS, "Steps")
    assert main(["compare", "--method", mine, other, "--jobs", "2"]) == 0
    assert capsys.readouterr().err == ""
    assert len(ResultStore().stored()) == 2


# --- Notebooks, packages, the app -----------------------------------------------------------------


def test_an_entry_point_named_like_a_method_does_not_replace_it(package):
    text = (package.parent / "mypack-1.0.dist-info" / "entry_points.txt").read_text()
    text = text.replace("mine =", "ESZSL =").replace("lost =", "SAE =")
    (package.parent / "mypack-1.0.dist-info" / "entry_points.txt").write_text(text)
    assert plugins.register("ESZSL") == "ESZSL"
    assert set(plugins.register_all()) == {"SAE"}
    (name,) = plugins.registered()
    assert NAME.fullmatch(name)


def test_only_a_class_in_a_file_can_be_registered(mine):
    assert zslcore.register(mine) == plugins.register(mine)
    # The second call keeps the method registered.
    assert METHODS[plugins.register(mine)].__mro__[1].card.name == "Mine"
    with pytest.raises(MethodError, match="expected FILE.py:Class .* Put the class into a file"):
        zslcore.register(METHODS["ESZSL"])


@pytest.fixture
def package(tmp_path, put_on_path):
    """An installed package with an entry point, as installed by pip."""
    site = tmp_path / "site"
    (site / "mypack").mkdir(parents=True)
    (site / "mypack" / "__init__.py").write_text("")
    (site / "mypack" / "of_mine.py").write_text(RIDGE)
    (site / "mypack-1.0.dist-info").mkdir()
    (site / "mypack-1.0.dist-info" / "METADATA").write_text("Name: mypack\nVersion: 1.0\n")
    (site / "mypack-1.0.dist-info" / "entry_points.txt").write_text(
        "[zslcore.methods]\nmine = mypack.of_mine:Mine\nlost = mypack.gone:Mine\n"
    )
    put_on_path(site)
    return site / "mypack"


def test_an_entry_point_of_an_installed_package_is_a_method(package, printed):
    assert "--method mine" in printed("run", "--method", "mine")
    (stored_run,) = ResultStore().stored()
    assert NAME.fullmatch(stored_run.result.spec.method)
    assert "loading raised ModuleNotFoundError" in printed("run", "--method", "lost", status=2)
    assert "did you mean 'mine'" in printed("run", "--method", "mien", status=2)


def test_every_file_of_a_package_changes_the_digest_in_the_name(package, monkeypatch):
    first = plugins.register("mine")
    forget()
    (package / "helper.py").write_text("FACTOR = 2\n")
    assert plugins.register("mine") != first


@pytest.mark.nightly
def test_the_app_offers_plugins_of_this_machine(mine, package, monkeypatch):
    monkeypatch.setenv("ZSL_METHODS", f"{mine}, {mine.replace('mine.py', 'none.py')}")
    refused = plugins.register_all()
    assert {where.rpartition("/")[2] for where in refused} == {"none.py:Mine", "lost"}
    names = plugins.registered()
    assert by_family()[YOURS] == list(names)
    assert len(names) == 2  # one method is from the file, the other from the package
    page = pages.visit("play", method=names[0])
    rail = pages.sent_down(page, "zsl_playground")["rail"]
    assert rail["chosen"]["method"] == names[0]
    assert [chip["name"] for chip in rail["families"][YOURS]] == list(names)


@pytest.mark.nightly
def test_a_job_of_the_app_runs_a_plugin(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_METHODS", written(tmp_path / "steps.py", STEPS, "Steps"))
    assert plugins.register_all() == {}
    (name,) = plugins.registered()
    digits = cache.dataset("digits")
    work = playground_answers.study_of(RunSpec.of(digits, "PS", name))
    jobs.submit(work)
    assert jobs.wait(work.key, 120)
    (stored_run,) = ResultStore().stored()
    assert stored_run.result.spec.method == name


def test_a_server_registers_plugins_before_its_first_page(mine, monkeypatch):
    monkeypatch.setenv("ZSL_METHODS", f"{mine},gone.py:Gone")
    assert "gone.py:Gone: expected a Python file" in prepare_folder()
    assert all(NAME.fullmatch(name) for name in plugins.registered())
    assert len(plugins.registered()) == 1
    forget()
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    assert prepare_folder() == ""
    assert plugins.registered() == ()


def test_zslcore_methods_lists_plugins(mine, monkeypatch, capsys):
    monkeypatch.setenv("ZSL_METHODS", f"{mine},gone.py:Gone")
    assert main(["methods"]) == 0
    out, err = capsys.readouterr()
    assert re.search(rf"{NAME.pattern}: Regress. \(--method mine.py:Mine\)", out)
    assert "gone.py:Gone: expected a Python file" in err


def test_no_plugin_is_loaded_on_a_public_server(mine, package, monkeypatch, printed):
    monkeypatch.setenv("ZSL_METHODS", mine)
    monkeypatch.setenv("ZSL_PUBLIC", "1")
    assert plugins.register_all() == {}
    for word in (mine, "mine"):
        assert "not loaded on a public server" in printed("run", "--method", word, status=2)
    with pytest.raises(ParameterError, match="public"):
        zslcore.register(mine)
    with pytest.raises(ParameterError, match="public"):
        plugins.restore({"Mine@0123456789ab": mine})
    assert plugins.registered() == ()


def test_an_address_cannot_load_a_plugin(mine):
    page = pages.visit("play", method=mine)
    assert pages.sent_down(page, "zsl_playground")["rail"]["chosen"]["method"] == "LinearS2V"
    assert plugins.registered() == ()


def test_an_invalid_setting_of_plugins_is_refused(monkeypatch, printed):
    monkeypatch.setenv("ZSL_METHODS", "mine.py")
    assert "ZSL_METHODS: expected one or more FILE.py:Class" in printed("methods", status=2)


def test_a_real_generator_in_a_file_runs_as_a_plugin(shared, tmp_path, capsys):
    pytest.importorskip("torch")
    generator = shared / "tools" / "prototypes" / "condgen.py"
    if not generator.exists():
        pytest.skip("needs the generator of the shared folder")
    text = generator.read_text()
    text = text.replace("zslcore.base", "zslcore.methods.base").replace(
        "float(loss)", "loss.item()"
    )
    path = written(tmp_path / "condgen.py", text, "CondGen")
    assert main(["run", "--method", path, "--grid", "epochs=1,2", "--param", "n_syn=5"]) == 0
    (stored_run,) = ResultStore().stored()
    assert stored_run.result.spec.grid == {"epochs": (1, 2)}
    assert np.isfinite(stored_run.result.evaluation.calibrated.harmonic)
