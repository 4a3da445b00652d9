// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { shareTheme } from "../../ui/components/page_tools/theme.js";

/** A substitute for a window opened at an address. @param {string} address @param {Record<string, string>} stored */
function browser(address, stored) {
  const events = new EventTarget(), keys = () => Object.keys(stored);
  const localStorage = {
    get length() { return keys().length; },
    /** @param {number} k */ key: (k) => keys()[k] ?? null,
    /** @param {string} key */ getItem: (key) => stored[key] ?? null,
    /** @param {string} key @param {string} value */ setItem: (key, value) => { stored[key] = value; },
  };
  const window = {
    localStorage, location: { href: "http://h/elsewhere" }, addEventListener: events.addEventListener.bind(events),
    performance: { getEntriesByType: () => [{ name: address }] },
  };
  shareTheme(/** @type {any} */ (window), ["", "data", "leakage"]);
  return { leave: () => events.dispatchEvent(new Event("pagehide")), stored };
}

test("leaving a page applies its theme to all pages", () => {
  const { leave, stored } = browser("http://h/data?view=splits", {});
  stored["stActiveTheme-/data-v2"] = '"Dark"';
  stored["other"] = "x";
  assert.equal(stored["stActiveTheme-/leakage-v2"], undefined);
  leave();
  assert.deepEqual(stored, {
    "stActiveTheme-/data-v2": '"Dark"', "other": "x",
    "stActiveTheme-/-v2": '"Dark"', "stActiveTheme-/leakage-v2": '"Dark"',
  });
});

test("a server below a path, and a visitor without a choice", () => {
  const below = browser("http://h/lab/", { "stActiveTheme-/lab/-v2": '"Light"', "stActiveTheme-/-v2": '"Dark"' });
  below.leave();
  assert.equal(below.stored["stActiveTheme-/lab/leakage-v2"], '"Light"');
  assert.equal(below.stored["stActiveTheme-/-v2"], '"Dark"');
  const none = browser("http://h/", {});
  none.leave();
  assert.deepEqual(none.stored, {});
});
