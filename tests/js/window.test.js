// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import watch from "../../ui/components/window/window.js";
import { isDark } from "../../zslcore/interactive/canvas.js";

test("a page is dark if its colour is nearer to black", () => {
  assert.ok(isDark("rgb(16, 20, 24)"));
  assert.ok(!isDark("rgb(255, 255, 255)"));
  assert.ok(!isDark("rgba(255, 255, 0, 0.5)"));
  assert.ok(!isDark("")); // unknown: the light theme
});

/** A substitute for a browser window, and the messages to the server. @param {string} color */
function page(color, matches = false) {
  /** @type {Map<string, () => void>} */
  const listeners = new Map();
  const media = {
    matches,
    addEventListener: (/** @type {string} */ name, /** @type {() => void} */ tell) =>
      listeners.set(name, tell),
    removeEventListener: (/** @type {string} */ name) => listeners.delete(name),
  };
  const look = { backgroundColor: color };
  Object.assign(globalThis, { matchMedia: () => media, getComputedStyle: () => look });
  return { listeners, media, look, parent: { querySelector: () => media } };
}

test("the server is notified of another theme or width only", () => {
  const { listeners, media, look, parent } = page("rgb(255, 255, 255)");
  /** @type {unknown[]} */
  const messages = [];
  const end = watch({
    data: { dark: false, narrow: false },
    parentElement: /** @type {any} */ (parent),
    setStateValue: (_, value) => messages.push(value),
  });
  listeners.get("transitionend")?.();
  assert.deepEqual(messages, []);
  look.backgroundColor = "rgb(16, 20, 24)";
  listeners.get("transitionend")?.();
  media.matches = true;
  listeners.get("change")?.();
  assert.deepEqual(messages, [{ dark: true, narrow: false }, { dark: true, narrow: true }]);
  end();
  assert.equal(listeners.size, 0);
});
