"""The wall of claims: counts, a claim with its cells, links from before, what is asked in vain."""

import json
from base64 import b64decode

import numpy as np
import pytest

from tests.pages import visit, words
from ui.figures.claims import Number, recomputed
from zslcore.analysis.papers.claims import CLAIMS, judge_all, printed_evidence


@pytest.fixture(scope="module")
def printed():
    return {
        id_: of["printed"]
        for id_, of in judge_all(evidence={"printed": printed_evidence()}).items()
    }


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


def tiles(app):
    """The tiles that the browser is sent."""
    sent = next(each.proto for each in app.get("bidi_component") if "tiles" in str(each.proto))
    return json.loads(sent.json)["tiles"]


def interval(trace):
    """Both ends of the error bar of a trace of one point, as the browser is sent it."""
    ends = (trace["error_x"][name] for name in ("arrayminus", "array"))
    below, above = (np.frombuffer(b64decode(end["bdata"]), end["dtype"])[0] for end in ends)
    return trace["x"][0] - below, trace["x"][0] + above


def test_the_page_counts_the_verdicts_and_states_the_strongest_finding(printed):
    app = visit("wall")
    said = words(app)
    holds = sum(each.verdict == "holds" for each in printed.values())
    fails = sum(each.verdict == "does not hold" for each in printed.values())
    assert f"Of {len(CLAIMS)} claims of three papers, {holds} hold" in said
    assert f"{fails} do not, and {len(CLAIMS) - holds - fails} stay open" in said
    assert "which gives p = 0.35" in said
    assert "(p = 0.0072)" in said
    assert "24 pairs give p = 0\\.35" in said  # the claim that is open to begin with


def test_a_link_opens_a_claim_with_the_cells_it_rests_on_and_its_command():
    app = visit("wall", claims_open="gbu-best-h")
    assert CLAIMS["gbu-best-h"].statement.rstrip(".") in words(app).replace("\\", "")
    table = app.dataframe[0].value
    assert table["method"].tolist()[:2] == ["DAP", "IAP"]
    assert table.set_index("method").loc["ALE", "CUB"] == pytest.approx(34.4)
    assert any(code.value == "zslcore claims --id gbu-best-h" for code in app.code)
    app.button(key="claims_strongest").click().run()
    assert "gbu-cross-p" in app.query_params["claims_open"]
    assert "24 pairs give p = 0\\.35" in words(app)


def test_a_claim_that_there_is_not_is_named_and_the_page_stays():
    app = visit("wall", claims_open="<b>none</b>")
    assert "which is not available" in app.toast[0].value
    assert "stay open" in words(app)


def test_own_runs_judge_nothing_where_there_are_none():
    app = visit("wall", claims_basis="yours", claims_open="gbu-gzsl-lower")
    assert f"0 hold on your runs, 0 do not, and {len(CLAIMS)} stay open" in words(app)
    assert "No cell is read" in words(app)


def test_every_claim_is_a_tile_in_the_order_of_the_papers():
    shown = []
    for papers in (["GBU"], ["CAL", "FAIR"]):
        shown += [each["id"] for each in tiles(visit("wall", claims_papers=papers))]
    assert shown == list(CLAIMS)


def test_a_test_is_drawn_with_its_own_interval_in_the_unit_of_the_axis(printed):
    of = printed["cal-calibration-lifts"]
    (point,) = recomputed([Number("printed", of.number, of.low, of.high)], of.unit).data
    low, high = point.x[0] - point.error_x.arrayminus[0], point.x[0] + point.error_x.array[0]
    assert (point.x[0], low, high) == pytest.approx((100 * of.number, 100 * of.low, 100 * of.high))


def test_the_two_crossed_tests_have_the_p_of_print_for_the_other_set():
    app = visit("wall", claims_open="gbu-cross-p")
    training, test = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    assert (training["text"], test["text"]) == (["p = 0.35"], ["p = 0.0072"])
    (low, high), (_, below) = map(interval, (training, test))
    assert low < 0 < high
    assert below < 0
