// @ts-check
// How points look: symbols, their stencils and paths, sizes and colours.

/** @import { Entry } from "./wire.js" */

/** @typedef {"beginPath" | "moveTo" | "lineTo" | "arc" | "closePath"} Stroke */
/** @typedef {Pick<CanvasPath & CanvasDrawPath, Stroke>} Pen what draws a symbol */

export const FAINT = 0.16; // how much is left of points that are not meant

/** @type {Record<string, [number, number][]>} */
const CORNERS = {
  diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  "triangle-up": [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]],
  "triangle-down": [[0, 1.2], [1.15, -0.9], [-1.15, -0.9]],
  "triangle-left": [[-1.2, 0], [0.9, -1.15], [0.9, 1.15]],
  "triangle-right": [[1.2, 0], [-0.9, -1.15], [-0.9, 1.15]],
  x: [[-1.1, -0.6], [-0.6, -1.1], [0, -0.5], [0.6, -1.1], [1.1, -0.6], [0.5, 0],
      [1.1, 0.6], [0.6, 1.1], [0, 0.5], [-0.6, 1.1], [-1.1, 0.6], [-0.5, 0]],
};

/**
 * Draw the outline of a symbol; one that is not known is a circle.
 * @param {Pen} pen
 * @param {string} symbol
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function trace(pen, symbol, x, y, r) {
  pen.beginPath();
  const corners = CORNERS[symbol];
  if (!corners) pen.arc(x, y, r, 0, 2 * Math.PI);
  else corners.forEach(([u, v], i) => pen[i ? "lineTo" : "moveTo"](x + u * r, y + v * r));
  pen.closePath();
}

/**
 * A path that the context of a canvas would draw, as text.
 * @param {string} symbol
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function path(symbol, x, y, r) {
  /** @type {string[]} */
  const commands = [];
  /** @param {number} u @param {number} v */
  const at = (u, v) => `${u.toFixed(1)} ${v.toFixed(1)}`;
  trace({
    beginPath: () => {},
    moveTo: (u, v) => commands.push(`M${at(u, v)}`),
    lineTo: (u, v) => commands.push(`L${at(u, v)}`),
    arc: (u, v) => commands.push(`M${at(u - r, v)}a${at(r, r)} 0 1 0 ${at(2 * r, 0)}` +
      `a${at(r, r)} 0 1 0 ${at(-2 * r, 0)}`),
    closePath: () => commands.push("Z"),
  }, symbol, x, y, r);
  return commands.join("");
}

/** @typedef {{ dx: Int32Array, dy: Int32Array, cover: Float64Array }} Stencil */

/**
 * The pixels that a symbol covers, from its middle, and how much of each.
 * @param {string} symbol
 * @param {number} r
 * @returns {Stencil}
 */
export function stencil(symbol, r) {
  const half = Math.ceil(1.3 * r) + 1, size = 2 * half + 1, ctx = offscreen(size, size);
  trace(ctx, symbol, half + 0.5, half + 0.5, r);
  ctx.fill();
  const cover = ctx.getImageData(0, 0, size, size).data.filter((_, i) => i % 4 === 3);
  const covered = [...cover.keys()].filter((k) => cover[k] > 8);
  return {
    dx: Int32Array.from(covered, (k) => (k % size) - half),
    dy: Int32Array.from(covered, (k) => Math.floor(k / size) - half),
    cover: Float64Array.from(covered, (k) => cover[k] / 255),
  };
}

/** Red, green and blue of a colour of CSS. @param {string} color */
export function rgb(color) {
  const ctx = offscreen(1, 1);
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

/** @param {number} width @param {number} height */
function offscreen(width, height) {
  const ctx = new OffscreenCanvas(width, height).getContext("2d");
  return /** @type {OffscreenCanvasRenderingContext2D} */ (ctx);
}

/**
 * @typedef {object} Theme
 * @property {string} ink colour of text
 * @property {string} font
 * @property {string} halo colour behind
 * @property {ArrayLike<number>} paper the same as numbers
 * @property {ArrayLike<number>} grey between the two
 * @property {ArrayLike<number>[]} colors of the palette
 */

/**
 * The theme that an element is shown in, and the palette in numbers.
 * @param {Element} element
 * @param {Entry[]} palette
 * @returns {Theme}
 */
export function themeOf(element, palette) {
  const style = getComputedStyle(element), ink = rgb(style.color);
  const halo = style.getPropertyValue("--st-background-color").trim() || "#fff", paper = rgb(halo);
  return {
    ink: style.color,
    font: style.fontFamily,
    halo,
    paper,
    grey: [0, 1, 2].map((k) => (paper[k] + ink[k]) / 2),
    colors: palette.map(({ color }) => rgb(color)),
  };
}

/**
 * Radius of a point among n, larger where the map is looked at closely.
 * @param {number} n
 * @param {number} closeness how many times the view goes into the whole map
 */
export function radiusOf(n, closeness) {
  const base = n > 30000 ? 1.3 : n > 5000 ? 2 : n > 1500 ? 2.6 : 3.4;
  return base * Math.sqrt(Math.min(3, Math.max(1, closeness)));
}

/** Many points are let through, so that crowds show. @param {number} n */
export function strengthOf(n) {
  return n > 30000 ? 0.6 : 0.85;
}
