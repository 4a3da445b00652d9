// @ts-check
// Axes of a plot as SVG: lines of the grid, labels of ticks, and titles.

import { createSvg, measureText } from "./svg.js";

/** @import { Frame } from "./layout.js" */
/** @typedef {ReturnType<typeof import("./layout.js").linearScale>} Scale */

const OVERHANG = 10; // pixels to which labels may go beyond the right edge of the frame

/** Return a share as percent without decimals. @param {number} share */
export function wholePercent(share) {
  return `${Math.round(100 * share)} %`;
}

/**
 * @param {Frame} frame
 * @param {Scale} scale
 * @param {number[]} values
 * @param {(value: number) => string} format
 */
export function drawHorizontalAxis({ right, top, bottom }, scale, values, format) {
  return values.flatMap((value) => {
    const x = scale.toPixel(value), text = format(value);
    const inside = Math.min(x, right + OVERHANG - measureText(text) / 2);
    return [
      createSvg("path", { class: "grid", d: `M${x} ${top}V${bottom}` }),
      createSvg("text", { class: "tick", x: inside, y: bottom + 18, "text-anchor": "middle" }, text),
    ];
  });
}

/**
 * @param {Frame} frame
 * @param {Scale} scale
 * @param {number[]} values
 * @param {(value: number) => string} format
 */
export function drawVerticalAxis({ left, right }, scale, values, format) {
  return values.flatMap((value) => {
    const y = scale.toPixel(value);
    return [
      createSvg("path", { class: "grid", d: `M${left} ${y}H${right}` }),
      createSvg("text", { class: "tick", x: left - 6, y: y + 4, "text-anchor": "end" }, format(value)),
    ];
  });
}

/** Draw the title of the horizontal axis. @param {Frame} frame @param {string} text */
export function drawAxisTitle({ left, right, bottom }, text) {
  const place = { x: (left + right) / 2, y: bottom + 36 };
  return createSvg("text", { class: "title", ...place, "text-anchor": "middle" }, text);
}
