// @ts-check
// The trade-off between seen and unseen classes at a position of the ruler, in one sentence.

import { percent, threeDigits } from "../../../zslcore/interactive/numbers.js";

/** @import { Place } from "../../../zslcore/interactive/curve.js" */

const LEAST = 0.05; // smallest change in points that one decimal can show

/** A number of points as text: whole from 1 on, below 1 in tenths. @param {number} points */
export function inPoints(points) {
  const size = Math.abs(points), written = size < 0.95 ? size.toFixed(1) : String(Math.round(size));
  return `${written} point${written === "1" ? "" : "s"}`;
}

/**
 * @param {Place} now
 * @param {Place} plain at gamma 0
 * @param {string} many plural of the classes
 * @param {Place} [validated] at the validated gamma
 * @returns {{ gamma: string, words: string }}
 */
export function tradeOf(now, plain, many, validated = plain) {
  const { unseen, seen } = changesOf(now, plain);
  const gamma = `At γ = ${threeDigits(now.gamma)},`, unseenMoves = Math.abs(unseen) >= LEAST;
  if (!unseenMoves && Math.abs(seen) < LEAST)
    return { gamma: "", words: `${percent(plain.unseen)} of unseen and ` +
      `${percent(plain.seen)} of seen ${many} are recognised${priceOf(validated, plain)}.` };
  const [first, second] = unseenMoves ? ["unseen", "seen"] : ["seen", "unseen"];
  const [moved, other] = unseenMoves ? [unseen, seen] : [seen, unseen];
  return { gamma, words: `${first} ${many} ${changeOf(moved)}, ${second} ${many} ` +
    `${changeOf(other, moved)}.` };
}

/** Changes of unseen and of seen accuracy, in points. @param {Place} now @param {Place} plain */
function changesOf(now, plain) {
  return { unseen: 100 * (now.unseen - plain.unseen), seen: 100 * (now.seen - plain.seen) };
}

/** The accuracies at the validated gamma, if seen accuracy falls and unseen accuracy rises.
 * @param {Place} validated @param {Place} plain */
function priceOf(validated, plain) {
  const { unseen, seen } = changesOf(validated, plain);
  return unseen < LEAST || seen > -LEAST ? ""
    : `; with the validated γ, ${percent(validated.unseen)} and ${percent(validated.seen)}`;
}

/**
 * A change as text; the second of two changes does not repeat verb and unit.
 * @param {number} points @param {number} [before] the change before it in the sentence
 */
function changeOf(points, before = 0) {
  if (Math.abs(points) < LEAST) return `${before < 0 ? "gain" : "lose"} nothing`;
  const verb = points > 0 ? "gain" : "lose", written = inPoints(points);
  return `${verb} ${before ? written.replace(/ points?$/, "") : written}`;
}

/** A value with the label of its ruler. @param {string} symbol @param {string} words */
export function valued(symbol, words) {
  return symbol.replace("{}", words);
}

/**
 * The trade-off at a stop of a ruler; each stop has its own gamma.
 * @param {import("./wire.js").Ruler} ruler
 * @param {Place[]} places of all stops
 * @param {number} k the stop
 * @param {string} many plural of the classes
 */
export function tradeOfStop({ symbol, words, reference }, places, k, many) {
  const trade = tradeOf(places[k], places[reference], many).words;
  const instead = k === reference ? "" : ` instead of ${words[reference]}`;
  return `${valued(symbol, words[k])}${instead}: ${trade}`;
}
