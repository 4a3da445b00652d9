// @ts-check
// Flags over an axis: an upright line and a name with its symbol for every value that has a name.

import { LINE } from "./layout.js";
import { shape } from "./svg.js";
import { path } from "./symbols.js";

/** @typedef {{ x: number, width: number, name: string, look: string }} Flag */
/** @typedef {{ symbol: string, dash: string }} Look */

/**
 * Lines from the flags down to an end, then the flags in their rows, which cover the lines.
 * @param {{ flag: Flag, from: number, row: number }[]} rows
 * @param {Record<string, Look>} looks
 * @param {number} top of the plane below the flags
 * @param {number} end of the lines
 */
export function raised(rows, looks, top, end) {
  const placed = rows.map(({ flag, from, row }) => ({ ...flag, ...looks[flag.look], from,
    y: top - 9 - row * LINE, style: `--ink: var(--${flag.look})` }));
  const poles = placed.map(({ x, y, dash, style }) => shape("path", { class: "stop", style,
    d: `M${x} ${y + 8}V${end}`, "stroke-dasharray": dash }));
  return [...poles, ...placed.flatMap(({ from, look, name, symbol, style, width, y }) => [
    shape("rect", { class: "behind", x: from, y: y - 7, width, height: LINE - 2 }),
    shape("path", { class: look === "plain" ? "hollow" : "dot", d: path(symbol, from + 6, y, 5),
      style }),
    shape("text", { class: "label", x: from + 16, y: y + 4 }, name),
  ])];
}
