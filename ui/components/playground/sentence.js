// @ts-check
// The trade between seen and unseen classes at a place of the ruler, in one sentence.

import { percent, threeDigits } from "../../../zslcore/interactive/numbers.js";

/** @import { Place } from "../../../zslcore/interactive/curve.js" */

const LEAST = 0.05; // points that show with one decimal

/** A number of points, whole from 1 on, else in tenths. @param {number} points */
export function inPoints(points) {
  const size = Math.abs(points), written = size < 0.95 ? size.toFixed(1) : String(Math.round(size));
  return `${written} point${written === "1" ? "" : "s"}`;
}

/**
 * @param {Place} now
 * @param {Place} plain at gamma 0
 * @param {string} many plural of the classes
 * @returns {{ gamma: string, words: string }}
 */
export function tradeOf(now, plain, many) {
  const unseen = 100 * (now.unseen - plain.unseen), seen = 100 * (now.seen - plain.seen);
  const gamma = `At γ = ${threeDigits(now.gamma)},`, unseenMoves = Math.abs(unseen) >= LEAST;
  if (!unseenMoves && Math.abs(seen) < LEAST)
    return { gamma, words: `${percent(plain.seen)} of seen ${many} are recognised, ` +
      `${plain.unseen < plain.seen ? "only" : "and"} ${percent(plain.unseen)} of unseen ones. ` +
      "Drag the handle." };
  const [first, second] = unseenMoves ? ["unseen", "seen"] : ["seen", "unseen"];
  const [moved, other] = unseenMoves ? [unseen, seen] : [seen, unseen];
  return { gamma, words: `${first} ${many} ${changeOf(moved)}, ${second} ${many} ` +
    `${changeOf(other, moved)}.` };
}

/**
 * A change in words; the second of two neither repeats the verb nor the unit.
 * @param {number} points @param {number} [before] the change that stands before it
 */
function changeOf(points, before = 0) {
  if (Math.abs(points) < LEAST) return `${before < 0 ? "gain" : "lose"} nothing`;
  const verb = points > 0 ? "gain" : "lose", written = inPoints(points);
  return `${verb} ${before ? written.replace(/ points?$/, "") : written}`;
}

/** A value as a ruler writes it. @param {string} symbol @param {string} words */
export function valued(symbol, words) {
  return symbol.replace("{}", words);
}

/**
 * The trade of a stop of a ruler, each with its own gamma.
 * @param {import("./wire.js").Ruler} ruler
 * @param {Place[]} places of all stops
 * @param {number} k the stop
 * @param {string} many plural of the classes
 */
export function tradeOfStop({ symbol, words, reference }, places, k, many) {
  const trade = tradeOf(places[k], places[reference], many).words.replace(" Drag the handle.", "");
  const instead = k === reference ? "" : ` instead of ${words[reference]}`;
  return `${valued(symbol, words[k])}${instead}: ${trade}`;
}
