// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { isNewStep, recordSteps } from "../../ui/components/page_tools/steps.js";

/** A substitute for a window with a history of addresses. */
function browser() {
  const hand = new EventTarget();
  const entries = ["/page"], location = { href: "http://h/page" };
  /** @param {string} url @param {boolean} push */
  const go = (url, push) => {
    location.href = new URL(url, location.href).href;
    entries[push ? entries.length : entries.length - 1] = url;
  };
  const history = {
    /** @param {unknown} _ @param {string} __ @param {string} url */
    replaceState: (_, __, url) => go(url, false),
    /** @param {unknown} _ @param {string} __ @param {string} url */
    pushState: (_, __, url) => go(url, true),
  };
  const window = { history, location, addEventListener: hand.addEventListener.bind(hand) };
  recordSteps(/** @type {any} */ (window));
  /** @param {string} kind */
  const act = (kind) => hand.dispatchEvent(new Event(kind));
  return { entries, act, history, window };
}

test("a choice is a step of the history even if it replaces the address", () => {
  const { entries, act, history } = browser();
  act("keydown");
  history.replaceState({}, "", "/page?method=SAE");
  act("pointerdown");
  history.replaceState({}, "", "/page?method=SJE");
  assert.deepEqual(entries, ["/page", "/page?method=SAE", "/page?method=SJE"]);
});

test("a link to another page is one step, with any intermediate addresses", () => {
  const { entries, act, history } = browser();
  act("pointerdown");
  history.pushState({}, "", "/page?view=b");
  act("pointerdown");
  history.pushState({}, "", "/page");
  history.pushState({}, "", "/other");
  history.replaceState({}, "", "/other?dataset=CUB");
  assert.deepEqual(entries, ["/page", "/page?view=b", "/other?dataset=CUB"]);
});

test("changes by the page itself, or after Back, are no steps", () => {
  const { entries, act, history } = browser();
  history.pushState({}, "", "/page?a=1");
  act("pointerdown");
  act("popstate");
  history.replaceState({}, "", "/page?a=2");
  assert.deepEqual(entries, ["/page?a=2"]);
});

test("a repeated address is no step, and steps are recorded once", () => {
  const { entries, act, history, window } = browser();
  recordSteps(/** @type {any} */ (window));
  act("change");
  history.replaceState({}, "", "/page");
  history.replaceState({}, "", "/page?a=1");
  assert.deepEqual(entries, ["/page", "/page?a=1"]);
});

test("another fragment of the same page is no step", () => {
  assert.ok(isNewStep("http://h/p", "/p?a=1"));
  assert.ok(isNewStep("http://h/p?a=1", "http://h/q?a=1"));
  assert.ok(!isNewStep("http://h/p?a=1", "http://h/p?a=1#x"));
  assert.ok(!isNewStep("http://h/p?a=1", ""));
});
