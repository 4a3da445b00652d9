"""The path of a number, as listed in the guide: from the command `zslcore run` to the printed H."""

import re
import sys
from pathlib import Path

import zslcore
import zslcore.analysis.stored_runs
import zslcore.commands.run
from zslcore.__main__ import main

ROOT = Path(zslcore.__file__).parent
GUIDE = (ROOT.parent / "docs" / "guide" / "contributing.md").read_text(encoding="utf-8")
#: End points of the path: the formula, the curve and the printed lines.
ENDS = {("eszsl.py", "fit"), ("curve.py", "at"), ("stored_runs.py", "as_text")}


def callers(frame):
    """Yield the files of the package in the call stack."""
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT):
            yield path.relative_to(ROOT).as_posix()
        frame = frame.f_back


def test_the_guide_lists_the_files_between_the_command_and_the_printed_metric(own_data, capsys):
    files, reached = set(), set()

    def follow(frame, event, _):
        end = (Path(frame.f_code.co_filename).name, frame.f_code.co_name)
        if event == "call" and end in ENDS:
            reached.add(end)
            files.update(callers(frame))

    previous = sys.getprofile()
    sys.setprofile(follow)
    try:
        assert main(["run", "--method", "ESZSL", "--param", "lam=1", "--no-oracle"]) in (None, 0)
    finally:
        sys.setprofile(previous)
    assert reached == ENDS
    assert " H " in capsys.readouterr().out
    table = GUIDE.partition("to the printed H, a number")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", table, flags=re.MULTILINE)
    assert set(listed) == files
    assert len(listed) <= 9
