// @ts-check
// The exact seen-unseen curve: a step function of gamma.

/** @import { Line } from "./curves.js" */

/** @typedef {Pick<Line, "gamma" | "seen" | "unseen">} StepCurve */
/** @typedef {{ gamma: number, k: number, seen: number, unseen: number, harmonic: number }} CurvePoint */

/**
 * Return how many values of an increasing array are at most `most`.
 * @param {Float64Array | Uint32Array} values
 * @param {number} most
 */
export function countUpTo(values, most) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Harmonic mean; 0 if both accuracies are 0. @param {number} s @param {number} u */
export function harmonicMean(s, u) {
  return s + u > 0 ? (2 * s * u) / (s + u) : 0;
}

/** Return the accuracies at a gamma. @param {StepCurve} line @param {number} gamma @returns {CurvePoint} */
export function pointAt({ gamma: breaks, seen, unseen }, gamma) {
  const k = countUpTo(breaks, gamma) - 1, s = seen[k], u = unseen[k];
  return { gamma, k, seen: s, unseen: u, harmonic: harmonicMean(s, u) };
}

/**
 * Return the gamma in the middle of the interval of a point of the curve, with few digits. The
 * two open intervals end two hundredths of the curve's width outside the curve, as in Python.
 * @param {StepCurve} line
 * @param {number} k
 */
export function middleGamma({ gamma }, k) {
  const n = gamma.length;
  if (n < 2) return 0;
  const margin = (gamma[n - 1] - gamma[1]) / 100 || 1;
  const low = k > 0 ? gamma[k] : gamma[1] - 2 * margin;
  const high = k < n - 1 ? gamma[k + 1] : gamma[n - 1] + 2 * margin;
  return roundWithin((low + high) / 2, low, high);
}

/**
 * Return a gamma with the fewest digits for the same point of the curve.
 * @param {StepCurve} line
 * @param {number} gamma
 */
export function roundGamma(line, gamma) {
  const k = countUpTo(line.gamma, gamma) - 1;
  return roundWithin(gamma, line.gamma[k], line.gamma[k + 1] ?? Infinity);
}

/**
 * Round a value to the fewest digits, at least three, with which it stays in [low, high).
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function roundWithin(value, low, high) {
  for (let digits = 3; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (short >= low && short < high) return short;
  }
  return value;
}

/** Return the number of the point with the largest harmonic mean. @param {StepCurve} line */
export function findBestPoint({ seen, unseen }) {
  let best = 0;
  for (let k = 1; k < seen.length; k++)
    if (harmonicMean(seen[k], unseen[k]) > harmonicMean(seen[best], unseen[best])) best = k;
  return best;
}

/**
 * Return the number of the point of the curve nearest to a pair of accuracies.
 * @param {StepCurve} line
 * @param {number} unseen
 * @param {number} seen
 */
export function findNearestPoint(line, unseen, seen) {
  let least = Infinity, nearest = 0;
  for (let k = 0; k < line.seen.length; k++) {
    const distance = (line.unseen[k] - unseen) ** 2 + (line.seen[k] - seen) ** 2;
    if (distance < least) [least, nearest] = [distance, k];
  }
  return nearest;
}

/**
 * Return the number of the point after (`way` 1) or before (-1) a gamma, or null.
 * @param {StepCurve} line
 * @param {number} gamma
 * @param {1 | -1} way
 */
export function findNextPoint(line, gamma, way) {
  const k = countUpTo(line.gamma, gamma) - 1 + way;
  return k < 0 || k >= line.gamma.length ? null : k;
}
