"""The wall of claims, findings and released code: counts, filters, and details of each tile."""

import itertools
import json

import pytest

from tests.figures import read
from tests.pages import charts, visit, words
from ui.figures.claims import Number, claim_numbers
from zslcore.analysis.papers.claims import CLAIMS, FINDINGS, PAPERS, judge_all
from zslcore.analysis.papers.claims.evidence import printed_evidence
from zslcore.leakage import released_codes


@pytest.fixture(scope="module")
def printed():
    return {
        id_: judgments["printed"]
        for id_, judgments in judge_all(evidence={"printed": printed_evidence()}).items()
    }


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


def wall_data(app):
    """The wall as sent to the browser: tiles, counts and the open tile."""
    wall = next(
        bidi_component.proto
        for bidi_component in app.get("bidi_component")
        if "tiles" in str(bidi_component.proto)
    )
    return json.loads(wall.json)


def tiles(app):
    """The tiles sent to the browser."""
    return wall_data(app)["tiles"]


def interval(trace):
    """Both ends of the error bar of a one-point trace, as sent to the browser."""
    below, above = (trace["error_x"][name][0] for name in ("arrayminus", "array"))
    return trace["x"][0] - below, trace["x"][0] + above


def test_the_page_counts_the_verdicts_and_states_the_strongest_finding(printed):
    app = visit("wall")
    text = words(app)
    holds = sum(item.verdict == "holds" for item in printed.values())
    fails = sum(item.verdict == "does not hold" for item in printed.values())
    assert f"Of {len(CLAIMS)} claims in four papers, {holds} hold" in text
    assert f"{fails} do not, and {len(CLAIMS) - holds - fails} are open" in text
    assert "p = 0.007 printed for the training set matches the value for the test set" in text
    assert "24 pairs give p = 0\\.35" in text  # this claim is open at first
    assert "p = 0\\.0072" in text


def test_a_claim_on_a_rank_shows_the_ranks_of_all_methods_and_the_number_of_rows(printed):
    id_ = "gbu-sync-seventh-ps"
    app = visit("wall", claims_open=id_)
    labels = charts(app)[0].figure["layout"]["yaxis"]["ticktext"]
    assert len(labels) == len(printed[id_].methods) > 10
    assert [label for label in labels if "claimed" in label] == ["SYNC (claimed)"]
    rows = len(app.dataframe[0].value)
    assert f"{rows} rows" in words(app)


def test_a_link_opens_a_claim_with_the_printed_cells_ours_and_its_commands(precomputed):
    app = visit("wall", claims_open="gbu-best-h")
    assert CLAIMS["gbu-best-h"].statement.rstrip(".") in words(app).replace("\\", "")
    table = app.dataframe[0].value.set_index("method")
    assert table.loc["ALE", "CUB"] == pytest.approx(34.4)
    assert table.loc["ALE", "CUB, ours"] != table.loc["ALE", "CUB"]
    assert app.code[0].value == "zslcore claims --id gbu-best-h\nzslcore reproduce gbu:table6"


def test_a_finding_opens_with_the_cells_of_its_claims_and_its_command():
    app = visit("wall", claims_open="who-ranks-first")
    finding = next(finding for finding in FINDINGS if finding.id == "who-ranks-first")
    assert finding.sentence in words(app).replace("\\", "")
    assert len(app.dataframe) == finding.command.count("gbu-")
    assert app.code[0].value == finding.command


def test_a_released_code_opens_with_its_choices_and_their_lines():
    app = visit("wall", claims_open="DPPN")
    text = words(app)
    assert all(row.url in text for row in released_codes.choices_of("DPPN"))
    assert "upper bound" in text
    assert app.code[0].value == "zslcore protocols DPPN"


def test_the_large_study_is_a_tile_with_its_command():
    app = visit("wall", claims_open="large-scale")
    assert app.code[0].value == "zslcore reproduce gbu:table5"
    assert app.dataframe[0].value.shape == (10, 10)


def test_without_own_runs_no_claim_is_judged():
    app = visit("wall", claims_basis="yours", claims_open="gbu-gzsl-lower")
    assert f"0 hold on your runs, 0 do not, and {len(CLAIMS)} are open" in words(app)


