"""Verdicts on generated files: no fault passes, no sound file is accused, every cause is named."""

import re
from pathlib import Path

import pytest

from tests.verdicts import conventions, exports, fields, inputs, labs, programs, variants
from tests.writing import write_file
from zslcore.__main__ import main

GENERATORS = (
    *inputs.GENERATORS,
    *fields.GENERATORS,
    *labs.GENERATORS,
    *programs.GENERATORS,
    *exports.GENERATORS,
    *conventions.GENERATORS,
    *variants.GENERATORS,
)
VERDICTS = {0: "clean", 1: "leaks", 2: "broken", 3: "unknown"}
#: Maximum number of letters of a report before the cause of a verdict.
HEADLINE = 900


def fault_of(case, verdict, report):
    """Return the fault of a verdict and its report; empty if both are right."""
    headline = report
    if case.command[0] == "check":
        headline = " ".join(report.split())[:HEADLINE]
    if verdict not in case.expected.split():
        return f"expected {case.expected}"
    if not re.search(case.cause, headline, re.DOTALL):
        return f"expected the cause {case.cause!r}"
    if case.never and re.search(case.never, report):
        return f"expected no {case.never!r}"
    return ""


@pytest.mark.nightly
@pytest.mark.parametrize("generate", GENERATORS, ids=lambda generate: generate.__name__)
def test_every_verdict_and_its_cause_are_right(generate, tmp_path, monkeypatch, capsys):
    faults = []
    for number, case in enumerate(generate()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, content in case.files.items():
            write_file(Path(name), content)
        try:
            status = main(list(case.command))
        except SystemExit as ended:
            status = ended.code
        report = "".join(capsys.readouterr()).strip()
        if fault := fault_of(case, VERDICTS[status], report):
            faults.append(f"{case.name}: {fault}, got {VERDICTS[status]}: {report[:HEADLINE]}")
    assert not faults, "\n\n".join(faults)


def test_wrong_verdicts_wrong_causes_and_forbidden_words_are_detected():
    case = next(case for case in GENERATORS[0]() if case.faulty and case.cause)
    assert fault_of(case, "clean", "")
    assert fault_of(case, case.expected.split()[0], "nothing")
