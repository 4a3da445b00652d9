// @ts-check
// Marks of a figure: bars, points, lines and cells as SVG, and the areas where a pointer selects them.

import { readColor } from "../../../zslcore/interactive/colors.js";
import { getContext } from "../../../zslcore/interactive/dom.js";
import { createSvg } from "../../../zslcore/interactive/svg.js";
import { symbolPath } from "../../../zslcore/interactive/symbols.js";
import { readValues } from "./axes.js";
import { measureLabel, drawLabel } from "./labels.js";

/** @import { Attributes } from "../../../zslcore/interactive/svg.js" */
/** @import { Axis, Spec } from "./axes.js" */
/** @typedef {{ x: Axis, y: Axis }} Plane */
/** @typedef {{ x: number, y: number, width: number, height: number, trace: Spec, k: number[] }} Target
 *   area of a mark, from its upper left corner; `k` is the mark's index in the trace */

const DASHES = /** @type {Record<string, string>} */ ({ dash: "7 5", dot: "2 4" });
const RISE = /** @type {Record<string, number>} */ ({ top: 0, middle: 0.5, bottom: 1 });
const SIDE = /** @type {Record<string, [string, number]>} */ ({ left: ["end", -1], center: ["middle", 0], right: ["start", 1] });
const AWAY = 4; // pixels between a mark and its text
const INSIDE = 12; // font size of texts inside bars

/** Value of a mark in a property that may be a single value for all marks. @param {any} value @param {number} k */
export function valueAt(value, k) {
  return Array.isArray(value) ? value[k] : value;
}

/** Attributes of a dashed line. @param {string} [dash] @returns {Attributes} */
export function dashAttributes(dash = "") {
  return dash in DASHES ? { "stroke-dasharray": DASHES[dash] } : {};
}

/** Set the start of each bar, and each trace's share of the width. @param {Spec[]} traces bars of one plane @param {string} mode */
export function arrangeBars(traces, mode) {
  const grouped = mode === "group" ? traces.filter((bar) => bar.width === undefined) : [];
  /** @type {Map<string, number>} */
  const tops = new Map();
  for (const bar of traces) {
    bar.group = grouped.includes(bar) ? [grouped.indexOf(bar), grouped.length] : [0, 1];
    if (mode !== "stack") continue;
    const [across, along] = bar.orientation === "h" ? ["y", "x"] : ["x", "y"];
    const places = readValues(bar, across);
    bar.stacked = readValues(bar, along).map((/** @type {number} */ value, /** @type {number} */ k) => {
      const key = `${places[k]} ${value < 0}`, start = tops.get(key) ?? 0;
      tops.set(key, start + value);
      return start;
    });
  }
}

/** @param {Spec} trace @param {Plane} plane @param {number} gap share of a place without bars @param {Target[]} targets */
export function drawBars(trace, { x, y }, gap, targets) {
  const drawing = createSvg("g", { class: "bars" }), isLevel = trace.orientation === "h", { marker = {} } = trace;
  const [across, along] = isLevel ? [y, x] : [x, y], lengths = readValues(trace, along.letter);
  /** @param {number} place @param {number} length @param {number} k */
  const draw = (place, length, k) => {
    const [low, high] = findBarSides(trace, gap, across.toNumber(place), k);
    const start = trace.stacked?.[k] ?? 0, ends = [along.toPixel(start), along.toPixel(start + length)].sort((a, b) => a - b);
    const sides = [across.toPixel(low), across.toPixel(high)].sort((a, b) => a - b);
    const [[left, right], [top, bottom]] = isLevel ? [ends, sides] : [sides, ends];
    const box = { x: left, y: top, width: Math.max(right - left, 0.5), height: Math.max(bottom - top, 0.5) };
    const edge = { stroke: valueAt(marker.line?.color, k) ?? "none", "stroke-width": valueAt(marker.line?.width, k) ?? 0 };
    const middle = (sides[0] + sides[1]) / 2;
    drawing.append(createSvg("rect", { ...box, fill: valueAt(marker.color, k), ...edge }),
      drawWhiskers(trace, along, length, middle, k));
    if (trace.text?.[k] && (trace.textposition !== "inside" || fitsInside(trace.text[k], box))) drawing.append(isLevel
      ? drawLabel(trace.text[k], { x: right + AWAY, y: middle, size: trace.textfont?.size ?? 14, rise: 0.5 },
        { "text-anchor": "start" })
      : drawBarText(trace, k, middle, top));
    targets.push({ ...box, trace, k: [k] });
  };
  readValues(trace, across.letter).forEach((/** @type {any} */ place, /** @type {number} */ k) => {
    if (place !== null && lengths[k] !== null) draw(place, lengths[k], k);
  });
  return drawing;
}

/** Whether a text has room inside a bar. @param {string} text @param {{ width: number, height: number }} box */
function fitsInside(text, box) {
  const { width, height } = measureLabel(text, INSIDE);
  return width < box.width && height + AWAY < box.height;
}

