// @ts-check
// Marks of a figure: bars, points, lines and cells as SVG, and the areas where a pointer selects them.

import { brightnessOf, createOffscreen, getContext, readColor } from "../../../zslcore/interactive/canvas.js";
import { createElement } from "../../../zslcore/interactive/dom.js";
import { createSvg } from "../../../zslcore/interactive/svg.js";
import { symbolPath } from "../../../zslcore/interactive/symbols.js";
import { readValues } from "./axes.js";
import { measureLabel, drawLabel } from "./labels.js";

/** @import { Attributes } from "../../../zslcore/interactive/svg.js" */
/** @import { Axis, Spec } from "./axes.js" */
/** @typedef {{ x: Axis, y: Axis }} Plane */
/** @typedef {{ x: number, y: number, width: number, height: number, trace: Spec, k: number[] }} Target
 *   area of a mark, from its upper left corner; `k` is the mark's index in the trace */

const DASHES = /** @type {Record<string, string | undefined>} */ ({ dash: "7 5", dot: "2 4" });
const DROP_OF_POSITION = /** @type {Record<string, number>} */ ({ top: 0, middle: 0.5, bottom: 1 });
const SIDE = /** @type {Record<string, [string, number]>} */ ({ left: ["end", -1], center: ["middle", 0], right: ["start", 1] });
const TEXT_GAP = 4; // pixels between a mark and its text
const COLOR_STEPS = 256;
const INSIDE = 12; // font size of texts inside bars

/** Value of a mark in a property that may be a single value for all marks. @param {any} value @param {number} k */
export function valueAt(value, k) {
  return Array.isArray(value) ? value[k] : value;
}

/** Attributes of a line. @param {Spec} line @returns {Attributes} */
export function lineAttributes({ color, width = 2, dash = "" }) {
  return { stroke: color, "stroke-width": width, "stroke-dasharray": DASHES[dash] };
}

/** Set the start of each bar, and each trace's share of the width. @param {Spec[]} traces bars of one plane
 * @param {string} mode */
export function arrangeBars(traces, mode) {
  const grouped = mode === "group" ? traces.filter((bar) => bar.width === undefined) : [];
  /** @type {Map<string, number>} */
  const tops = new Map();
  for (const bar of traces) {
    bar.group = grouped.includes(bar) ? [grouped.indexOf(bar), grouped.length] : [0, 1];
    if (mode !== "stack") continue;
    const [across, along] = bar.orientation === "h" ? ["y", "x"] : ["x", "y"];
    const places = readValues(bar, across);
    bar.stacked = readValues(bar, along).map((value, k) => {
      const key = `${places[k]} ${value < 0}`, start = tops.get(key) ?? 0;
      tops.set(key, start + value);
      return start;
    });
  }
}

/** @param {Spec} trace @param {Plane} plane @param {number} gap share of a place without bars
 * @param {Target[]} targets */
export function drawBars(trace, { x, y }, gap, targets) {
  const isHorizontal = trace.orientation === "h", { marker = {} } = trace;
  const [across, along] = isHorizontal ? [y, x] : [x, y], lengths = readValues(trace, along.letter);
  const parts = readValues(trace, across.letter).flatMap((place, k) => {
    const length = lengths[k];
    if (place === null || length === null) return [];
    const [low, high] = findBarSides(trace, gap, across.toNumber(place), k);
    const start = trace.stacked?.[k] ?? 0, ends = ascending(along.toPixel(start), along.toPixel(start + length));
    const sides = ascending(across.toPixel(low), across.toPixel(high)), middle = (sides[0] + sides[1]) / 2;
    const [[left, right], [top, bottom]] = isHorizontal ? [ends, sides] : [sides, ends];
    const box = { x: left, y: top, width: Math.max(right - left, 0.5), height: Math.max(bottom - top, 0.5) };
    targets.push({ ...box, trace, k: [k] });
    return [createSvg("rect", { ...box, fill: valueAt(marker.color, k),
      stroke: valueAt(marker.line?.color, k), "stroke-width": valueAt(marker.line?.width, k) ?? 0 }),
      drawWhiskers(trace, along, length, middle, k),
      drawBarText(trace, k, box, isHorizontal)];
  });
  return createSvg("g", { class: "bars" }, ...parts);
}

/** @param {number} a @param {number} b */
function ascending(a, b) {
  return a < b ? [a, b] : [b, a];
}

/** Draw the text of a bar: at its end, or inside if `textposition` says so and it fits.
 * @param {Spec} trace @param {number} k
 * @param {{ x: number, y: number, width: number, height: number }} box @param {boolean} isHorizontal */
