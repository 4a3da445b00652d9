// @ts-check
// Looks of points: stencils of symbols, sizes and colours.

import { createOffscreen, readColor, readVariable } from "../canvas.js";
import { traceSymbol } from "../symbols.js";

/** @import { LegendEntry } from "./wire.js" */

export const FAINT_OPACITY = 0.16; // opacity of points that are not highlighted

/** @typedef {{ dx: Int32Array, dy: Int32Array, cover: Float64Array }} Stencil */

/**
 * Return the pixels covered by a symbol, relative to its centre, and the covered share of each.
 * @param {string} symbol
 * @param {number} r
 * @returns {Stencil}
 */
export function createStencil(symbol, r) {
  const half = Math.ceil(1.3 * r) + 1, size = 2 * half + 1, ctx = createOffscreen(size, size);
  traceSymbol(ctx, symbol, half + 0.5, half + 0.5, r);
  ctx.fill();
  const cover = ctx.getImageData(0, 0, size, size).data.filter((_, i) => i % 4 === 3);
  const covered = [...cover.keys()].filter((k) => cover[k] > 8);
  return {
    dx: Int32Array.from(covered, (k) => (k % size) - half),
    dy: Int32Array.from(covered, (k) => Math.floor(k / size) - half),
    cover: Float64Array.from(covered, (k) => cover[k] / 255),
  };
}

/**
 * @typedef {object} Theme
 * @property {string} ink colour of text
 * @property {string} font
 * @property {string} halo colour of the background
 * @property {ArrayLike<number>} paper red, green and blue of the background
 * @property {ArrayLike<number>} grey colour between text and background
 * @property {ArrayLike<number>[]} colors of the palette
 */

/**
 * Return the theme of an element, and the colours of the palette as numbers.
 * @param {Element} element
 * @param {LegendEntry[]} palette
 * @returns {Theme}
 */
export function readTheme(element, palette) {
  const style = getComputedStyle(element), ink = readColor(style.color);
  const halo = readVariable(element, "--st-background-color") || "#fff", paper = readColor(halo);
  return {
    ink: style.color,
    font: style.fontFamily,
    halo,
    paper,
    grey: [0, 1, 2].map((k) => (paper[k] + ink[k]) / 2),
    colors: palette.map(({ color }) => readColor(color)),
  };
}

/**
 * Return the radius of a point among n, larger in a closer view.
 * @param {number} n
 * @param {number} closeness extent of the whole map divided by the extent of the view
 */
export function pointRadius(n, closeness) {
  const base = n > 30000 ? 1.3 : n > 5000 ? 2 : n > 1500 ? 2.6 : 3.4;
  return base * Math.sqrt(Math.min(3, Math.max(1, closeness)));
}

/** Return the opacity of points: lower for many, so that dense areas show. @param {number} n */
export function pointOpacity(n) {
  return n > 30000 ? 0.6 : 0.85;
}
