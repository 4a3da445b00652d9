// @ts-check
// The trade-off between seen and unseen classes at a position of the ruler, in one sentence.

import { formatNumber } from "../../../zslcore/interactive/numbers.js";

/** @import { CurvePoint } from "../../../zslcore/interactive/curve.js" */

const LEAST_CHANGE = 0.05; // smallest change in points that one decimal can show

/** A number of points as text: whole from 1 on, below 1 in tenths. @param {number} points */
export function formatPoints(points) {
  const size = Math.abs(points), number = size < 0.95 ? size.toFixed(1) : String(Math.round(size));
  return `${number} point${number === "1" ? "" : "s"}`;
}

/**
 * @param {CurvePoint} now
 * @param {CurvePoint} plain at gamma 0
 * @param {string} many plural of the classes
 * @returns {{ gamma: string, words: string }}
 */
export function describeTrade(now, plain, many) {
  const { unseen, seen } = findChanges(now, plain);
  const gamma = `At γ = ${formatNumber(now.gamma)},`, unseenMoves = Math.abs(unseen) >= LEAST_CHANGE;
  if (!unseenMoves && Math.abs(seen) < LEAST_CHANGE)
    return { gamma: "", words: `${describeRest(plain, many)}.` };
  const [first, second] = unseenMoves ? ["unseen", "seen"] : ["seen", "unseen"];
  const [firstChange, secondChange] = unseenMoves ? [unseen, seen] : [seen, unseen];
  return { gamma, words: `${first} ${many} ${describeChange(firstChange)}, ${second} ${many} ` +
    `${describeChange(secondChange, firstChange)}.` };
}

/** Changes of unseen and of seen accuracy, in points. @param {CurvePoint} now @param {CurvePoint} plain */
function findChanges(now, plain) {
  return { unseen: 100 * (now.unseen - plain.unseen), seen: 100 * (now.seen - plain.seen) };
}

/** The better side without a change, and its lead over the other side.
 * @param {CurvePoint} plain @param {string} many */
function describeRest(plain, many) {
  const lead = 100 * (plain.seen - plain.unseen);
  return lead >= LEAST_CHANGE ? `seen ${many} win by ${formatPoints(lead)}` : `unseen ${many} do no worse`;
}

/**
 * A change as text; the second of two changes does not repeat verb and unit.
 * @param {number} points @param {number} [before] the change before it in the sentence
 */
function describeChange(points, before = 0) {
  if (Math.abs(points) < LEAST_CHANGE) return `${before < 0 ? "gain" : "lose"} nothing`;
  const verb = points > 0 ? "gain" : "lose", written = formatPoints(points);
  return `${verb} ${before ? written.replace(/ points?$/, "") : written}`;
}

/** A value with the label of its ruler. @param {string} symbol @param {string} words */
export function labelValue(symbol, words) {
  return symbol.replace("{}", words);
}

/**
 * The trade-off at a stop of a ruler; each stop has its own gamma.
 * @param {import("./wire.js").Ruler} ruler
 * @param {CurvePoint[]} places of all stops
 * @param {number} k the stop
 * @param {string} many plural of the classes
 */
export function describeStop({ symbol, words, reference }, places, k, many) {
  const trade = describeTrade(places[k], places[reference], many).words;
  const instead = k === reference ? "" : ` instead of ${words[reference]}`;
  return `${labelValue(symbol, words[k])}${instead}: ${trade}`;
}
