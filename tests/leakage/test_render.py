import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.leakage.worlds import FAULTS, clean
from zslcore.exceptions import ParameterError, UnknownNameError
from zslcore.interactive import colors
from zslcore.leakage import FORMATS, Finding, Report, audit_context, render
from zslcore.leakage.render import to_junit
from zslcore.leakage.report import FAIL_ON, MARKS, Bar, Evidence, Picture
from zslcore.numbers import counted

NASTY = '<script>alert("x")</script> & | `code` **b** \x00\x1b[31m \ud800 ]]> ‮ [a](javascript:1)'


def test_thousands_have_separators():
    assert [counted(n, "row") for n in (1, 2, 1764)] == ["1 row", "2 rows", "1,764 rows"]


def faulty(names=()):
    world = clean()
    for fault in ("equal prototypes", "seen test row trained on", "equal features"):
        world = FAULTS[fault][0](world)
    return audit_context(replace(world, class_names=tuple(names) or world.class_names))


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.text = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [v for k, v in attrs if k in ("src", "href", "onclick", "style")]

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_every_finding(name):
    report = faulty()
    text = render(report, name)
    text.encode("utf-8")
    for finding in report.findings:
        assert finding.check in text
    assert "2 rows" in text or "1 row" in text


def test_names_are_escaped_in_every_format():
    report = faulty([f"{NASTY} {c}" for c in range(8)])
    page = Page()
    page.feed(render(report, "html"))
    tags = "html head meta title style body h1 h2 p details summary table thead tbody tr th td "
    assert page.tags == {*f"{tags} main div ul li b i".split()}
    assert page.links == []
    root = ElementTree.fromstring(render(report, "junit"))
    assert any('alert("x")' in (case.text or "") for case in root.iter())


def test_html_reports_load_no_external_resource():
    html = render(faulty(), "html")
    for word in ("http:", "https:", "url(", "@import", "<script", "<link", "<img"):
        assert word not in html


def test_json_is_complete_and_strict():
    report = faulty()
    read = json.loads(render(report, "json"), parse_constant=lambda c: pytest.fail(c))
    assert read["verdict"] == report.verdict == "leaks"
    assert [f["sentence"] for f in read["findings"]] == [f.sentence for f in report.findings]
    assert [f["rows"] for f in read["findings"]] == [list(f.rows) for f in report.findings]
    assert {c["id"] for c in read["checks"]} == set(report.titles)


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_junit_agrees_with_the_exit_status(fail_on):
    report = faulty().accept(["ZSL006"])
    suite = ElementTree.fromstring(to_junit(report, fail_on))[0]
    assert (int(suite.get("failures")) > 0) == report.fails(fail_on)
    assert len(suite.findall("testcase")) == int(suite.get("tests")) == len(report.titles)
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures"))
    assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped"))
    assert len(suite.findall("testcase/error")) == int(suite.get("errors"))


def test_unchecked_items_fail_in_junit_unless_accepted():
    for accepted, outcome in (((), "error"), (("ZSL006",), "skipped")):
        suite = ElementTree.fromstring(to_junit(faulty().accept(accepted)))[0]
        case = next(c for c in suite if c.get("name").startswith("ZSL006"))
        assert "Not checked" in case.find(outcome).get("message")


@settings(max_examples=20, deadline=None)
@given(st.text(), st.sampled_from(MARKS))
def test_any_text_makes_a_report_of_every_format(text, mark):
    evidence = Evidence.of(text, (text,), [(text,), (np.float64("nan"),)])
    finding = Finding("ZSL001", mark, text, text, (evidence,), classes=(text,))
    report = Report(text, text, (finding,), {"read": text})
    for format_ in FORMATS:
        render(report, format_)
    ElementTree.fromstring(render(report, "junit"))
    json.loads(render(report, "json"))


def test_misspelt_formats_and_options_are_refused():
    report = faulty()
    with pytest.raises(UnknownNameError, match="did you mean 'junit'"):
        render(report, "jnuit")
    with pytest.raises(ParameterError):
        report.fails("fail")
    with pytest.raises(UnknownNameError):
        report.of("ZSL03")


def test_an_open_finding_that_was_accepted_does_not_decide():
    findings = (Finding("ZSL001", "open", ""), Finding("ZSL002", "warning", ""))
    report = Report("x", "", findings)
    assert (report.verdict, report.accept(["ZSL001"]).verdict) == ("unknown", "clean")
    assert report.accept(["ZSL002"]).verdict == "unknown"


def test_long_evidence_is_cut_with_a_note():
    evidence = Evidence.of("rows", ("row",), ((np.int64(k),) for k in range(1000)))
    assert (len(evidence.rows), evidence.total) == (100, 1000)
    assert type(evidence.rows[0][0]) is int
    assert len(evidence.table()) == 100


def test_marks_are_set_without_editing_a_check():
    marks = {"ZSL012": "leak", "ZSL009": "warning", "ZSL001": "open"}
    report = Report("x", "", tuple(Finding(check, mark, "s") for check, mark in marks.items()))
    strict = report.with_marks({"ZSL009": "leak", "ZSL001": "leak"})
    # An open finding stays open with any mark of its check.
    assert [f.mark for f in strict.findings] == ["leak", "leak", "open"]
    assert "Custom rules: ZSL009 as leak; ZSL001 as leak." in render(strict)
    assert "Conditions" not in render(report)
    with pytest.raises(ParameterError, match=r"ZSL009: expected .*; got 'loud'"):
        report.with_marks({"ZSL009": "loud"})
    with pytest.raises(UnknownNameError):
        report.with_marks({"ZSL12": "ok"})


def test_pictures_in_reports_have_the_colours_of_the_app():
    style, page = (
        files("zslcore.leakage").joinpath(name).read_text()
        for name in ("report.css", "report.html")
    )
    light, dark = (dict(re.findall(r"--(\w+): (#\w+)", part)) for part in style.split("@media")[:2])
    for name in ("leak", "overlap", "seen", "unseen", "validated"):
        hue = getattr(colors, name.upper())
        assert (light[name], dark[name]) == (hue.light, hue.dark)
    assert not re.search("#[0-9A-Fa-f]{6}", page)
    bar = Bar("test_seen", 10, 6, "2 of 10 leak, 4 in leaking classes", by_class=4)
    report = replace(faulty(), picture=Picture("rows", (bar,)))
    widths = dict(re.findall(r'width="([\d.]+)" [^>]*var\(--(\w+)\)', render(report, "html")))
    assert widths == {"240.0": "seen", "144.0": "overlap", "48.0": "leak"}
