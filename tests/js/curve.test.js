// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  findBestPoint, countUpTo, harmonicMean, middleGamma, findNearestPoint, findNextPoint, pointAt, roundGamma,
  roundWithin,
} from "../../zslcore/interactive/curve.js";

const line = {
  gamma: Float64Array.of(-Infinity, -1, 0.123456, 2),
  seen: Float64Array.of(1, 0.8, 0.6, 0),
  unseen: Float64Array.of(0, 0.2, 0.5, 0.55),
};

test("a point is valid from its breakpoint to the next", () => {
  for (const [gamma, k] of [[-1e300, 0], [-1, 1], [0.1234, 1], [0.123456, 2], [1.999, 2], [2, 3]])
    assert.equal(pointAt(line, gamma).k, k, String(gamma));
  const { seen, unseen, harmonic } = pointAt(line, 1);
  assert.deepEqual([seen, unseen, harmonic], [0.6, 0.5, 0.6 / 1.1]);
});

test("values are counted up to and including a limit", () => {
  const values = Float64Array.of(1, 2, 2, 3);
  assert.deepEqual([0, 1, 2, 2.5, 3, 9].map((most) => countUpTo(values, most)), [0, 1, 3, 3, 4, 4]);
});

test("the harmonic mean of zeros is zero", () => {
  assert.equal(harmonicMean(0, 0), 0);
  assert.equal(harmonicMean(0.5, 0.5), 0.5);
});

test("the middle of an interval gives its point, also for an infinite interval", () => {
  assert.deepEqual([0, 1, 2, 3].map((k) => pointAt(line, middleGamma(line, k)).k), [0, 1, 2, 3]);
  const none = { gamma: Float64Array.of(-Infinity), seen: Float64Array.of(0),
    unseen: Float64Array.of(0) };
  assert.equal(middleGamma(none, 0), 0);
});

test("a gamma is rounded to the fewest digits that give the same point", () => {
  assert.equal(roundWithin(0.123456789, 0, 1), 0.123);
  assert.equal(roundWithin(0.123456789, 0.12345, 0.12349), 0.12346);
  assert.equal(roundWithin(0.1234567890123456, 0.1234567890123455, 0.1234567890123457),
    0.1234567890123456);
  const gamma = roundGamma(line, 0.12345612);
  assert.equal(pointAt(line, gamma).k, 2);
  assert.equal(roundGamma(line, 7.777777), 7.78);
});

test("nearest, best and next point", () => {
  assert.equal(findNearestPoint(line, 0.48, 0.61), 2);
  assert.equal(findNearestPoint(line, 0, 2), 0);
  assert.equal(findBestPoint(line), 2);
  assert.equal(findNextPoint(line, 0, 1), 2);
  assert.equal(findNextPoint(line, 0, -1), 0);
  assert.equal(findNextPoint(line, -5, -1), null);
  assert.equal(findNextPoint(line, 5, 1), null);
});
