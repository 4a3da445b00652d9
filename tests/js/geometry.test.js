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

test("a notch is outside, what is beside and below it is inside", () => {
  for (const [x, y] of [[0.5, 3.5], [3.5, 3.5], [2, 0.5]]) assert.ok(isInside(NOTCHED, x, y));
  for (const [x, y] of [[2, 3], [5, 1], [-1, 1], [2, -1], [2, 5]])
    assert.ok(!isInside(NOTCHED, x, y));
});

test("neighbours that share an edge share out its points", () => {
  /** @param {number} x @returns {Point[]} */
  const square = (x) => [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1]];
  assert.notEqual(isInside(square(0), 1, 0.5), isInside(square(1), 1, 0.5));
});

test("nothing is inside of no outline", () => {
  assert.ok(!isInside([], 0, 0));
});

test("corners that lie on a line go first", () => {
  /** @type {Point[]} */
  const square = [[0, 0], [1, 0], [2, 0], [2, 2], [1, 2], [0, 2], [0, 1]];
  assert.deepEqual(simplifyOutline(square, 4), [[0, 0], [2, 0], [2, 2], [0, 2]]);
});

test("a lasso stays round with few corners, and what was drawn is left as it is", () => {
  const drawn = circle(500), few = simplifyOutline(drawn, 64);
  assert.equal(few.length, 64);
  assert.equal(drawn.length, 500);
  for (const r of [0, 0.5, 0.98])
    for (const [x, y] of circle(40)) assert.ok(isInside(few, r * x, r * y));
});

test("a short outline is left as it is", () => {
  assert.deepEqual(simplifyOutline(NOTCHED, 64), NOTCHED);
});

test("a shuffle keeps every number, the same way every time, and no place", () => {
  const order = shuffleNumbers(1000);
  assert.deepEqual(order.slice().sort(), Uint32Array.from({ length: 1000 }, (_, i) => i));
  assert.deepEqual(order, shuffleNumbers(1000));
  assert.deepEqual([...shuffleNumbers(6)], [2, 4, 3, 0, 5, 1]);
  assert.ok(order.filter((value, i) => value === i).length < 10);
  assert.deepEqual([...shuffleNumbers(1)], [0]);
});

test("a box reaches from the lowest to the highest", () => {
  assert.deepEqual(findBox(Float32Array.of(1, -2, -3, 5, 0, 0)), [-3, 1, -2, 5]);
});

test("a box around boxes holds all of them", () => {
  assert.deepEqual(joinBoxes([[0, 1, -5, 2], [-2, 0.5, 0, 7]]), [-2, 1, -5, 7]);
  assert.deepEqual(joinBoxes([[0, 1, 2, 3]]), [0, 1, 2, 3]);
});

test("the nearest point within reach that counts is met", () => {
  const xy = Float32Array.of(0, 0, 3, 0, 10, 0);
  assert.equal(findNearest(xy, [2, 0], 5, () => true), 1);
  assert.equal(findNearest(xy, [2, 0], 5, (i) => i !== 1), 0);
  assert.equal(findNearest(xy, [2, 0], 1, () => true), -1);
  assert.equal(findNearest(xy, [13, 4], 5, () => true), -1);
  assert.equal(findNearest(xy, [13, 4], 5.1, () => true), 2);
  assert.equal(findNearest(xy, [2.1, 0], 1, () => true), 1);
});