/** Text of a vertical bar, above it or inside. @param {Spec} trace @param {number} k @param {number} x @param {number} top */
function drawBarText({ text, textposition, textfont, marker = {} }, k, x, top) {
  if (textposition !== "inside") return drawLabel(text[k], { x, y: top - AWAY, size: textfont?.size ?? 14, rise: 0 },
    { "text-anchor": "middle" });
  const isPale = valueAt(marker.color, k)?.startsWith("rgba");
  return drawLabel(text[k], { x, y: top + AWAY, size: textfont?.size ?? INSIDE, rise: 1 },
    { "text-anchor": "middle", fill: `var(--st-${isPale ? "text" : "background"}-color)` });
}

/** Start and end of a bar across its length. @param {Spec} trace @param {number} gap @param {number} at @param {number} k */
function findBarSides({ group: [i, n], offset, width }, gap, at, k) {
  const wide = valueAt(width, k) ?? (1 - gap) / n, low = at + (offset ?? wide * (i - n / 2));
  return [low, low + wide];
}

/** The interval of a mark. @param {Spec} trace @param {Axis} along @param {number} value @param {number} middle @param {number} k */
function drawWhiskers(trace, along, value, middle, k) {
  const error = trace[`error_${along.letter}`];
  if (!error || value === null) return "";
  const low = along.toPixel(value - (error.arrayminus ?? error.array)[k]), high = along.toPixel(value + error.array[k]);
  const cap = error.width ?? 4, level = along.letter === "x";
  if (!Number.isFinite(low + high) || low === high) return "";
  const d = level
    ? `M${low} ${middle}H${high}M${low} ${middle - cap}v${2 * cap}M${high} ${middle - cap}v${2 * cap}`
    : `M${middle} ${low}V${high}M${middle - cap} ${low}h${2 * cap}M${middle - cap} ${high}h${2 * cap}`;
  const wide = error.thickness ?? 2;
  const edged = createSvg("g", {}); // the edge separates the line from a dark bar
  edged.append(createSvg("path", { d, class: "edge", "stroke-width": wide + 2 }),
    createSvg("path", { d, stroke: error.color, "stroke-width": wide, fill: "none" }));
  return edged;
}

/** @param {Spec} trace @param {Plane} plane @param {Target[]} targets */
export function drawPoints(trace, plane, targets) {
  const drawing = createSvg("g", { class: "points" }), mode = trace.mode ?? "lines+markers";
  const xs = readValues(trace, "x"), ys = readValues(trace, "y"), marker = { color: trace.line?.color, ...trace.marker };
  /** @type {([number, number] | null)[]} */
  const places = xs.map((/** @type {any} */ value, /** @type {number} */ k) =>
    value === null || ys[k] === null ? null : [plane.x.toPixel(value), plane.y.toPixel(ys[k])]);
  if (mode.includes("lines")) drawing.append(drawLine(trace, places));
  places.forEach((place, k) => {
    if (!place) return;
    const [x, y] = place;
    drawing.append(drawWhiskers(trace, plane.x, xs[k], y, k), drawWhiskers(trace, plane.y, ys[k], x, k));
    if (mode.includes("markers")) drawing.append(drawSymbol(marker, x, y, k));
    if (mode.includes("text") && valueAt(trace.text, k)) drawing.append(drawText(trace, x, y, k));
    const r = Math.max(valueAt(trace.marker?.size, k) ?? 8, 10) / 2;
    targets.push({ x: x - r, y: y - r, width: 2 * r, height: 2 * r, trace, k: [k] });
  });
  return drawing;
}

/** @param {Spec} trace @param {([number, number] | null)[]} places */
function drawLine({ line = {} }, places) {
  const d = places.map((place, k) => place
    ? `${k && places[k - 1] ? "L" : "M"}${place[0].toFixed(1)} ${place[1].toFixed(1)}` : "").join("");
  return createSvg("path", { d, fill: "none", stroke: line.color, "stroke-width": line.width ?? 2,
    "stroke-linejoin": "round", ...dashAttributes(line.dash) });
}

