// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  LABEL_HEIGHT, linePath, findFreePlace, placeFlags, placeLabels, linearScale, spreadLabels, roundTicks,
} from "../../zslcore/interactive/layout.js";

test("a scale can be inverted and is clamped to its ends", () => {
  const { toPixel: at, toValue: value } = linearScale([0, 1], [300, 100]);
  assert.deepEqual([0, 0.25, 1, 7].map(at), [300, 250, 100, 100]);
  assert.deepEqual([300, 250, 100, 0, 900].map(value), [0, 0.25, 1, 1, 0]);
});

test("ticks are round, few, and between the ends", () => {
  assert.deepEqual(roundTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(roundTicks(-0.13, 0.42, 4), [0, 0.2, 0.4]);
  assert.deepEqual(roundTicks(-3, 7, 5), [-2, 0, 2, 4, 6]);
});

/**
 * Whether two labels do not touch.
 * @param {{ x: number, y: number, width: number }} a
 * @param {{ x: number, y: number, width: number }} b
 */
const apart = (a, b) => Math.abs(a.y - b.y) >= LABEL_HEIGHT || a.x + a.width <= b.x || b.x + b.width <= a.x;

test("labels of one place do not overlap or leave the plane", () => {
  const frame = { left: 0, right: 200, top: 0, bottom: 200 };
  const [alone] = placeLabels([{ x: 100, y: 100, width: 60 }], frame);
  const [beside] = placeLabels([{ x: 100, y: 100, width: 60 }], frame,
    [{ x: alone.x, y: alone.y, width: 5 }]);
  assert.ok(apart({ ...alone, width: 5 }, { ...beside, width: 60 }));
  for (const [x, y] of [[100, 100], [195, 2], [0, 198], [195, 100]]) {
    const wishes = Array.from({ length: 4 }, () => ({ x, y, width: 60 }));
    const placed = placeLabels(wishes, frame);
    placed.forEach((a, i) => {
      assert.ok(a.x >= 0 && a.x + 60 <= 200);
      assert.ok(a.y >= 0 && a.y <= 200);
      for (const b of placed.slice(i + 1))
        assert.ok(apart({ ...a, width: 60 }, { ...b, width: 60 }));
    });
  }
});

test("a label avoids lines if there is room, and is near its point", () => {
  const frame = { left: 0, right: 300, top: 0, bottom: 300 };
  /** @type {[number, number][]} a line that falls from left to right through the point */
  const line = Array.from({ length: 76 }, (_, i) => [4 * i, 4 * i]);
  const [off] = placeLabels([{ x: 150, y: 150, width: 80 }], frame, [], line);
  assert.ok(line.every(([u, v]) => Math.abs(v - off.y) >= LABEL_HEIGHT / 2 || u < off.x || u > off.x + 80));
  assert.ok(Math.hypot(off.x - 150, off.y - 150) < 60);
  /** @type {[number, number][]} a wall right of it */
  const wall = Array.from({ length: 76 }, (_, i) => [180, 4 * i]);
  const [left] = placeLabels([{ x: 150, y: 150, width: 80 }], frame, [], wall);
  assert.ok(left.x + 80 < 150);
});

test("a label moves away from its point rather than covering a line", () => {
  /** @type {[number, number][]} */
  const lines = [];
  for (let y = 20; y <= 300; y += 4) lines.push([110, y], [190, y]);
  const frame = { left: 0, right: 300, top: 0, bottom: 300 };
  const [{ y }] = placeLabels([{ x: 150, y: 60, width: 60 }], frame, [], lines);
  assert.ok(y <= 12, `${y}`);
});

test("a label that would cover a line is near another point of its curve", () => {
  const frame = { left: 0, right: 300, top: 0, bottom: 300 };
  /** @type {[number, number][]} closely spaced lines around the first point */
  const lines = [];
  for (let x = 4; x < 300; x += 8) for (let y = 100; y <= 300; y += 4) lines.push([x, y]);
  const label = { x: 150, y: 250, width: 80 };
  const [far] = placeLabels([{ ...label, otherPoints: [[40, 40]] }], frame, [], lines);
  assert.deepEqual([far.label.x, far.label.y], [40, 40]);
  assert.ok(Math.hypot(far.x - 40, far.y - 40) < 30);
  const [near] = placeLabels([{ ...label, otherPoints: [[40, 40]] }], frame);
  assert.deepEqual([near.label.x, near.label.y], [150, 250]);
});

test("a label at the upper edge is beside a wide point, not below it", () => {
  const frame = { left: 0, right: 300, top: 0, bottom: 300 };
  const [beside] = placeLabels([{ x: 100, y: 22, width: 60 }], frame, [{ x: 86, y: 22, width: 28 }]);
  assert.deepEqual([beside.x, beside.y], [120, 10]);
});

test("flags that would overlap are in different rows", () => {
  const frame = { left: 0, right: 300 };
  const flags = [{ x: 10, width: 80 }, { x: 20, width: 80 }, { x: 299, width: 80 }];
  const placed = placeFlags(flags, frame);
  assert.deepEqual(placed.map(({ row }) => row), [0, 1, 0]);
  assert.deepEqual(placed.map(({ from }) => from), [0, 20, 220]);
  const three = placeFlags([{ x: 20, width: 60 }, { x: 150, width: 60 }, { x: 155, width: 60 }], frame);
  assert.deepEqual(three.map(({ row, from }) => [row, from]), [[0, 0], [0, 90], [0, 155]]);
  const near = placeFlags([{ x: 150, width: 60 }, { x: 155, width: 60 }], frame);
  assert.deepEqual(near.map(({ row, from }) => [row, from]), [[0, 90], [0, 155]]);
});

test("labels of a column keep their order and distance, within the column", () => {
  for (const wished of [[5, 5, 5, 5], [0, 90, 95, 200], [95, 96, 97, 98]]) {
    const found = spreadLabels(wished, 12, 0, 100);
    assert.ok(found.every((y) => y >= 0 && y <= 100));
    for (let k = 1; k < found.length; k++) assert.ok(found[k] - found[k - 1] >= 12 - 1e-9);
  }
  assert.deepEqual(spreadLabels([10, 40, 80], 12, 0, 100), [10, 40, 80]);
});

test("indistinguishable corners are left out, the ends never", () => {
  /** @type {(k: number) => [number, number]} */
  const crowded = (k) => [k / 1000, 0];
  assert.equal(linePath(1001, crowded), "M0.0 0.0L0.5 0.0L1.0 0.0");
  assert.equal(linePath(2, (k) => [10 * k, 5 * k], true), "M0.0 0.0H10.0V5.0");
});

test("a hint has the first free place inside the plane", () => {
  const frame = { left: 0, right: 200, top: 0, bottom: 200 }, size = { width: 40, height: 20 };
  /** @type {[number, number][]} */
  const places = [[50, 50], [5, 100], [100, 250]];
  assert.deepEqual(findFreePlace(places, size, frame, []), [50, 50]);
  const first = { x: 60, y: 45, width: 6, height: 6 }, second = { x: 10, y: 95, width: 4, height: 4 };
  assert.deepEqual(findFreePlace(places, size, frame, [first]), [20, 100]);
  assert.deepEqual(findFreePlace(places, size, frame, [first, second]), [50, 50]);
});
