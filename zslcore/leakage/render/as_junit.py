"""A report as JUnit XML, which every CI server draws as tests."""

from __future__ import annotations

import re
from collections.abc import Collection
from xml.etree import ElementTree

from zslcore.leakage.report import FAIL_ON, AuditReport, FailOn, Severity

#: What XML 1.0 cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: AuditReport, fail_on: FailOn = "fail", accepted: Collection[str] = ()) -> str:
    """Return one test case per check; ``fail_on`` decides which findings are failures.

    What could not run is an error, so that no server draws it green; for a check among
    ``accepted`` it is a skipped test with its reason, as what is unknown is, unless it fails.
    """
    suite = ElementTree.Element("testsuite", name=_clean(f"zslcore audit: {report.subject}"))
    n = {"failure": 0, "error": 0, "skipped": 0}
    for id_, title in report.titles.items():
        case = ElementTree.SubElement(suite, "testcase", name=f"{id_} {title}")
        case.set("classname", _clean(f"zslcore.leakage.{report.subject}"))
        outcome = _outcome(report.severity(id_), fail_on, id_ in accepted)
        text = "\n".join(f"{f.severity}: {f.message} {f.advice}".strip() for f in report.of(id_))
        if outcome:
            n[outcome] += 1
            worst = min(report.of(id_), key=lambda f: f.severity.rank)
            ElementTree.SubElement(case, outcome, message=_clean(worst.message)).text = _clean(text)
        else:
            ElementTree.SubElement(case, "system-out").text = _clean(text)
    suite.set("tests", str(len(report.titles)))
    suite.set("failures", str(n["failure"]))
    suite.set("skipped", str(n["skipped"]))
    suite.set("errors", str(n["error"]))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _outcome(severity: Severity, fail_on: FailOn, accepted: bool) -> str:
    if severity in FAIL_ON[fail_on]:
        return "failure"
    if severity is Severity.DID_NOT_RUN and not accepted:
        return "error"
    return "skipped" if severity in (Severity.UNKNOWN, Severity.DID_NOT_RUN) else ""


def _clean(text: str) -> str:
    return NOT_XML.sub("", text)