function drawBarText({ text, textposition, textfont, marker = {} }, k, { x, y, width, height }, isHorizontal) {
  if (!text?.[k]) return "";
  if (textposition === "inside") {
    const label = measureLabel(text[k], INSIDE);
    if (label.width >= width || label.height + TEXT_GAP >= height) return "";
  }
  const middle = x + width / 2, size = textfont?.size ?? 14;
  if (isHorizontal)
    return drawLabel(text[k], { x: x + width + TEXT_GAP, y: y + height / 2, size, drop: 0.5, anchor: "start" });
  if (textposition !== "inside") return drawLabel(text[k], { x: middle, y: y - TEXT_GAP, size, drop: 0 });
  const isPale = valueAt(marker.color, k)?.startsWith("rgba");
  return drawLabel(text[k], { x: middle, y: y + TEXT_GAP, size: textfont?.size ?? INSIDE, drop: 1,
    color: `var(--st-${isPale ? "text" : "background"}-color)` });
}

/** Start and end of a bar across its length. @param {Spec} trace @param {number} gap @param {number} place
 * @param {number} k */
function findBarSides({ group: [i, n], offset, width }, gap, place, k) {
  const breadth = valueAt(width, k) ?? (1 - gap) / n, low = place + (offset ?? breadth * (i - n / 2));
  return [low, low + breadth];
}

/** Draw the interval of a mark. @param {Spec} trace @param {Axis} along @param {number} value @param {number} middle
 * @param {number} k */
function drawWhiskers(trace, along, value, middle, k) {
  const error = trace[`error_${along.letter}`];
  if (!error || value === null) return "";
  const low = along.toPixel(value - (error.arrayminus ?? error.array)[k]);
  const high = along.toPixel(value + error.array[k]);
  if (!Number.isFinite(low + high) || low === high) return "";
  const { width: cap = 4, thickness = 2, color } = error;
  const d = along.letter === "x"
    ? `M${low} ${middle}H${high}M${low} ${middle - cap}v${2 * cap}M${high} ${middle - cap}v${2 * cap}`
    : `M${middle} ${low}V${high}M${middle - cap} ${low}h${2 * cap}M${middle - cap} ${high}h${2 * cap}`;
  return createSvg("g", {}, // the edge separates the line from a dark bar
    createSvg("path", { d, class: "edge", "stroke-width": thickness + 2 }),
    createSvg("path", { d, stroke: color, "stroke-width": thickness, fill: "none" }));
}

/** @param {Spec} trace @param {Plane} plane @param {Target[]} targets */
export function drawPoints(trace, { x, y }, targets) {
  const drawing = createSvg("g", { class: "points" }), mode = trace.mode ?? "lines+markers";
  const xs = readValues(trace, "x"), ys = readValues(trace, "y"), { line = {} } = trace;
  const marker = { color: line.color, ...trace.marker };
  /** @type {([number, number] | null)[]} */
  const places = xs.map((value, k) =>
    value === null || ys[k] === null ? null : [x.toPixel(value), y.toPixel(ys[k])]);
  if (mode.includes("lines")) drawing.append(createSvg("path", { d: brokenLinePath(places), fill: "none",
    "stroke-linejoin": "round", ...lineAttributes(line) }));
  places.forEach((place, k) => {
    if (!place) return;
    const [left, top] = place;
    drawing.append(drawWhiskers(trace, x, xs[k], top, k), drawWhiskers(trace, y, ys[k], left, k));
    if (mode.includes("markers")) drawing.append(drawSymbol(marker, left, top, k));
    if (mode.includes("text") && valueAt(trace.text, k)) drawing.append(drawText(trace, left, top, k));
    const r = Math.max(valueAt(trace.marker?.size, k) ?? 8, 10) / 2;
    targets.push({ x: left - r, y: top - r, width: 2 * r, height: 2 * r, trace, k: [k] });
  });
  return drawing;
}

/** Path of a line that is broken at missing points. @param {([number, number] | null)[]} places */
function brokenLinePath(places) {
  return places.map((place, k) => place
    ? `${k && places[k - 1] ? "L" : "M"}${place[0].toFixed(1)} ${place[1].toFixed(1)}` : "").join("");
}

/** Draw a point of a trace, or its sign in the legend. @param {Spec} marker @param {number} x @param {number} y
 * @param {number} k */
