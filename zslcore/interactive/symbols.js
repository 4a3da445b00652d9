// @ts-check
// Symbols of points, drawn on a canvas or written as SVG paths.

/** @typedef {"beginPath" | "moveTo" | "lineTo" | "arc" | "closePath"} Stroke */
/** @typedef {Pick<CanvasPath & CanvasDrawPath, Stroke>} Pen target of drawing */

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
 * Draw the outline of a symbol; an unknown symbol is drawn as a circle.
 * @param {Pen} pen
 * @param {string} symbol
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function traceSymbol(pen, symbol, x, y, r) {
  pen.beginPath();
  const corners = CORNERS[symbol];
  if (!corners) pen.arc(x, y, r, 0, 2 * Math.PI);
  else corners.forEach(([u, v], i) => pen[i ? "lineTo" : "moveTo"](x + u * r, y + v * r));
  pen.closePath();
}

/**
 * Return the outline of a symbol as the text of an SVG path.
 * @param {string} symbol
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function symbolPath(symbol, x, y, r) {
  /** @type {string[]} */
  const commands = [];
  /** @param {number} u @param {number} v */
  const at = (u, v) => `${u.toFixed(1)} ${v.toFixed(1)}`;
  traceSymbol({
    beginPath: () => {},
    moveTo: (u, v) => commands.push(`M${at(u, v)}`),
    lineTo: (u, v) => commands.push(`L${at(u, v)}`),
    arc: (u, v) => commands.push(`M${at(u - r, v)}a${at(r, r)} 0 1 0 ${at(2 * r, 0)}` +
      `a${at(r, r)} 0 1 0 ${at(-2 * r, 0)}`),
    closePath: () => commands.push("Z"),
  }, symbol, x, y, r);
  return commands.join("");
}
