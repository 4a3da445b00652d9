// @ts-check
// Labels of figures as SVG: texts with a few tags, never parsed as HTML.

import { createSvg, measureText } from "../../../zslcore/interactive/svg.js";

/** @typedef {{ text: string, bold: boolean, color: string }} Run a piece of a line */
/** @typedef {import("../../../zslcore/interactive/svg.js").Attributes} Attributes */

const TAG = /<(\/?)(b|br|span)((?: style="color:[#\w]+")?)>/g;
const ENTITIES = /** @type {Record<string, string>} */ ({ "&lt;": "<", "&gt;": ">", "&amp;": "&" });
const LETTERS = 13; // font size, in pixels, for which svg.js measures texts
const BOLD = 1.06; // width of bold letters relative to regular ones
export const LINE_HEIGHT = 1.25; // height of a line, in letters

/** Lines of a label, each as a list of runs with the same style. @param {string} label */
export function parseLabel(label) {
  /** @type {Run[][]} */
  const lines = [[]];
  let bold = false, color = "", from = 0;
  /** @param {number} to */
  const take = (to) => {
    const text = label.slice(from, to).replace(/&(?:lt|gt|amp);/g, (name) => ENTITIES[name]);
    if (text) lines[lines.length - 1].push({ text, bold, color });
  };
  for (const tag of label.matchAll(TAG)) {
    take(tag.index);
    from = tag.index + tag[0].length;
    if (tag[2] === "br") lines.push([]);
    else if (tag[2] === "b") bold = !tag[1];
    else color = tag[1] ? "" : tag[3].slice(14, -1);
  }
  take(label.length);
  return lines;
}

/** A label without its tags. @param {string} label */
export function plainText(label) {
  return parseLabel(label).map((line) => line.map((run) => run.text).join("")).join("\n");
}

/** Width and height of a label at a font size. @param {string} label @param {number} size */
export function measureLabel(label, size) {
  const lines = parseLabel(label), each = size / LETTERS;
  const widths = lines.map((line) => line.reduce((sum, { text, bold }) =>
    sum + measureText(text) * each * (bold ? BOLD : 1), 0));
  return { width: Math.max(...widths), height: lines.length * size * LINE_HEIGHT };
}

/**
 * A label at a position, with attributes of SVG text. `rise` sets its height: its first line is at
 * the position for 0, its middle for .5, its last line for 1.
 * @param {string} label
 * @param {{ x: number, y: number, size: number, rise: number, angle?: number }} place
 * @param {Attributes} attributes
 */
export function drawLabel(label, { x, y, size, rise, angle = 0 }, attributes) {
  const lines = parseLabel(label), high = size * LINE_HEIGHT;
  const first = y - (1 - rise) * high * lines.length + 0.78 * high;
  const turned = { transform: `rotate(${angle} ${x} ${y})` };
  return createSvg("text", { "font-size": size, ...attributes, ...(angle ? turned : null) }, ...lines.flatMap((line, k) =>
    line.map((run, i) => {
      const look = { ...(run.bold ? { "font-weight": 600 } : {}), ...(run.color ? { fill: run.color } : {}) };
      return createSvg("tspan", i ? look : { x, y: first + k * high, ...look }, run.text);
    })));
}

/**
 * A number formatted by a pattern of d3; "," "+" ".1f" ".1%" and ".3g" are supported.
 * @param {number} value
 * @param {string} pattern
 */
export function formatValue(value, pattern) {
  const [, plus, comma, digits, kind] = /^(\+?)(,?)(?:\.(\d+))?([f%g]?)$/.exec(pattern) ?? [];
  const many = digits === undefined ? undefined : Number(digits);
  const scaled = kind === "%" ? 100 * value : value;
  const size = kind === "g" ? { maximumSignificantDigits: many ?? 3 }
    : { minimumFractionDigits: many, maximumFractionDigits: many ?? 3 };
  const text = scaled.toLocaleString("en", { useGrouping: Boolean(comma), ...size });
  const sign = plus && value >= 0 ? "+" : "";
  return `${sign}${text}${kind === "%" ? " %" : ""}`.replace("-", "−");
}