/** A point of a trace, or its sign in the legend. @param {Spec} marker @param {number} x @param {number} y @param {number} k */
export function drawSymbol(marker, x, y, k) {
  const name = valueAt(marker.symbol, k) ?? "circle", r = (valueAt(marker.size, k) ?? 8) / 2;
  const color = valueAt(marker.color, k), edge = valueAt(marker.line?.color, k) ?? color;
  const line = valueAt(marker.line?.width, k) ?? 0;
  if (name === "x-thin") {
    const d = `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
    return createSvg("path", { d, stroke: edge, "stroke-width": line || 2 });
  }
  const isOpen = name.endsWith("-open");
  return createSvg("path", { d: symbolPath(name.replace("-open", ""), x, y, r), opacity: marker.opacity ?? 1,
    fill: isOpen ? "none" : color, stroke: isOpen ? color : edge, "stroke-width": line || (isOpen ? 1.5 : 0) });
}

/** @param {Spec} trace @param {number} x @param {number} y @param {number} k */
function drawText({ marker, mode, text, textfont = {}, textposition = "middle center" }, x, y, k) {
  const [up, side] = valueAt(textposition, k).split(" "), [anchor, right] = SIDE[side];
  const r = AWAY / 2 + (mode.includes("markers") ? (valueAt(marker?.size, k) ?? 8) / 2 : 0);
  const place = { x: x + right * r, y: y + (2 * RISE[up] - 1) * r, size: textfont.size ?? 13, rise: RISE[up] };
  return drawLabel(String(valueAt(text, k)), place, { "text-anchor": anchor, fill: textfont.color ?? "currentColor" });
}

/** @param {Spec} trace @param {Plane} plane @param {Target[]} targets */
export function drawCells(trace, { x, y }, targets) {
  const xs = readValues(trace, "x"), ys = readValues(trace, "y"), texts = createSvg("g");
  const [left, right] = [x.from, x.to].sort((a, b) => a - b), [top, bottom] = [y.from, y.to].sort((a, b) => a - b);
  const canvas = document.createElement("canvas"), ctx = getContext(canvas), ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [(right - left) * ratio, (bottom - top) * ratio].map(Math.ceil);
  ctx.scale(ratio, ratio);
  const color = createColorScale(trace), { xgap = 0, ygap = 0 } = trace;
  /** @param {number} value @param {number} i @param {number} j */
  const draw = (value, i, j) => {
    const [at, to] = [x.toNumber(xs[j]), y.toNumber(ys[i])];
    const [u, far] = [x.toPixel(at - 0.5), x.toPixel(at + 0.5)].sort((a, b) => a - b);
    const [v, deep] = [y.toPixel(to - 0.5), y.toPixel(to + 0.5)].sort((a, b) => a - b);
    ctx.fillStyle = color(value);
    const seam = 0.5; // cells overlap a little, else the page is visible between them
    ctx.fillRect(u - left + xgap / 2, v - top + ygap / 2,
      xgap ? far - u - xgap : far - u + seam, ygap ? deep - v - ygap : deep - v + seam);
    if (trace.texttemplate && trace.text[i][j]) texts.append(drawLabel(trace.text[i][j],
      { x: (u + far) / 2, y: (v + deep) / 2, size: 13, rise: 0.5 },
      { "text-anchor": "middle", fill: contrastingColor(ctx.fillStyle) }));
    targets.push({ x: u, y: v, width: far - u, height: deep - v, trace, k: [i, j] });
  };
  trace.z.forEach((/** @type {(number | null)[]} */ row, /** @type {number} */ i) =>
    row.forEach((value, j) => value !== null && draw(value, i, j)));
  const size = { width: canvas.width / ratio, height: canvas.height / ratio };
  return createSvg("g", {}, createSvg("image", { x: left, y: top, ...size, href: canvas.toDataURL(),
    preserveAspectRatio: "none" }), texts);
}

/** Function from a value of a heat map to its colour. @param {Spec} trace @returns {(value: number) => string} */
function createColorScale(trace) {
  const [low, high] = findColorRange(trace), steps = createColorSteps(trace.colorscale), last = steps.length - 1;
  return (value) => steps[Math.round(last * Math.max(0, Math.min(1, (value - low) / (high - low || 1))))];
}

/** Lowest and highest value of a heat map's colours. @param {Spec} trace @returns {[number, number]} */
export function findColorRange(trace) {
  const all = trace.z.flat().filter((/** @type {number | null} */ value) => value !== null);
  return [trace.zmin ?? Math.min(...all), trace.zmax ?? Math.max(...all)];
}

/** Colours between the stops of a scale. @param {[number, string][]} stops @returns {string[]} */
export function createColorSteps(stops) {
  const ctx = getContext(document.createElement("canvas"));
  [ctx.canvas.width, ctx.canvas.height] = [256, 1];
  const ramp = ctx.createLinearGradient(0, 0, 256, 0);
  stops.forEach(([at, color]) => ramp.addColorStop(at, color));
  ctx.fillStyle = ramp;
  ctx.fillRect(0, 0, 256, 1);
  const { data } = ctx.getImageData(0, 0, 256, 1);
  return Array.from({ length: 256 }, (_, k) =>
    `rgba(${data[4 * k]}, ${data[4 * k + 1]}, ${data[4 * k + 2]}, ${data[4 * k + 3] / 255})`);
}

/** Black or white, the one with more contrast to a colour. @param {string} color */
function contrastingColor(color) {
  const [red, green, blue] = readColor(color);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#14181C" : "#FFFFFF";
}
