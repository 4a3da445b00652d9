"""Lessons: questions, computed answers, and votes of a room."""

import asyncio
import re
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from html import escape

import numpy as np
import pytest

from benchmarks.serving import Server
from benchmarks.visitors import Student
from tests.pages import ROOT, charts, visit, words
from ui.lessons import awa, calibration, handout
from ui.lessons.place import Place
from ui.lessons.registry import LESSONS
from ui.lessons.room import ROOMS, Rooms
from ui.lessons.step import Ranges
from zslcore.analysis import cross_dataset
from zslcore.exceptions import ZSLError
from zslcore.jobs import Visitor

pytestmark = pytest.mark.usefixtures("own_data")

STEPS = [
    pytest.param(lesson, step, id=f"{lesson.name}-{k}")
    for lesson in LESSONS.values()
    for k, step in enumerate(lesson.steps, start=1)
]
#: Numbers that are part of a name.
NAMES = re.compile(r"AWA[12]|LinearS2V|ImageNet-1K|γ = 0|2su")


@pytest.fixture
def no_jobs(monkeypatch):
    """Lessons show the printed table, so that they start no jobs."""
    monkeypatch.setattr(
        awa, "_table", lambda which: (cross_dataset.printed_table(), "AWA1", "AWA2")
    )


def test_there_are_three_lessons():
    assert [len(lesson.steps) for lesson in LESSONS.values()] == [13, 8, 8]


@pytest.mark.parametrize("lesson", LESSONS.values())
def test_a_cover_gives_no_answer_away(lesson):
    cover = lesson.cover()
    assert cover.traces
    written = [note["text"] for note in cover.layout.get("annotations", ())]
    written += [text for trace in cover.traces for text in trace.get("text") or ()]
    assert not re.search(r"\d", NAMES.sub("", " ".join([lesson.caption, *map(str, written)])))


@pytest.mark.parametrize(("lesson", "step"), STEPS)
def test_no_number_is_written_into_a_lesson(lesson, step):
    for text in (lesson.title, lesson.about, step.title, step.ask):
        assert not re.search(r"\d", NAMES.sub("", text)), text


@pytest.mark.parametrize(("lesson", "step"), STEPS)
@pytest.mark.usefixtures("no_jobs")
def test_every_step_computes_its_answer_and_shows_it(lesson, step):
    labels = step.answers.labels
    assert len(labels) == len(set(labels)) > 1
    views = [step.see(option) for option in step.control.options]
    assert step.right() == views[0].answer
    for view in views:
        assert view.answer in labels
        assert view.figure.traces
        assert view.notice.endswith((".", "!"))
        assert view.alt
    assert len({view.notice for view in views}) > 1 or lesson.name in ("awa", "leakage")


def test_overall_accuracy_is_of_predictions_without_calibration():
    test = calibration.validated_run("ESZSL")[1]
    answers = test.best_classes
    right = test.predicted(0.0) == test.y
    view = next(s for s in LESSONS["calibration"].steps if s.title == "Another test set").see(
        "ESZSL"
    )
    left = ~answers.of_seen | (np.cumsum(answers.of_seen) % 2 == 0)
    size = abs(right[left].mean() - right.mean())
    assert f"overall accuracy at γ = 0 changes by {100 * size:.1f} points" in view.notice


def test_every_number_is_in_exactly_one_range():
    ranges = Ranges((0.2, 0.5), lambda share: f"{share:.0%}")
    assert ranges.labels == ("less than 20%", "20% to 50%", "50% or more")
    assert [ranges.of(value) for value in (0, 0.2, 0.49, 0.5, 9)] == [
        *(ranges.labels[k] for k in (0, 1, 1, 2, 2))
    ]


# --- Rooms ----------------------------------------------------------------------------------------


def test_a_changed_vote_counts_once_and_no_name_is_stored():
    rooms = Rooms()
    code = rooms.open()
    for visit_, answer in (("a", "yes"), ("b", "no"), ("a", "no")):
        assert rooms.answer(code, "q", visit_, answer)
    assert rooms.counts(code, "q") == {"no": 2}
    assert not rooms.answer("NOPE", "q", "a", "yes")
    assert rooms.counts("NOPE", "q").total() == 0


def test_visits_and_questions_of_a_room_are_bounded():
    rooms = Rooms(max_visits=2, max_questions=1)
    code = rooms.open()
    assert [rooms.answer(code, "q", visit_, "yes") for visit_ in "abca"] == [
        True,
        True,
        False,
        True,
    ]
    assert not rooms.answer(code, "another", "a", "yes")


