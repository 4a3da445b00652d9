"""Leakage in a browser: uploads and downloads, decisions in a table, clicks on bars."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import numpy as np

from benchmarks.visitors import VISITS, Visitor
from tests.browser.reading import box_of, once, saved, settle, visit
from tests.datasets.files import with_type_code, write_folder
from tests.leakage.worlds import add, clean
from zslcore.datasets import load
from zslcore.datasets.facts import class_facts
from zslcore.evaluation.protocol import fit_and_score
from zslcore.methods import get_method

LEAKS = re.compile("No: it leaks")
#: Collects the distances of an element from the top of the window, in each frame.
FOLLOW = """selector => {
    window.tops = [];
    const look = () => {
        const top = Math.round(document.querySelector(selector)?.getBoundingClientRect().y);
        if (!window.tops.includes(top)) window.tops.push(top);
        requestAnimationFrame(look);
    };
    look();
}"""


def drop(page, *files):
    page.locator("input[type=file]").first.set_input_files(list(files))


def split_file(folder, context):
    path = folder / "att_splits.json"
    rows = {part: list(map(int, rows)) for part, rows in context.parts.items()}
    path.write_text(json.dumps({"schema": "zslcore-split/1", "parts": rows}))
    return path


def edited(page, row, text):
    """Choose ``text`` in the last column of a table's row, 1 for the first."""
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    box = box_of(grid)
    page.mouse.dblclick(box["x"] + box["width"] - 60, box["y"] + 35 * row + 18)
    page.locator("#portal input").wait_for()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    # Otherwise the editor takes the next click.
    page.locator("#portal input").wait_for(state="detached")


def test_a_leaking_file_fails_and_its_correction_passes(page, server, tmp_path):
    world = add(clean(), clean().parts["test_seen"][:4], "trainval")
    visit(page, server, "/leakage")
    drop(page, split_file(tmp_path, world))
    page.get_by_text("In both trainval (training) and test_seen (test): 4 rows").first.wait_for()
    page.get_by_text(LEAKS).first.wait_for()
    page.get_by_role("button", name="Corrected file").click()
    corrected = tmp_path / "corrected.mat"
    corrected.write_bytes(saved(page, page.get_by_role("button", name="MAT file").click)[1])
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Full audit").click()
    assert b"<failure" in saved(page, page.get_by_role("button", name="JUnit").click)[1]

    visit(page, server, "/leakage")
    drop(page, corrected)
    page.get_by_text("Split: corrected.mat").wait_for()
    page.get_by_text("Unknown:").first.wait_for()  # nothing is known about the features
    assert page.errors == []


def test_a_hostile_file_is_refused_as_the_answer_and_choices_stay(page, server, tmp_path):
    evil = write_folder(tmp_path / "evil", compress=False)
    with_type_code(evil / "att_splits.mat", 200)
    visit(page, server, "/leakage?leakage_gamma=validation")
    drop(page, evil / "att_splits.mat")
    heading = page.get_by_role("heading", name="Not read: att_splits.mat")
    heading.wait_for()
    assert re.fullmatch(r"[^\n]+\.", heading.inner_text())
    assert "leakage_gamma=validation" in page.url
    assert server.process.poll() is None

    visit(page, server, "/leakage")
    page.get_by_text(LEAKS).first.wait_for()


def test_files_of_three_models_do_not_move_the_picture(page, server, tmp_path):
    digits = load("digits")
    scored = fit_and_score(get_method("ESZSL")(), digits, digits.split("PS"))
    content = {"y": scored.y, "unseen_classes": np.flatnonzero(~scored.seen)}
    for k in range(3):
        np.savez(tmp_path / f"scores_of_the_model_{k}.npz", scores=scored.F * (1 + k), **content)
    visit(page, server, "/scores")
    page.evaluate(f"({FOLLOW})('.st-key-scores_pictures')")
    drop(page, *sorted(tmp_path.glob("*.npz")))
    page.get_by_role("heading", name="of 3 files").wait_for()
    settle(page)
    assert len(page.evaluate("window.tops")) == 1


def test_rejecting_every_match_changes_the_verdict_and_the_address(page, server):
    choices = "dataset=simulated-AWA2&split=SS&leakage_tab=Confirm or reject"
    visit(page, server, f"/leakage?leakage_source=a data set&{choices}")
    leaks = page.get_by_text(LEAKS)
    leaks.first.wait_for()
    for row in range(1, 7):
        edited(page, row, "rejected")
        page.wait_for_url(lambda url, row=row: url.count("rejected") == row)
        settle(page)
    once(page, lambda: not leaks.count())
    assert "decisions=" in page.url
    page.reload()
    page.get_by_text("0 of 10").first.wait_for()
    assert not leaks.count()


def test_a_click_opens_the_class_of_a_bar(page, shipped_server):
    visit(page, shipped_server, "/overlap_gain?gain_data=simulated-AWA2")
    bar = page.locator(".st-key-gain_bars .bars rect").nth(3)
    bar.scroll_into_view_if_needed()
    box = box_of(bar)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 0.8 * box["height"])
    page.wait_for_url(re.compile("gain_class="))
    settle(page)
    opened = parse_qs(urlsplit(page.url).query)["gain_class"][0]
    classes = class_facts("AWA2").classes
    # Bars show classes of ImageNet-1K only.
    assert opened in set(classes.loc[classes["imagenet1k"] != "", "class"])
    page.get_by_text(re.compile("is in ImageNet-.*synset n0")).wait_for()
    sentence = page.get_by_text("Accuracy with pre-training minus").inner_text()
    counts = re.search(
        r"on the (\d+) classes in ImageNet-\W?1K, \S+ on (\d+)\srelated and \S+ on (\d+)", sentence
    )
    inside, related, unrelated = map(int, counts.groups())
    assert inside + related + unrelated == 50
    heads = page.locator(".st-key-gain_bars text").filter(has_text="mean +")
    assert heads.count() == 3
    assert page.errors == []


def test_another_split_runs_a_part_of_the_page_and_another_data_set_all_of_it(server):
    async def choose():
        visitor = Visitor(server.url, 0, next(visit for visit in VISITS if visit.page == "leakage"))
        await visitor.open()
        await visitor.change()
        runs = [(visitor.finished, visitor.parts)]
        menu = visitor.widgets["Data set"]
        visitor.chosen[menu.id] = "digits"
        visitor.chosen.pop(visitor.widgets["Split"].id)
        await visitor.request_run(visitor.fragments[menu.id], by_itself=False)
        await visitor.wait_until(lambda: visitor.finished > 1)
        await visitor.close()
        return [*runs, (visitor.finished, visitor.parts)]

    with ThreadPoolExecutor() as other:  # this thread has the event loop of the browser
        assert other.submit(asyncio.run, choose()).result() == [(1, 1), (2, 1)]
