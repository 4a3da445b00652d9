// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";

import { Axis } from "../../ui/components/chart/axes.js";
import { plainText, formatValue, parseLabel } from "../../ui/components/chart/labels.js";
import { arrangeBars } from "../../ui/components/chart/marks.js";

test("a label keeps allowed tags and escapes names", () => {
  const label = '<span style="color:#0072B2">●</span> <b>&lt;b&gt;ox&lt;/b&gt;</b><br>2';
  assert.deepEqual(parseLabel(label), [
    [
      { text: "●", bold: false, color: "#0072B2" },
      { text: " ", bold: false, color: "" },
      { text: "<b>ox</b>", bold: true, color: "" },
    ],
    [{ text: "2", bold: false, color: "" }],
  ]);
  assert.equal(plainText(label), "● <b>ox</b>\n2");
  assert.equal(plainText("a &amp;lt; b <script>"), "a &lt; b <script>"); // unescaped once, no other tag
});

test("numbers follow a format pattern", () => {
  assert.equal(formatValue(0.1234, ".1%"), "12.3 %");
  assert.equal(formatValue(-12.34, "+.1f"), "−12.3");
  for (const value of [0, 0.04, -0.04]) assert.equal(formatValue(value, "+.1f"), "0.0");
  assert.equal(formatValue(-0.0004, ".1%"), "0.0 %");
  assert.equal(formatValue(12345, ","), "12,345");
  assert.equal(formatValue(0.001234, ".3g"), "0.00123");
});

test("an axis covers its values, the start of bars and their intervals", () => {
  const bar = { type: "bar", x: ["a", "b"], y: [2, 4], error_y: { array: [0, 1], arrayminus: [0, 1] } };
  const y = new Axis("y", {}, [bar]), x = new Axis("x", {}, [bar]);
  assert.deepEqual(y.range, [0, 5.25]);
  assert.deepEqual(x.range, [-0.5, 1.5]);
  y.setPixels(100, 0);
  assert.equal(y.toPixel(5.25), 0);
  assert.deepEqual(x.findTicks(200), [{ at: 0, label: "a" }, { at: 1, label: "b" }]);
  assert.deepEqual(new Axis("y", { autorange: "reversed" }, [{ type: "heatmap", z: [[1], [2]] }]).range,
    [1.5, -0.5]);
  const point = { type: "scatter", x: [1, 3], y: [0, 0] };
  assert.deepEqual(new Axis("x", { rangemode: "tozero" }, [point]).range, [0, 3.15]);
});

test("ticks with names are at their positions, without other ticks", () => {
  const axis = new Axis("y", { tickvals: [0, 1, 9], ticktext: ["a", "b", "c"], range: [2, -1] }, []);
  assert.deepEqual(axis.findTicks(300), [{ at: 0, label: "a" }, { at: 1, label: "b" }]);
  assert.deepEqual(new Axis("x", { tickformat: ".0%", range: [0, 1] }, []).findTicks(300).map(({ label }) => label),
    ["0 %", "50 %", "100 %"]);
});

test("bars are stacked or side by side", () => {
  const two = () => [
    { type: "bar", x: ["a", "b"], y: [1, 2] },
    { type: "bar", x: ["a", "b"], y: [3, -4] },
  ];
  /** @type {any[]} */
  const stacked = two();
  arrangeBars(stacked, "stack");
  assert.deepEqual(stacked.map(({ stacked: starts }) => starts), [[0, 0], [1, 0]]);
  /** @type {any[]} */
  const grouped = two();
  arrangeBars(grouped, "group");
  assert.deepEqual(grouped.map(({ group }) => group), [[0, 2], [1, 2]]);
});