def test_many_votes_of_one_address_do_not_crowd_out_other_addresses():
    rooms = Rooms(max_visits=40)
    code = rooms.open()
    assert all(rooms.answer(code, "q", f"bot {k}", "wrong", "10.0.0.66") for k in range(40))
    assert not rooms.answer(code, "q", "bot 40", "wrong", "10.0.0.66")
    assert all(rooms.answer(code, "q", f"phone {k}", "right", f"10.0.1.{k}") for k in range(19))
    assert all(rooms.answer(code, "q", f"school {k}", "right", "10.0.2.1") for k in range(10))
    assert rooms.counts(code, "q") == {"right": 29, "wrong": 11}
    assert not rooms.answer(code, "q", "bot 41", "wrong", "10.0.0.66")
    assert rooms.counts(code, "q")["right"] == 29


def test_only_a_trusted_proxy_sets_the_address_of_a_visitor(tmp_path, monkeypatch):
    command = ["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "zslcore", "app", "--headless"]
    public = {"ZSL_PUBLIC": "1", "FORWARDED_ALLOW_IPS": "127.0.0.2"}
    server = Server(tmp_path, command=command, environment=public)
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    code = ROOMS.open()
    ROOMS.show(code, ("calibration", 1, False))
    try:
        server.wait()
        with ThreadPoolExecutor(1) as other:  # this thread may have the event loop of a browser
            other.submit(lambda: asyncio.run(forged(server.url, code))).result()
    finally:
        server.stop()
    with closing(sqlite3.connect(tmp_path / "data" / "rooms.sqlite")) as db:
        seen = [address for (address,) in db.execute("SELECT address FROM votes")]
    proxied = ["198.51.100.0", "198.51.100.1"]
    assert sorted(seen) == [*proxied, *["this machine"] * 4]


async def forged(url, code):
    """Vote six times with different ``X-Forwarded-For`` headers, the last two through 127.0.0.2."""
    for k in range(6):
        header = {"X-Forwarded-For": f"198.51.100.{k % 4}"}
        way = {"local_addr": ("127.0.0.2", 0)} if k >= 4 else {}
        student = Student(url, code, additional_headers=header, **way)
        await student.open()
        await student.vote(0)
        while ROOMS.counts(code, "calibration 1").total() <= k:
            await asyncio.sleep(0.05)
        await student.close()


TEACHER, FLOOD = Visitor("10.0.0.1", "teacher"), Visitor("10.0.0.1", "flood")


def test_many_rooms_of_one_address_close_no_room_of_another_address():
    rooms = Rooms(max_rooms=7)
    first = rooms.open(TEACHER)
    own = [rooms.open(FLOOD) for _ in range(20)]
    assert rooms.has(first)
    assert [rooms.has(code) for code in own] == [False] * 15 + [True] * 5
    last = rooms.open(Visitor("10.0.0.1", "without a cookie"))
    with pytest.raises(ZSLError, match="all 7 rooms of this server are taken; try again later"):
        rooms.open(Visitor("10.0.0.1", "without a cookie again"))
    elsewhere = rooms.open(Visitor("10.0.0.2", "teacher"))
    assert [rooms.has(code) for code in (first, elsewhere, last)] == [True, True, False]
    for k in range(20):
        with suppress(ZSLError):
            rooms.open(Visitor("10.0.0.3", f"without a cookie {k}"))
    assert [rooms.has(code) for code in (first, elsewhere)] == [True, True]


def test_the_oldest_room_of_a_browser_makes_room_for_its_next_one():
    rooms = Rooms(max_of_browser=2)
    codes = [rooms.open(TEACHER) for _ in range(2)]
    rooms.answer(codes[0], "q", "a", "yes")
    codes.append(rooms.open(TEACHER))
    assert [rooms.has(code) for code in codes] == [False, True, True]
    assert not rooms.counts(codes[0], "q")


def test_rooms_of_an_earlier_version_stay_open(own_data):
    columns = "code TEXT PRIMARY KEY, address TEXT, browser TEXT, opened REAL, used REAL"
    own_data.mkdir(exist_ok=True)
    with closing(sqlite3.connect(own_data / "rooms.sqlite")) as db:
        db.execute(f"CREATE TABLE rooms ({columns})")
        db.execute("INSERT INTO rooms VALUES ('ABCDE', '', '', ?, 0)", (time.time(),))
        db.commit()
    rooms = Rooms()
    assert rooms.answer("ABCDE", "q", "a", "yes")
    assert rooms.has(rooms.open(TEACHER))


def test_another_server_of_the_data_folder_finds_the_room():
    code = Rooms().open()
    request = "from ui.lessons.room import ROOMS; import sys; c = sys.argv[1]; print(ROOMS.has(c), "
    request += "ROOMS.answer(c, 'q', 'b', 'no'), dict(ROOMS.counts(c, 'q')))"
    assert ROOMS.answer(code, "q", "a", "yes")
    run_result = subprocess.run(
        [sys.executable, "-c", request, code], capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert run_result.stdout.strip() == "True True {'yes': 1, 'no': 1}", run_result.stderr
    assert ROOMS.counts(code, "q") == {"yes": 1, "no": 1}


@pytest.mark.parametrize("damage", ["bytes", "a folder"])
def test_rooms_open_when_their_file_is_unusable(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    if damage == "bytes":
        (tmp_path / "rooms.sqlite").write_bytes(b"no database at all" * 400)
    else:
        (tmp_path / "rooms.sqlite").mkdir()
    assert Rooms().has(Rooms().open())


def test_a_room_closes_after_some_hours():
    now = [0.0]
    rooms = Rooms(seconds=10, clock=lambda: now[0])
    code = rooms.open()
    now[0] = 9.0
    assert rooms.answer(code, "q", "a", "yes")
    now[0] = 11.0
    assert not rooms.has(code)


def test_a_room_shows_its_thirty_answers():
    code = ROOMS.open()
    labels = LESSONS["calibration"].steps[0].answers.labels
    answers = [labels[k % 4] for k in range(30)]
    for k, answer in enumerate(answers[2:]):
        ROOMS.answer(code, "calibration 1", f"visit {k}", answer)
    for answer in answers[:2]:
        student = visit("lessons", lesson="calibration", room=code)
        predict(student, answer)
    ROOMS.show(code, ("calibration", 1, True))
    shown = visit("lessons", lesson="calibration", room=code)
    assert f"Predictions of room {code}:** 30 answers" in words(shown)
    drawn = charts(shown)[0].figure["data"][0]
    assert list(map(int, drawn["text"])) == [answers.count(label) for label in labels]
    assert answers.count(labels[0]) == 8


def predict(app, answer):
    (group,) = [g for g in app.get("button_group") if str(g.key).startswith("lesson_answer")]
    group.set_value(answer).run()
    assert not app.exception


def opened_room(lesson="calibration"):
    """Open a room as a teacher; return the page and the code."""
    teacher = visit("lessons", lesson=lesson)
    teacher.button(key="lesson_open_room").click().run()
    # query_params has a string or a list of one string
    code = "".join(teacher.query_params["room"])
    return teacher, code


def keys_of(app):
    return {button.key for button in app.button} & {"lesson_next", "lesson_previous"}


def test_students_vote_and_only_the_teacher_reveals_the_answer_and_moves_on():
    teacher, code = opened_room()
    assert keys_of(teacher) >= {"lesson_next"}
    # An address that asks for the answer does not show it.
    student = visit("lessons", lesson="calibration", room=code, lessons_shown="1")
    assert not keys_of(student)
    assert not charts(student)
    predict(student, LESSONS["calibration"].steps[0].answers.labels[0])
    teacher.button(key="lesson_next").click().run()  # the first click reveals the answer
    student.run()
    assert charts(student)
    assert "What to notice" in words(student)
    teacher.button(key="lesson_next").click().run()
    student.run()
    assert student.header[0].value.startswith("2 of 13")
    assert not charts(student)


def test_the_leaking_split_is_described_in_the_words_of_a_teacher():
    app = visit("lessons", lesson="leakage", lessons_step="1", lessons_shown="1")
    shown = words(app).replace("\\", "")
    assert "25 images are both trained on and tested" in shown
    assert "1,822 rows, but there are 1,797 images" in shown
    assert "**What is wrong with this split?**" in shown
    notices = [step.see(step.control.options[0]).notice for step in LESSONS["leakage"].steps[:4]]
    assert not any("trainval" in notice or "test_seen" in notice for notice in notices)
    assert notices[1].startswith("Digit 7 is trained on")
    assert notices[2].startswith("25 test images are copies")


def test_thirty_students_see_what_the_teacher_shows():
    _, code = opened_room()
    for step, revealed in ((3, False), (3, True), (13, True)):
        ROOMS.show(code, ("calibration", step, revealed))
        assert [ROOMS.shown(code) for _ in range(30)] == [("calibration", step, revealed)] * 30
    late = visit("lessons", lesson="awa", room=code)
    assert late.header[0].value.startswith("13 of 13")
    ROOMS.show(code, ("calibration", 99, False))
    assert visit("lessons", lesson="awa", room=code).header[0].value.startswith("13 of 13")


def test_the_entrance_is_next_to_the_question():
    teacher, code = opened_room()
    assert [header.value for header in teacher.header][1:] == [f"Room {code}: 0 answers"]
    assert any(f"room={code}" in element.value for element in teacher.code)
    assert not [
        popover for popover in teacher.get("popover") if popover.proto.popover.label == "Room"
    ]
    rooms = Rooms()
    rooms.show("NOPE", ("calibration", 1, True))
    assert rooms.shown("NOPE") is None


# --- The page -------------------------------------------------------------------------------------


def test_a_step_shows_its_figure_only_after_the_prediction():
    app = visit("lessons", lesson="calibration", lessons_step="2")
    assert app.header[0].value.startswith("2 of 13")
    assert not charts(app)
    app.button(key="lesson_next").click().run()
    assert app.query_params["lessons_shown"] in ("1", ["1"])
    assert charts(app)
    assert "What to notice:" in words(app)
    app.button(key="lesson_next").click().run()
    assert app.header[0].value.startswith("3 of 13")
    assert not charts(app)


@pytest.mark.parametrize(
    ("lesson", "step", "label"), [("calibration", "6", "γ"), ("leakage", "5", "Split")]
)
def test_a_control_named_like_a_term_has_its_explanation(lesson, step, label):
    app = visit("lessons", lesson=lesson, lessons_step=step, lessons_shown="1")
    assert app.pills[0].label == label  # visit checks that every term has its help


@pytest.mark.parametrize(
    ("step", "begins"),
    [("99", "13 of 13"), ("-1", "1 of 13"), ("²", "1 of 13"), ("x", "1 of 13")],
)
def test_an_invalid_step_in_the_address_opens_the_nearest_step(step, begins):
    app = visit("lessons", lesson="calibration", lessons_step=step, room="<script>")
    assert app.header[0].value.startswith(begins)
    assert "room" in app.toast[0].value


@pytest.mark.parametrize(("name", "value"), [("room", "XXXXX"), ("lesson", "none")])
def test_a_link_to_no_room_or_lesson_says_so_above_the_list(name, value):
    app = visit("lessons", **{name: value})
    assert [name in each.value for each in app.toast] == [True]
    assert app.button(key="lessons_begin_calibration")


def test_the_last_step_ends_with_a_command():
    app = visit("lessons", lesson="calibration", lessons_step="13", lessons_shown="1")
    assert "zslcore run --dataset simulated-AWA1" in app.code[0].value


def test_an_unknown_lesson_in_the_address_opens_the_list():
    app = visit("lessons", lesson="nonsense")
    assert len([b for b in app.button if b.label == "Begin"]) == len(LESSONS)


def test_a_handout_has_every_step_with_its_question_answers_and_figure():
    lesson = LESSONS["calibration"]
    html = handout.handout(lesson, Place("calibration", room="Q7QZ7"))
    request, shown = html.split('<h1 class="answers">')
    for half in (request, shown):
        assert half.count("<section>") == len(lesson.steps)
    assert shown.count("<p>What to notice: ") == len(lesson.steps)
    # Readers see all questions before any answer.
    assert "What to notice: " not in request
    assert "<iframe srcdoc=" not in request
    assert "break-before: page" in html
    assert html.count("<iframe srcdoc=") == len(lesson.steps)
    for k, step in enumerate(lesson.steps, start=1):
        assert f"{k}. {escape(step.title)}" in html
        assert len(re.findall(rf"lessons_step={k}\b", html)) == 2
        assert all(f"☐ {escape(label)}" in request for label in step.answers.labels)
    assert html.count(lesson.command()) == 1
    assert "room=Q7QZ7" not in html  # the room no longer exists when a handout is read


def test_the_link_of_a_room_is_short_and_leads_to_its_step(monkeypatch):
    monkeypatch.setattr(handout.downloads, "address", lambda: "http://h:1/lessons?room=OLD")
    code = ROOMS.open()
    assert handout.link_of({"room": code}) == f"http://h:1/lessons?room={code}"
    ROOMS.show(code, ("awa", 3, False))
    app = visit("lessons", room=code)
    assert app.header[0].value.startswith("3 of 8")
