// @ts-check
// Flags above an axis: a vertical line, a symbol and a name for every named value.

import { LINE } from "./layout.js";
import { shape } from "./svg.js";
import { path } from "./symbols.js";

/** @typedef {{ x: number, width: number, name: string, look: string }} Flag */
/** @typedef {{ symbol: string, dash: string }} Look */

/**
 * Return the vertical lines, then the flags in their rows; flags are drawn over the lines.
 * @param {{ flag: Flag, from: number, row: number }[]} rows
 * @param {Record<string, Look>} looks
 * @param {number} top upper end of the plane below the flags
 * @param {number} end lower end of the lines
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
