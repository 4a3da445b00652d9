// @ts-check
// Polygons, boxes and points of a plane.

/** @import { Point } from "./wire.js" */

/** @typedef {[left: number, right: number, low: number, high: number]} Box */

/**
 * Return whether a point is inside: a ray from it crosses the outline an odd number of times.
 * @param {Point[]} polygon
 * @param {number} x
 * @param {number} y
 */
export function isInside(polygon, x, y) {
  let isOdd = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isOdd = !isOdd;
  }
  return isOdd;
}

/**
 * Remove the least significant corners (Visvalingam) until at most `most` are left.
 * @param {Point[]} polygon
 * @param {number} most
 */
export function simplifyOutline(polygon, most) {
  const points = polygon.slice();
  /** @param {Point} a @param {Point} b @param {Point} c */
  const area = (a, b, c) => Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
  while (points.length > most) {
    let least = Infinity, index = 0;
    for (let i = 0; i < points.length; i++) {
      const n = points.length;
      const size = area(points[(i + n - 1) % n], points[i], points[(i + 1) % n]);
      if (size < least) [least, index] = [size, i];
    }
    points.splice(index, 1);
  }
  return points;
}

/**
 * Return the numbers below n in a fixed shuffled order (Fisher and Yates, xorshift).
 * @param {number} n
 */
export function shuffleNumbers(n) {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1, state = 2463534242; i > 0; i--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/**
 * Return the smallest box around points, given as alternating x and y.
 * @param {Float32Array} xy
 * @returns {Box}
 */
export function findBox(xy) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < xy.length; i += 2) {
    left = Math.min(left, xy[i]);
    right = Math.max(right, xy[i]);
    low = Math.min(low, xy[i + 1]);
    high = Math.max(high, xy[i + 1]);
  }
  return [left, right, low, high];
}

/**
 * Return the smallest box around all boxes.
 * @param {Box[]} boxes
 * @returns {Box}
 */
export function joinBoxes(boxes) {
  /** @param {number} k */
  const side = (k) => boxes.map((box) => box[k]);
  return [
    Math.min(...side(0)), Math.max(...side(1)), Math.min(...side(2)), Math.max(...side(3)),
  ];
}

/**
 * Return the number of the nearest point less than `reach` from a place; -1 if there is none.
 * @param {Float32Array} xy
 * @param {Point} place
 * @param {number} reach
 * @param {(i: number) => unknown} isCandidate whether a point is considered
 */
export function findNearest(xy, [x, y], reach, isCandidate) {
  let least = reach ** 2, nearest = -1;
  for (let i = 0; 2 * i < xy.length; i++) {
    const distance = (xy[2 * i] - x) ** 2 + (xy[2 * i + 1] - y) ** 2;
    if (distance < least && isCandidate(i)) [least, nearest] = [distance, i];
  }
  return nearest;
}
