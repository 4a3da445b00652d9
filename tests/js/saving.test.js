// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { shapesOf } from "../../ui/components/point_map/saving.js";
import { View } from "../../ui/components/point_map/view.js";

const SIZE = { width: 100, height: 50 };
const PANEL = {
  data: {
    n: 5, image: [0, 1, 2, 3, 0], xy: [0, 0, 1, 1, 2, 2, 99, 0, 0, 99],
    names: [{ text: "<cat & dog>", x: 0, y: 0 }],
  },
  radius: 2, size: SIZE, view: new View(SIZE, [0, 0, 10]),
};
const MAPS = {
  head: {
    file: "a&b", category: [1, 0, 1, 0],
    palette: [{ color: "#111", symbol: "square" }, { color: "#222", symbol: "circle" }],
  },
  meant: null, names: true, panels: [PANEL], theme: { ink: "black", halo: "white" },
};

/** The drawing of maps that have no page. @param {object} changes */
const drawn = (changes = {}) => shapesOf(/** @type {any} */ ({ ...MAPS, ...changes }));

/** @param {string} svg @param {RegExp} pattern */
const count = (svg, pattern) => (svg.match(pattern) || []).length;

test("there is a path for each category, and points out of sight are left out", () => {
  const svg = drawn();
  assert.deepEqual(svg.match(/(?<=<path fill=")[^"]+/g), ["#111", "#222"]);
  assert.equal(count(svg, /Z/g), 3);
  assert.ok(svg.includes("M48.0 25.0a")); // the first point is in the middle
});

test("what is not meant is faint, round and at the bottom", () => {
  const svg = drawn({ meant: [0, 0, 1, 1] });
  assert.deepEqual(svg.match(/(?<=<path fill=")[^"]+/g), ["#888", "#222"]);
  assert.equal(count(svg, /fill-opacity="0.16"/g), 1);
  assert.equal(count(svg, /L/g), 0);
});

test("text is text", () => {
  const svg = drawn();
  assert.ok(svg.includes("<title>a&#38;b</title>"));
  assert.ok(svg.includes(">&#60;cat &#38; dog&#62;</text>"));
  assert.equal(count(drawn({ names: false }), /<text/g), 0);
});

test("maps are beside each other", () => {
  const svg = drawn({ panels: [PANEL, PANEL] });
  assert.ok(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" width="212" height="50">'));
  assert.deepEqual(svg.match(/translate\([^)]+\)/g), ["translate(0 0)", "translate(112 0)"]);
});
