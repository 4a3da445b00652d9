// @ts-check
// What a place of the ruler trades, in one sentence.

import { percent, threeDigits } from "../../../zslcore/interactive/numbers.js";

/** @import { Place } from "../../../zslcore/interactive/curve.js" */

const LEAST = 0.05; // points that show with one decimal

/** A number of points: whole ones, or tenths of the first. @param {number} points */
export function inPoints(points) {
  const size = Math.abs(points), written = size < 0.95 ? size.toFixed(1) : String(Math.round(size));
  return `${written} point${written === "1" ? "" : "s"}`;
}

/**
 * @param {Place} now
 * @param {Place} plain at gamma 0
 * @param {string} many what classes are called
 * @returns {{ gamma: string, words: string }}
 */
export function tradeOf(now, plain, many) {
  const unseen = 100 * (now.unseen - plain.unseen), seen = 100 * (plain.seen - now.seen);
  const gamma = `γ ${threeDigits(now.gamma)}:`;
  if (Math.abs(unseen) < LEAST && Math.abs(seen) < LEAST)
    return { gamma, words: `${percent(plain.seen)} of seen ${many} are right, ` +
      `${plain.unseen < plain.seen ? "but only" : "and"} ${percent(plain.unseen)} of unseen ones. ` +
      "Drag the handle." };
  if (Math.abs(unseen) < LEAST)
    return { gamma, words: `nothing more on unseen ${many}, ${inPoints(seen)} ` +
      `${seen > 0 ? "less" : "more"} on seen ones.` };
  if (unseen > 0) {
    const paid = seen < LEAST ? (seen < -LEAST ? `, and ${inPoints(seen)} more on seen ones` : " at no cost on seen ones")
      : ` for ${inPoints(seen).replace(/ points?$/, "")} on seen ones`;
    return { gamma, words: `${inPoints(unseen)} more on unseen ${many}${paid}.` };
  }
  return { gamma, words: `${inPoints(unseen)} less on unseen ${many} ${wonOf(seen)}.` };
}

/** What seen classes have where unseen ones have less. @param {number} lost points on seen ones */
function wonOf(lost) {
  if (lost < -LEAST) return `for ${inPoints(lost)} more on seen ones`;
  return lost < LEAST ? "and nothing more on seen ones" : `and ${inPoints(lost)} less on seen ones`;
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
 * @param {string} many what classes are called
 */
export function tradeOfStop({ symbol, words, reference }, places, k, many) {
  const trade = tradeOf(places[k], places[reference], many).words.replace(" Drag the handle.", "");
  const instead = k === reference ? "" : ` instead of ${words[reference]}`;
  return `${valued(symbol, words[k])}${instead}: ${trade}`;
}
