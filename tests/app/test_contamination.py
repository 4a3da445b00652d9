"""Contamination map: answer, map, and own classes."""

import json

from tests.pages import charts, visit, words
from zslcore.leakage import contamination, reliability

PAGE = "contamination"


def opened(tab, **choices):
    app = visit(PAGE, **choices)
    app.session_state["contamination_tab"] = tab
    app.run()
    assert not app.exception
    return app


def test_the_answer_is_shown_before_the_first_click():
    app = visit(PAGE)
    assert ":red[No.]" in app.markdown[0].value
    assert "6 of the 10 test classes" in words(app)
    assert charts(app)


def test_the_contamination_map_has_a_legend_on_phones_and_wide_windows():
    app = visit(PAGE)
    assert "6+1: 6 test classes in the pre-training set" in str(charts(app)[0].figure["data"])
    app.session_state["window_is_narrow"] = True
    app.run()
    assert "Touch a cell" in words(app)
    picture = charts(app)[0].figure
    assert "6+1:" not in str(picture["data"])
    assert min(trace["marker"]["size"] for trace in picture["data"]) >= 14
    assert any("AWA1 and AWA2, SS" in note["text"] for note in picture["layout"]["annotations"])


def test_a_file_of_captions_is_counted_on_the_page():
    app = visit(PAGE, contamination_on="AWA1 and AWA2, PS", contamination_extractor="CLIP")
    (field,) = app.get("file_uploader")
    assert (
        field.proto.label
        == "Upload captions of WIT-400M (all or a sample) to count those that name a test class"
    )
    field.set_value(("some.txt", b"two horses\na horse and a sheep\na tree\n", "text/plain")).run()
    assert not app.exception
    assert "2 of the 10 test classes of AWA1 and AWA2, PS are named in 3 captions" in words(app)
    assert "A match is not proof" in words(app)
    table = app.dataframe[0].value
    assert dict(zip(table["class"], table["captions"], strict=True))["horse"] == 2
    assert not charts(app)
    app = visit(PAGE, contamination_on="AWA1 and AWA2, PS", contamination_extractor="CLIP")
    (field,) = app.get("file_uploader")
    field.set_value(("some.txt.gz", b"\x1f\x8bno", "application/gzip"))
    app.run()
    assert "[Not read: some" in words(app)
    assert "Could not be read to its end" in words(app)


def test_next_steps_lead_to_captions_and_near_duplicates():
    app = visit(PAGE, contamination_on="CUB, PS", contamination_extractor="CLIP")
    shown = [code.value for code in app.code]
    assert any("--on 'CUB, PS' --captions CAPTIONS.tsv" in line for line in shown)
    assert "finds test images that are nearly identical" in words(app)
    assert [link.proto.label for link in app.get("page_link")][-1] == "Look for near-duplicates"
    app = visit(PAGE, contamination_on="CUB, PS", contamination_extractor="DINOv2")
    assert not app.get("file_uploader")
    assert "finds test images that are nearly identical" in words(app)
    assert "Unknown does not mean clean" in words(app)


def test_a_data_set_of_the_app_can_be_chosen():
    app = visit(PAGE, contamination_on="a data set of this app", dataset="simulated-AWA2")
    assert "Unknown" in words(app)
    assert "horse" in words(app)


def test_own_classes_are_matched_and_escaped():
    app = visit(PAGE, contamination_on="your own classes")
    assert "2 of the 3 test classes" in words(app)
    app.text_area(key="contamination_classes").set_value("zebra\n<b>okapi</b>\n**x**").run()
    assert not app.exception
    assert "1 of the 3 test classes" in words(app)
    app.text_area(key="contamination_classes").set_value("").run()
    assert "[Not read: your list.] Found none" in words(app)
    assert "Expected the names of the test classes" in words(app)
    app.text_area(key="contamination_classes").set_value("\n".join(map(str, range(301)))).run()
    assert "at most 300 classes" in words(app)


def test_the_map_has_a_mark_for_every_cell_and_counts_in_words():
    app = opened("Map", contamination_on="CUB, PS", contamination_extractor="ResNet-101")
    figure = charts(app)[0].figure
    *traces, key = figure["data"]
    drawn = {
        (title, test_set): (text, hover)
        for trace in traces
        for title, test_set, text, hover in zip(
            *(trace[name] for name in ("x", "y", "text", "customdata")), strict=True
        )
    }
    titles = figure["layout"]["xaxis"]["categoryarray"]
    assert len(drawn) == len(titles) * len(contamination.test_sets())
    assert {"WIT-400M", "Kinetics-664", "LAION-2B"}.isdisjoint(titles)
    assert "Left out: 11 pre-training sets, since their overlap is unknown" in words(app)
    assert "6+1" in key["name"]
    assert len({trace["marker"]["symbol"] for trace in traces}) == len(traces) == 4
    assert len(figure["layout"]["shapes"]) == 2
    text, hover = drawn["Kinetics-400", "UCF101 · 101"]
    assert text == "\N{NO-BREAK SPACE}61+25"
    assert hover == "61 of 101 in the set, 25 related<br>Huang et al. 2021: 61 in the set"


def test_the_relation_of_classes_has_the_words_and_numbers_of_the_map():
    app = opened("Classes", contamination_on="aPY, SS")
    table = app.dataframe[0]
    assert dict(table.value["overlap"].value_counts()) == {"in the set": 7, "related": 1}
    assert "7 of the 12 test classes" in words(app)
    app.session_state["contamination_tab"] = "Map"
    app.run()
    names = [trace.get("name") for trace in charts(app)[0].figure["data"]]
    assert "in the set" in names
    assert "overlap" not in names
    # the reasons are longer than other cells
    assert json.loads(table.proto.columns)["evidence"]["width"] >= 350


def test_the_chosen_extractor_is_marked_and_sources_are_links():
    (table,) = opened("Extractors", contamination_extractor="CLIP").dataframe
    assert table.value["extractor"].iloc[0] == "CLIP"
    assert "background-color" in table.proto.arrow_data.styler.styles
    by_name = table.value.set_index("extractor")
    for extractor in contamination.extractors().values():
        assert by_name.at[extractor.name, "url"] == extractor.url
        assert by_name.at[extractor.name, "paper"].split(", ")[-1] in extractor.source
        assert len(by_name.at[extractor.name, "paper"]) < 40


def test_the_accuracy_of_the_comparison_is_below_the_classes():
    app = opened("Classes")
    assert reliability.describe_reliability() in words(app)
