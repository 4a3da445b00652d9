// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { drawVectors } from "../../zslcore/interactive/point_map/saving.js";
import { View } from "../../zslcore/interactive/point_map/view.js";

const SIZE = { width: 100, height: 50 };
const PANEL = {
  data: {
    title: "left & right", n: 5, image: [0, 1, 2, 3, 0], xy: [0, 0, 1, 1, 2, 2, 99, 0, 0, 99],
    names: [{ text: "<cat & dog>", x: 0, y: 0 }],
  },
  radius: 2, size: SIZE, view: new View(SIZE, [0, 0, 10]),
};
const MAPS = {
  head: {
    file: "a&b", title: "t-SNE of A & B", category: [1, 0, 1, 0], legend: "none", ends: ["", ""],
    palette: [{ label: "A <1>", color: "#111", symbol: "square" },
      { label: "B", color: "#222", symbol: "circle" }],
  },
  highlighted: null, showsNames: true, panels: [PANEL], theme: { ink: "black", halo: "white" },
};

/** Draw maps without a page. @param {object} changes */
const drawn = (changes = {}) => drawVectors(/** @type {any} */ ({ ...MAPS, ...changes }));

/** @param {string} svg @param {RegExp} pattern */
const count = (svg, pattern) => (svg.match(pattern) || []).length;

test("each category has a path, and points outside the view are left out", () => {
  const svg = drawn();
  assert.deepEqual(svg.match(/(?<=<path fill=")[^"]+/g), ["#111", "#222"]);
  assert.equal(count(svg, /Z/g), 3);
  assert.ok(svg.includes("M48.0 25.0a")); // the first point is in the middle
});

test("points that are not selected are faint, round and at the bottom", () => {
  const svg = drawn({ highlighted: [0, 0, 1, 1] });
  assert.deepEqual(svg.match(/(?<=<path fill=")[^"]+/g), ["#888", "#222"]);
  assert.equal(count(svg, /fill-opacity="0.16"/g), 1);
  assert.equal(count(svg, /L/g), 0);
});

test("text is escaped", () => {
  const svg = drawn();
  assert.ok(svg.includes("<title>t-SNE of A &#38; B</title>"));
  assert.ok(svg.includes(">&#60;cat &#38; dog&#62;</text>"));
  assert.equal(count(drawn({ showsNames: false }), /<text/g), 2); // the titles of picture and map
});

test("maps are side by side", () => {
  const svg = drawn({ panels: [PANEL, PANEL] });
  assert.ok(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg" width="212" height="100">'));
  assert.deepEqual(svg.match(/translate\([^)]+\)/g), ["translate(0 50)", "translate(112 50)"]);
});

test("titles are above the maps", () => {
  const svg = drawn({ panels: [PANEL, PANEL], showsNames: false });
  assert.equal(count(svg, />t-SNE of A &#38; B<\/text>/g), 1);
  assert.equal(count(svg, />left &#38; right<\/text>/g), 2);
});

test("the legend has all colours with their symbols, in several rows if it is long", () => {
  const list = { ...MAPS.head, legend: "list" };
  const svg = drawn({ head: list, showsNames: false });
  assert.deepEqual(svg.match(/(?<=class="sign" fill=")[^"]+/g), ["#111", "#222"]);
  assert.ok(svg.includes(">A &#60;1&#62;</text>"));
  assert.ok(svg.includes('height="132"')); // 50 above, the map, a gap and one row
  const many = Array.from({ length: 20 }, (_, i) => (
    { label: `class ${i}`, color: `#0${i % 10}0`, symbol: "x" }));
  const tall = drawn({ head: { ...list, palette: many }, showsNames: false });
  const height = Number(/height="(\d+)"/.exec(tall)?.[1]);
  assert.ok(height >= 50 + 50 + 12 + 20 * 10);
  for (const { label } of many) assert.ok(tall.includes(`>${label}</text>`));
  for (const [, y] of tall.matchAll(/<text x="[^"]+" y="([^"]+)"/g)) assert.ok(Number(y) < height);
});

test("a scale has both ends and all colours between", () => {
  const svg = drawn({ head: { ...MAPS.head, legend: "scale", ends: ["near", "far"] } });
  assert.ok(svg.includes(">near</text>") && svg.includes(">far</text>"));
  assert.equal(count(svg, /class="sign"/g), 2);
});
