from dataclasses import dataclass
from pathlib import Path

import pytest

from zslcore import methods
from zslcore.analysis.method_table import inductive_rows
from zslcore.exceptions import ParameterError, UnknownNameError
from zslcore.methods.base import CompatibilityModel


def test_every_method_file_is_registered():
    files = {path.stem for path in Path(methods.__file__).parent.glob("[!_]*.py")}
    files -= {"base", "calls", "classifiers", "generative", "score_map", "statistics"}
    both = [*methods.METHODS.values(), *methods.TRANSDUCTIVE.values()]
    assert {method.__module__.rpartition(".")[2] for method in both} == files


def test_transductive_methods_are_listed_separately():
    assert not any(method.card.transductive for method in methods.METHODS.values())
    assert all(method.card.transductive for method in methods.TRANSDUCTIVE.values())
    assert not set(methods.METHODS) & set(methods.TRANSDUCTIVE)


def test_comparisons_leave_out_generators_unless_they_are_named():
    left_out = {
        name for name, method in methods.METHODS.items() if not method.card.in_default_comparison
    }
    assert left_out == {"f-CLSWGAN", "CADA-VAE", "CE-GZSL", "PrototypeCosine"}
    assert not left_out & set(inductive_rows())
    generators = [m for m in methods.METHODS.values() if issubclass(m, methods.GenerativeZSL)]
    assert {method.card.family for method in generators} == {"feature generating"}


@pytest.mark.parametrize("slip", ["EZSL", "eszsl", "ESZLS"])
def test_misspelt_name_gets_a_suggestion(slip):
    with pytest.raises(UnknownNameError, match="did you mean 'ESZSL'"):
        methods.get_method(slip)


def test_name_like_no_other_gets_the_list():
    with pytest.raises(UnknownNameError, match="choose from: LinearV2S"):
        methods.get_method("zzzzzzzz")


def test_the_table_of_methods_has_a_row_for_each():
    both = [*methods.METHODS, *methods.TRANSDUCTIVE]
    assert all(f"| {name} |" in methods.markdown_table() for name in both)


def test_parameters_are_dataclass_fields_or_arguments_of_init():
    class WithoutAny(CompatibilityModel):
        def fit(self, X, y, prototypes):
            return self

    @dataclass(eq=False, repr=False)
    class Field(WithoutAny):
        lam: float = 1.0

    class Own(Field):
        def __init__(self, k: int = 3):
            self.k = k

    assert [list(item.hints()) for item in (WithoutAny, Field, Own)] == [[], ["lam"], ["k"]]
    assert Field(lam=2.0).get_params() == {"lam": 2.0}
    assert Own(k=4).get_params() == {"k": 4}
    for item in (WithoutAny(), Field(), Own()):
        item._check_params()
    Field.card = methods.ESZSL.card
    with pytest.raises(ParameterError, match="lam must be a positive number"):
        Field(lam=0.0)._check_params()
