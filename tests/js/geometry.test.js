// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  joinBoxes, findBox, isInside, findNearest, shuffleNumbers, simplifyOutline,
} from "../../zslcore/interactive/point_map/geometry.js";

/** @import { Point } from "../../zslcore/interactive/point_map/wire.js" */

/** @type {Point[]} a square with a notch from above */
const NOTCHED = [[0, 0], [4, 0], [4, 4], [3, 4], [2, 1], [1, 4], [0, 4]];

/** @param {number} n @returns {Point[]} */
const circle = (n) => Array.from({ length: n }, (_, i) =>
  [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)]);

test("a notch is outside; the areas beside and below it are inside", () => {
  for (const [x, y] of [[0.5, 3.5], [3.5, 3.5], [2, 0.5]]) assert.ok(isInside(NOTCHED, x, y));
  for (const [x, y] of [[2, 3], [5, 1], [-1, 1], [2, -1], [2, 5]])
    assert.ok(!isInside(NOTCHED, x, y));
});

test("a point on a shared edge belongs to one polygon", () => {
  /** @param {number} x @returns {Point[]} */
  const square = (x) => [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1]];
  assert.notEqual(isInside(square(0), 1, 0.5), isInside(square(1), 1, 0.5));
});

test("no point is inside an empty outline", () => {
  assert.ok(!isInside([], 0, 0));
});

test("corners on a straight line are removed first", () => {
  /** @type {Point[]} */
  const square = [[0, 0], [1, 0], [2, 0], [2, 2], [1, 2], [0, 2], [0, 1]];
  assert.deepEqual(simplifyOutline(square, 4), [[0, 0], [2, 0], [2, 2], [0, 2]]);
});

test("a lasso stays round with few corners, and the drawn path does not change", () => {
  const drawn = circle(500), few = simplifyOutline(drawn, 64);
  assert.equal(few.length, 64);
  assert.equal(drawn.length, 500);
  for (const r of [0, 0.5, 0.98])
    for (const [x, y] of circle(40)) assert.ok(isInside(few, r * x, r * y));
});

test("a short outline does not change", () => {
  assert.deepEqual(simplifyOutline(NOTCHED, 64), NOTCHED);
});

test("a shuffle is a fixed permutation without order", () => {
  const order = shuffleNumbers(1000);
  assert.deepEqual(order.slice().sort(), Uint32Array.from({ length: 1000 }, (_, i) => i));
  assert.deepEqual(order, shuffleNumbers(1000));
  assert.deepEqual([...shuffleNumbers(6)], [2, 4, 3, 0, 5, 1]);
  assert.ok(order.filter((value, i) => value === i).length < 10);
  assert.deepEqual([...shuffleNumbers(1)], [0]);
});

test("a box covers the lowest to the highest values", () => {
  assert.deepEqual(findBox(Float32Array.of(1, -2, -3, 5, 0, 0)), [-3, 1, -2, 5]);
});

test("a box around boxes contains all of them", () => {
  assert.deepEqual(joinBoxes([[0, 1, -5, 2], [-2, 0.5, 0, 7]]), [-2, 1, -5, 7]);
  assert.deepEqual(joinBoxes([[0, 1, 2, 3]]), [0, 1, 2, 3]);
});

test("the nearest selectable point within a distance is found", () => {
  const xy = Float32Array.of(0, 0, 3, 0, 10, 0);
  assert.equal(findNearest(xy, [2, 0], 5, () => true), 1);
  assert.equal(findNearest(xy, [2, 0], 5, (i) => i !== 1), 0);
  assert.equal(findNearest(xy, [2, 0], 1, () => true), -1);
  assert.equal(findNearest(xy, [13, 4], 5, () => true), -1);
  assert.equal(findNearest(xy, [13, 4], 5.1, () => true), 2);
  assert.equal(findNearest(xy, [2.1, 0], 1, () => true), 1);
});
