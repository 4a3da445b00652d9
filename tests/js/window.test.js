// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import watch from "../../ui/components/window/window.js";
import { isDark } from "../../zslcore/interactive/canvas.js";

test("a page is dark where its colour is nearer to black", () => {
  assert.ok(isDark("rgb(16, 20, 24)"));
  assert.ok(!isDark("rgb(255, 255, 255)"));
  assert.ok(!isDark("rgba(255, 255, 0, 0.5)"));
  assert.ok(!isDark("")); // nothing is known: the light theme
});

/** What a page is looked at with, and what the server is told. @param {string} color */
function page(color, matches = false) {
  /** @type {Map<string, () => void>} */
  const heard = new Map();
  const listening = {
    matches,
    addEventListener: (/** @type {string} */ name, /** @type {() => void} */ tell) =>
      heard.set(name, tell),
    removeEventListener: (/** @type {string} */ name) => heard.delete(name),
  };
  const look = { backgroundColor: color };
  Object.assign(globalThis, { matchMedia: () => listening, getComputedStyle: () => look });
  return { heard, listening, look, parent: { querySelector: () => listening } };
}

test("the server hears of another look, and of nothing else", () => {
  const { heard, listening, look, parent } = page("rgb(255, 255, 255)");
  /** @type {unknown[]} */
  const told = [];
  const end = watch({
    data: { dark: false, narrow: false },
    parentElement: /** @type {any} */ (parent),
    setStateValue: (_, value) => told.push(value),
  });
  heard.get("transitionend")?.();
  assert.deepEqual(told, []);
  look.backgroundColor = "rgb(16, 20, 24)";
  heard.get("transitionend")?.();
  listening.matches = true;
  heard.get("change")?.();
  assert.deepEqual(told, [{ dark: true, narrow: false }, { dark: true, narrow: true }]);
  end();
  assert.equal(heard.size, 0);
});