def test_every_claim_finding_and_code_is_a_tile_and_failures_are_first_in_their_group():
    drawn = tiles(visit("wall"))
    findings = (finding.id for finding in FINDINGS)
    every = [*CLAIMS, "large-scale", *findings, *released_codes.codes()]
    assert sorted(tile["id"] for tile in drawn) == sorted(every)
    assert drawn[0]["id"] == "gbu-cross-p"
    for group, members in itertools.groupby(drawn, key=lambda tile: tile["group"]):
        states = [member["state"] for member in members]
        assert states == sorted(states, key=["no", "finding", "open", "yes"].index), group
    groups = [group for group, _ in itertools.groupby(tile["group"] for tile in drawn)]
    assert groups == ["Claims that do not hold", *PAPERS.values(), "Findings", "Released code"]
    failing = [tile for tile in drawn if tile["group"] == groups[0]]
    assert {item["state"] for item in failing} == {"no"}
    assert "Huang 2021" in failing[-1]["word"]
    assert {item["also_in"] for item in failing} <= {*PAPERS.values()}
    for paper, title in PAPERS.items():
        of_paper = [item for item in drawn if title in (item["group"], item["also_in"])]
        assert len(of_paper) == sum(claim.paper == paper for claim in CLAIMS.values())


def test_tiles_are_found_by_words():
    app = visit("wall", claims_find="Released code epoch on test images")
    on_test = released_codes.count_codes("epoch")["test"]
    assert len(tiles(app)) == on_test
    app.text_input(key="claims_find").set_value("dppn").run()
    assert [tile["id"] for tile in tiles(app)] == ["DPPN"]
    app.text_input(key="claims_find").set_value("<b>no(").run()
    assert tiles(app) == []
    assert "No claim, finding or code contains these words." in words(app)
    assert not app.code  # a hidden tile shows no evidence


def test_the_bar_counts_the_shown_claims_and_the_first_shown_tile_is_open(printed):
    counts = wall_data(visit("wall"))["counts"]
    assert counts["yes"] == sum(item.verdict == "holds" for item in printed.values())
    assert sum(counts.values()) == len(CLAIMS)  # the heading has this number
    app = visit("wall", claims_find="dppn")
    wall = wall_data(app)
    assert (wall["chosen"], sum(wall["counts"].values())) == ("DPPN", 0)
    assert app.code[0].value == "zslcore protocols DPPN"


@pytest.mark.parametrize(
    "choices", [{"claims_basis": "measured"}, {"claims_basis": "yours"}, {"claims_find": "dppn"}]
)
def test_the_strongest_finding_is_only_above_its_own_tile(choices):
    assert "Strongest finding" in words(visit("wall"))
    text = words(visit("wall", **choices))
    assert "are open" in text
    assert "Strongest finding" not in text


@pytest.mark.parametrize("id_", ["gbu-cross-p", "gbu-training-set-decides"])
def test_a_claim_on_crossed_data_sets_names_the_command_that_it_needs(id_):
    text = words(visit("wall", claims_basis="measured", claims_open=id_)).replace("\\", "")
    assert "If the features of both are imported, zslcore reproduce gbu:table4" in text


def test_a_test_is_drawn_with_its_own_interval_in_the_unit_of_the_axis(printed):
    judgment = printed["cal-calibration-lifts"]
    chart = claim_numbers(
        [Number("printed", judgment.number, judgment.low, judgment.high)], judgment.unit
    )
    (point,) = read(chart).data
    low, high = point.x[0] - point.error_x.arrayminus[0], point.x[0] + point.error_x.array[0]
    assert (point.x[0], low, high) == pytest.approx(
        (100 * judgment.number, 100 * judgment.low, 100 * judgment.high)
    )


def test_the_printed_p_of_the_training_set_is_that_of_the_test_set():
    app = visit("wall", claims_open="gbu-cross-p")
    figure = charts(app)[0].figure
    training, test = figure["data"]
    names = ["training on AWA2<br>p = 0.35", "testing on AWA2<br>p = 0.0072"]
    assert figure["layout"]["yaxis"]["ticktext"] == names
    (low, high), (above, _) = map(interval, (training, test))
    assert low < 0 < high
    assert above > 0
    # The axis shows AWA2 minus AWA1, as the map does.
    assert training["x"][0] == pytest.approx(-0.6, abs=0.05)
