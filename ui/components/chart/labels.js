// @ts-check
// Labels of figures as SVG: texts with a few tags, never parsed as HTML.

import { createSvg, measureText } from "../../../zslcore/interactive/svg.js";

/** @typedef {{ text: string, bold: boolean, color: string }} Run a part of a line in one style */

const TAG = /<(\/?)(b|br|span)((?: style="color:[#\w]+")?)>/g;
const ENTITIES = /** @type {Record<string, string>} */ ({ "&lt;": "<", "&gt;": ">", "&amp;": "&" });
const MEASURED_SIZE = 13; // font size, in pixels, for which svg.js measures texts
const BOLD = 1.06; // width of bold letters relative to regular ones
const LINE_HEIGHT = 1.25; // height of a line relative to the font size

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
  const lines = parseLabel(label), scale = size / MEASURED_SIZE;
  const widths = lines.map((line) => line.reduce((sum, { text, bold }) =>
    sum + measureText(text) * scale * (bold ? BOLD : 1), 0));
  return { width: Math.max(...widths), height: lines.length * size * LINE_HEIGHT };
}

/**
 * @typedef {object} LabelPlace position and look of a label
 * @property {number} x
 * @property {number} y
 * @property {number} size of the font, in pixels
 * @property {number} drop share of the label's height below the position: 0, 0.5 or 1
 * @property {number} [angle] in degrees
 * @property {string} [anchor] "start", "middle" or "end" of the text at the position
 * @property {string} [color]
 */

/** Draw a label at a position. @param {string} label @param {LabelPlace} place */
export function drawLabel(label, { x, y, size, drop, angle = 0, anchor = "middle", color = "currentColor" }) {
  const lines = parseLabel(label), height = size * LINE_HEIGHT;
  const first = y - (1 - drop) * height * lines.length + 0.78 * height;
  const transform = angle ? `rotate(${angle} ${x} ${y})` : undefined;
  const runs = lines.flatMap((line, k) => line.map(({ text, bold, color: runColor }, i) =>
    createSvg("tspan", { ...(i ? {} : { x, y: first + k * height }), "font-weight": bold ? 600 : undefined,
      fill: runColor || undefined }, text)));
  return createSvg("text", { "font-size": size, "text-anchor": anchor, fill: color, transform }, ...runs);
}

/**
 * A number formatted by a pattern of d3; "," "+" ".1f" ".1%" and ".3g" are supported.
 * @param {number} value
 * @param {string} pattern
 */
export function formatValue(value, pattern) {
  const [, plus, comma, digits, kind] = /^(\+?)(,?)(?:\.(\d+))?([f%g]?)$/.exec(pattern) ?? [];
  const decimals = digits === undefined ? undefined : Number(digits);
  const scaled = kind === "%" ? 100 * value : value;
  const size = kind === "g" ? { maximumSignificantDigits: decimals ?? 3 }
    : { minimumFractionDigits: decimals, maximumFractionDigits: decimals ?? 3 };
  const text = scaled.toLocaleString("en", { useGrouping: Boolean(comma), ...size });
  const sign = plus && value >= 0 ? "+" : "";
  const signed = /[1-9]/.test(text) ? `${sign}${text}` : text.replace("-", ""); // zero has no sign
  return `${signed}${kind === "%" ? " %" : ""}`.replace("-", "−");
}