export function drawSymbol(marker, x, y, k) {
  const name = valueAt(marker.symbol, k) ?? "circle", r = (valueAt(marker.size, k) ?? 8) / 2;
  const color = valueAt(marker.color, k), edge = valueAt(marker.line?.color, k) ?? color;
  const width = valueAt(marker.line?.width, k) ?? 0;
  if (name === "x-thin") {
    const d = `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    return createSvg("path", { d, stroke: edge, "stroke-width": width || 2 });
  }
  const isOpen = name.endsWith("-open"), opacity = marker.opacity ?? 1;
  const ink = isOpen ? { fill: "none", stroke: color, "stroke-width": width || 1.5 }
    : { fill: color, stroke: edge, "stroke-width": width };
  return createSvg("path", { d: symbolPath(name.replace("-open", ""), x, y, r), opacity, ...ink });
}

/** @param {Spec} trace @param {number} x @param {number} y @param {number} k */
function drawText({ marker, mode, text, textfont = {}, textposition = "middle center" }, x, y, k) {
  const [up, side] = valueAt(textposition, k).split(" "), [anchor, right] = SIDE[side];
  const r = TEXT_GAP / 2 + (mode.includes("markers") ? (valueAt(marker?.size, k) ?? 8) / 2 : 0);
  return drawLabel(String(valueAt(text, k)), { x: x + right * r, y: y + (2 * DROP_OF_POSITION[up] - 1) * r,
    size: textfont.size ?? 13, drop: DROP_OF_POSITION[up], anchor, color: textfont.color });
}

/** Draw a heat map: all cells as one picture, which has no seams in exported files, and texts over it.
 * @param {Spec} trace @param {Plane} plane @param {Target[]} targets */
export function drawCells(trace, { x, y }, targets) {
  const xs = readValues(trace, "x"), ys = readValues(trace, "y"), texts = createSvg("g");
  const [left, right] = x.pixels, [top, bottom] = y.pixels, ratio = devicePixelRatio;
  const canvas = createElement("canvas"), ctx = getContext(canvas);
  canvas.width = Math.ceil((right - left) * ratio);
  canvas.height = Math.ceil((bottom - top) * ratio);
  ctx.setTransform(ratio, 0, 0, ratio, -left * ratio, -top * ratio);
  const colorOf = createColorScale(trace), { xgap = 0, ygap = 0 } = trace;
  const seam = 0.5; // cells without gaps overlap a little, else the page is visible between them
  /** @param {number} value @param {number} i @param {number} j */
  const drawCell = (value, i, j) => {
    const [u, uEnd] = cellPixels(x, xs[j]), [v, vEnd] = cellPixels(y, ys[i]);
    const width = uEnd - u, height = vEnd - v;
    ctx.fillStyle = colorOf(value);
    ctx.fillRect(u + xgap / 2, v + ygap / 2, width + (xgap ? -xgap : seam), height + (ygap ? -ygap : seam));
    const size = trace.textfont ? Math.min(trace.textfont.size, 0.45 * width) : 13;
    if (trace.texttemplate && trace.text[i][j]) texts.append(drawLabel(trace.text[i][j],
      { x: u + width / 2, y: v + height / 2, size, drop: 0.5, color: contrastingColor(ctx.fillStyle) }));
    targets.push({ x: u, y: v, width, height, trace, k: [i, j] });
  };
  /** @type {(number | null)[][]} */
  const rows = trace.z;
  rows.forEach((row, i) => row.forEach((value, j) => value !== null && drawCell(value, i, j)));
  const size = { width: canvas.width / ratio, height: canvas.height / ratio };
  return createSvg("g", {}, createSvg("image", { x: left, y: top, ...size, href: canvas.toDataURL(),
    preserveAspectRatio: "none" }), texts);
}

/** Pixels of both ends of a cell. @param {Axis} axis @param {string | number} value */
function cellPixels(axis, value) {
  const middle = axis.toNumber(value);
  return ascending(axis.toPixel(middle - 0.5), axis.toPixel(middle + 0.5));
}

/** Function from a value of a heat map to its colour. @param {Spec} trace @returns {(value: number) => string} */
function createColorScale(trace) {
  const [low, high] = findColorRange(trace), steps = createColorSteps(trace.colorscale), last = steps.length - 1;
  return (value) => steps[Math.round(last * Math.max(0, Math.min(1, (value - low) / (high - low || 1))))];
}

/** Lowest and highest value of a heat map's colours. @param {Spec} trace @returns {[number, number]} */
export function findColorRange({ z, zmin, zmax }) {
  const values = z.flat().filter((/** @type {number | null} */ value) => value !== null);
  return [zmin ?? Math.min(...values), zmax ?? Math.max(...values)];
}

/** Colours between the stops of a scale. @param {[number, string][]} stops @returns {string[]} */
export function createColorSteps(stops) {
  const ctx = createOffscreen(COLOR_STEPS, 1), ramp = ctx.createLinearGradient(0, 0, COLOR_STEPS, 0);
  stops.forEach(([place, color]) => ramp.addColorStop(place, color));
  ctx.fillStyle = ramp;
  ctx.fillRect(0, 0, COLOR_STEPS, 1);
  const { data } = ctx.getImageData(0, 0, COLOR_STEPS, 1);
  return Array.from({ length: COLOR_STEPS }, (_, k) => {
    const [red, green, blue, opacity] = data.subarray(4 * k);
    return `rgba(${red}, ${green}, ${blue}, ${opacity / 255})`;
  });
}

/** Black or white, the one with more contrast to a colour. @param {string} color */
function contrastingColor(color) {
  return brightnessOf(readColor(color)) > 140 ? "#14181C" : "#FFFFFF";
}
