"""Real features with given parameters: figures computed independently, to 0.1 point."""

import copy

import pytest

from zslcore.datasets import read_xlsa17
from zslcore.methods import get_method
from zslcore.protocol import evaluate, fit_and_score
from zslcore.spectrum import ClassStatistics, Spectrum

#: Method, parameters: ZSL, u, s and H at gamma 0, best H, AUSUC, in percent.
FIGURES = [
    ("LinearV2S", {"lam": 10**-4.5}, (39.7, 7.7, 57.6, 13.5, 37.0, 19.7)),
    ("LinearS2V", {"lam": 10**-3.5}, (50.3, 17.8, 57.2, 27.1, 42.8, 25.7)),
    ("SAE", {"lam": 0.1}, (49.4, 12.9, 58.0, 21.1, 42.6, 25.4)),
    ("SAE", {"lam": 10**2.5, "direction": "V2S"}, (40.9, 8.0, 59.8, 14.1, 38.4, 21.1)),
    ("ESZSL", {"gamma": 1.0, "lam": 0.1}, (52.9, 7.1, 66.1, 12.8, 45.5, 29.8)),
    ("ESZSL", {"gamma": 0.1, "lam": 0.1, "coding": "+-1"}, (34.7, 5.9, 61.8, 10.8, None, None)),
]


@pytest.fixture(scope="module")
def cub(shared):
    return read_xlsa17(shared / "data" / "xlsa17" / "CUB", features="vgg_fc7.mat")


@pytest.fixture(scope="module")
def _dear_steps_once():
    """Make the Gram matrix and its decomposition once for all methods: each takes ten seconds."""
    known = {}

    def once(make, name):
        def made(of, *args, **options):
            key = (name, of.shape, str(options.get("gram")))
            if key not in known:
                known[key] = make(of, *args, **options)
            return copy.deepcopy(known[key])  # methods write over their own

        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ClassStatistics, "of", once(ClassStatistics.of, "statistics"))
        patch.setattr(Spectrum, "of", once(Spectrum.of, "spectrum"))
        yield


@pytest.mark.usefixtures("_dear_steps_once")
@pytest.mark.parametrize(("name", "params", "printed"), FIGURES)
def test_cub_figures_come_out(cub, name, params, printed):
    scores = fit_and_score(get_method(name)(**params), cub, cub.split("PS"))
    figures = evaluate(scores)
    plain = figures.plain
    best = scores.curve.best().harmonic
    measured = (figures.zsl, plain.unseen, plain.seen, plain.harmonic, best, figures.ausuc)
    for ours, expected in zip(measured, printed, strict=True):
        if expected is not None:
            assert 100 * ours == pytest.approx(expected, abs=0.1)


def test_cub_has_its_standard_split_whose_image_count_is_published(cub):
    split = cub.split("SS")
    assert (len(split.trainval), len(split.test_unseen)) == (8855, 2933)
    assert len(split.unseen_classes) == 50
    figures = evaluate(fit_and_score(get_method("LinearS2V")(lam=10**-3.5), cub, split))
    assert 0.45 <= figures.zsl <= 0.60  # as on PS: hardly any class of CUB is in ImageNet-1K
