// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { isStep, keepSteps } from "../../ui/components/page_tools/steps.js";

/** A window with a history of addresses, as far as it is asked here. */
function browser() {
  const navigation = new EventTarget(), hand = new EventTarget();
  /** @param {string} navigationType */
  const say = (navigationType) =>
    navigation.dispatchEvent(Object.assign(new Event("currententrychange"), { navigationType }));
  const entries = ["http://h/page"], location = { href: entries[0] };
  /** @param {string} url @param {boolean} push */
  const go = (url, push) => {
    location.href = entries[push ? entries.length : entries.length - 1] = url;
    say(push ? "push" : "replace");
  };
  const history = {
    state: null,
    /** @param {unknown} _ @param {string} __ @param {string} url */
    replaceState: (_, __, url) => go(url, false),
    /** @param {unknown} _ @param {string} __ @param {string} url */
    pushState: (_, __, url) => go(url, true),
  };
  const window = {
    history, location, navigation, addEventListener: hand.addEventListener.bind(hand),
  };
  keepSteps(/** @type {any} */ (window));
  return { entries, hand, history, window };
}

test("a choice by hand is a step, and its page before is kept", () => {
  const { entries, hand, history } = browser();
  hand.dispatchEvent(new Event("keydown"));
  history.replaceState({}, "", "http://h/page?method=SAE");
  history.replaceState({}, "", "http://h/page?method=SJE");
  assert.deepEqual(entries, ["http://h/page", "http://h/page?method=SAE", "http://h/page?method=SJE"]);
});

test("what the page writes by itself, or after Back, is none", () => {
  const { entries, hand, history } = browser();
  history.replaceState({}, "", "http://h/page?a=1");
  hand.dispatchEvent(new Event("pointerdown"));
  hand.dispatchEvent(new Event("popstate"));
  history.replaceState({}, "", "http://h/page?a=2");
  assert.deepEqual(entries, ["http://h/page?a=2"]);
});

test("steps are kept once, and a browser that cannot tell goes on as it did", () => {
  const { entries, hand, history, window } = browser();
  keepSteps(/** @type {any} */ (window));
  hand.dispatchEvent(new Event("change"));
  history.replaceState({}, "", "http://h/page?a=1");
  assert.equal(entries.length, 2);
  keepSteps(/** @type {any} */ ({ history: {}, location: {} }));
});

test("another page or place on it is no choice", () => {
  assert.ok(isStep("http://h/p", "http://h/p?a=1"));
  assert.ok(!isStep("http://h/p", "http://h/q?a=1"));
  assert.ok(!isStep("http://h/p?a=1", "http://h/p?a=1#x"));
});
