// @ts-check
// A figure of bars, points, lines and cells, drawn from a dict with Plotly's names at the available
// width. A mark has a text on hover; a click is sent to the server.

import { readPacked } from "../../../zslcore/interactive/bytes.js";
import { findElement, nameDrawing } from "../../../zslcore/interactive/dom.js";
import { Figure, mountFigure } from "../../../zslcore/interactive/figure.js";
import { createSvg, setSize } from "../../../zslcore/interactive/svg.js";
import { Axis, axisKey, readValues } from "./axes.js";
import { drawLabel, formatValue, measureLabel, plainText } from "./labels.js";
import { arrangeBars, createColorSteps, drawBars, drawCells, drawPoints, drawSymbol, findColorRange, lineAttributes, valueAt } from "./marks.js";

/** @import { Component, Send } from "../../../zslcore/interactive/figure.js" */
/** @import { Spec } from "./axes.js" */
/** @import { Plane, Target } from "./marks.js" */
/** @typedef {{ [name: string]: any, shapes?: Spec[], images?: Spec[], annotations?: Spec[] }} Layout */
/** @typedef {{ key: string, alt: string, fillsPlace: boolean, figure: { data: Spec[], layout: Layout } }} Drawing */
/** @typedef {Plane & { traces: Spec[] }} TracePlane plane with its traces */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box of the plots */

const ROW = 22; // height of a row of the legend
const SIGN = 26; // width of a sign in the legend
const ENTRY_GAP = 18; // pixels between entries of the legend
const COLOR_BAR = 58; // width of a scale of colours with its numbers
const REACH = 14; // pixels around a mark in which the pointer selects it
const GRID = "rgba(128, 128, 128, 0.25)";
const DROP_OF_ANCHOR = /** @type {Record<string, number>} */ ({ bottom: 0, middle: 0.5, top: 1 });
const EXTRA = /<extra>.*?<\/extra>/; // a part of Plotly's templates that is not shown
const VARIABLE = /%\{(\w+)(?:\[(\d+)\])?(?::([^}]*))?\}/g; // name, index and format in a template
const ANCHORS = /** @type {Record<string, string>} */ ({ left: "start", center: "middle", right: "end" });

/** @param {Component & { setTriggerValue?: Send }} component */
export default function ({ setTriggerValue = () => {}, ...component }) {
  return mountFigure({ ...component, setStateValue: setTriggerValue }, Chart, (bytes) => readPacked(bytes).head);
}

class Chart extends Figure {
  /** @type {Drawing | null} */
  drawing = null;
  /** @type {Target[]} */
  targets = [];

  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, ".chart");
    this.svg = findElement(parent, "svg", SVGSVGElement);
    this.svg.addEventListener("pointermove", (event) => this.onPointerMove(event));
    this.svg.addEventListener("pointerleave", () => this.tooltip.hide());
    this.svg.addEventListener("click", (event) => this.onClick(event));
  }

  /** @param {Drawing} drawing */
  show(drawing) {
    if (JSON.stringify(drawing) === JSON.stringify(this.drawing)) return;
    this.drawing = drawing;
    this.picture = { key: drawing.key, alt: drawing.alt };
    this.fillsPlace = this.root.classList.toggle("fills-place", drawing.fillsPlace);
    this.draw();
  }

  /** @override */
  draw() {
    if (!this.drawing || !this.width) return;
    const { alt, figure: { data, layout } } = this.drawing, { shapes = [], images = [], annotations = [] } = layout;
    const size = { width: this.width, height: this.fillsPlace ? this.rootHeight : layout.height }, fontSize = layout.font?.size ?? 13;
    const planes = createPlanes(data, layout);
    const legend = createLegend(data, layout, size.width - 16);
    const box = findPlotBox(data, layout, size, planes, legend);
    setPixels(planes, box);
    this.targets = [];
    /** @param {boolean} isBelow */
    const drawShapes = (isBelow) => shapes.filter(({ layer }) => (layer === "below") === isBelow)
      .map((spec) => drawShape(spec, box, planes));
    const traces = planes.flatMap((plane) => plane.traces.map((trace) => ({ plane, trace })))
      .sort((a, b) => (a.trace.zorder ?? 0) - (b.trace.zorder ?? 0));
    setSize(this.svg, size.width, size.height);
    nameDrawing(this.svg, alt);
    this.svg.style.color = layout.font?.color ?? "";
    this.svg.replaceChildren(
      ...planes.flatMap((plane) => drawGrid(plane)),
      ...drawShapes(true),
      ...traces.map(({ plane, trace }) => this.drawTrace(trace, plane, layout)),
      ...drawShapes(false),
      ...planes.flatMap((plane) => drawAxisLabels(plane, fontSize)),
      ...data.filter(hasScale).map((trace) => drawColorBar(trace, box)),
      ...images.map((spec) => drawImage(spec, box, planes)),
      ...annotations.map((note) => drawNote(note, box, planes, fontSize)),
      ...legend.draw(legend.isBelow ? size.height - legend.rows * ROW : 2),
    );
  }

  /** @param {Spec} trace @param {Plane} plane @param {Layout} layout */
  drawTrace(trace, plane, layout) {
    /** @type {Target[]} */
    const targets = [];
    const drawing = trace.type === "bar" ? drawBars(trace, plane, layout.bargap ?? 0.2, targets)
      : trace.type === "heatmap" ? drawCells(trace, plane, targets) : drawPoints(trace, plane, targets);
    if (trace.hoverinfo !== "skip") this.targets.push(...targets);
    return drawing;
  }

  /** Return the mark nearest to the pointer, or null. @param {MouseEvent} event */
  markAt({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect(), zoom = box.width / this.width || 1;
    const left = (clientX - box.left) / zoom, top = (clientY - box.top) / zoom;
    let nearest = null, least = REACH ** 2;
    for (const target of this.targets) {
      const { x, y, width, height } = target;
      const across = Math.max(x - left, 0, left - x - width), down = Math.max(y - top, 0, top - y - height);
      const distance = across ** 2 + down ** 2;
      if (distance <= least) [nearest, least] = [target, distance];
    }
    return nearest;
  }

  /** @param {PointerEvent} event */
  onPointerMove(event) {
    const mark = this.markAt(event);
    if (mark) this.tooltip.show(this.svg, mark, tooltipText(mark));
    else this.tooltip.hide();
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const mark = this.markAt(event);
    if (mark) this.send("picked", plainValues(nestedValueAt(mark.trace.customdata, mark.k)));
  }
}

/** Value of a mark in a property that may be an array. @param {any} values @param {number[]} k */
function nestedValueAt(values, k) {
  return k.reduce((part, index) => valueAt(part, index), values);
}

/** Data of a mark, with texts free of tags. @param {any} data */
function plainValues(data) {
  return [data ?? []].flat().map((value) => typeof value === "string" ? plainText(value) : value);
}

/** Text of a mark on hover, by the template of its trace. @param {Target} target */
function tooltipText({ trace, k }) {
  const cell = k.length > 1, [i, j] = k;
  const values = /** @type {Spec} */ ({
    x: readValues(trace, "x")[cell ? j : i], y: readValues(trace, "y")[i],
    z: cell ? trace.z[i][j] : undefined,
    text: nestedValueAt(trace.text, k), customdata: nestedValueAt(trace.customdata, k),
  });
  /** @type {string} */
  const template = trace.hovertemplate ?? (trace.name ? `${trace.name}: %{y}` : "%{y}");
  return plainText(template.replace(EXTRA, "").replace(VARIABLE, (_, name, index, pattern) => {
    const value = index === undefined ? values[name] : values[name]?.[Number(index)];
    return typeof value === "number" ? formatValue(value, pattern ?? ",") : String(value ?? "");
  }));
}

/** Create the pairs of axes with their traces. @param {Spec[]} data @param {Layout} layout
 * @returns {TracePlane[]} */
function createPlanes(data, layout) {
  const pairs = [...new Set(data.map((trace) => `${axisKey(trace, "x")} ${axisKey(trace, "y")}`))];
  const planes = pairs.map((pair) => {
    const [x, y] = pair.split(" ");
    const traces = data.filter((trace) => axisKey(trace, "x") === x && axisKey(trace, "y") === y);
    arrangeBars(traces.filter(({ type }) => type === "bar"), layout.barmode ?? "group");
    return { names: [x, y], traces };
  });
  /** @type {Map<string, Axis>} */
  const axes = new Map();
  /** @param {string} name */
  const axis = (name) => {
    const letter = name[0], spec = layout[name] ?? {};
    const same = spec.matches?.replace(letter, `${letter}axis`);
    const traces = data.filter((trace) => [name, same].includes(axisKey(trace, letter)) ||
      layout[axisKey(trace, letter)]?.matches === name.replace("axis", ""));
    const range = spec.range ?? layout[same]?.range;
    const shared = axes.get(name) ?? new Axis(name.replace("axis", ""), { ...spec, range }, traces);
    axes.set(name, shared);
    return shared;
  };
  return planes.map(({ names: [x, y], traces }) => ({ x: axis(x), y: axis(y), traces }));
}

/**
 * Box of the plots: the figure without its labels.
 * @param {Spec[]} data
 * @param {Layout} layout
 * @param {{ width: number, height: number }} size
 * @param {Plane[]} planes
 * @param {{ rows: number, isBelow: boolean }} legend
 * @returns {Box}
 */
function findPlotBox(data, { margin = {}, annotations = [] }, { width, height }, planes, legend) {
  const { l = 0, r = 0, t = 0, b = 0 } = margin, rows = legend.rows && legend.rows * ROW + 6;
  const isTitled = annotations.some((note) => note.yref === "paper" && note.yanchor === "bottom");
  const left = Math.max(l, ...planes.filter(({ x }) => x.domain[0] === 0)
    .map(({ y }) => y.labelSpace(height - t - b)));
  const right = r + (data.some(hasScale) ? COLOR_BAR : 0);
  /** @param {(plane: Plane) => boolean} isIncluded */
  const spaceOf = (isIncluded) => Math.max(0, ...planes.filter(isIncluded)
    .map(({ x }) => x.labelSpace(width - left - right)));
  const above = spaceOf(({ x }) => x.spec.side === "top") + (isTitled ? ROW : 0);
  const below = spaceOf(({ x, y }) => x.spec.side !== "top" && y.domain[0] === 0);
  const top = Math.max(t, above + (legend.isBelow ? 0 : rows));
  const bottom = height - Math.max(b, below + (legend.isBelow ? rows : 0));
  return { left, right: Math.max(left + 1, width - right), top, bottom: Math.max(top + 1, bottom) };
}

/** Place the axes of all planes in the box. @param {TracePlane[]} planes @param {Box} box */
function setPixels(planes, box) {
  const toPixel = createShareScale(planes, box), height = box.bottom - box.top;
  for (const { x, y, traces } of planes) {
    x.setPixels(toPixel(x.domain[0]), toPixel(x.domain[1]));
    y.setPixels(box.bottom - y.domain[0] * height, box.bottom - y.domain[1] * height);
    if (traces.some(({ z }) => z) && (x.spec.scaleanchor || y.spec.scaleanchor)) equaliseUnits({ x, y });
  }
}

/**
 * Function from a share of the width to its pixel. The gap before a column of planes is at least as
 * wide as the labels in it; all columns keep their shares of the rest.
 * @param {Plane[]} planes
 * @param {Box} box
 * @returns {(share: number) => number}
 */
function createShareScale(planes, { left, right, top, bottom }) {
  const width = right - left, ends = planes.map(({ x }) => x.domain[1]);
  const gaps = [...new Set(planes.map(({ x }) => x.domain[0]))].filter(Boolean).map((at) => {
    const share = at - Math.max(...ends.filter((end) => end <= at));
    const labelSpaces = planes.filter(({ x }) => x.domain[0] === at)
      .map(({ y }) => y.labelSpace(bottom - top) + ENTRY_GAP / 2);
    return { at, share, pixels: Math.max(share * width, ...labelSpaces) };
  });
  /** @param {"share" | "pixels"} unit @param {number} to */
  const sum = (unit, to) => gaps.reduce((all, gap) => all + (gap.at <= to ? gap[unit] : 0), 0);
  const scale = (width - sum("pixels", 1)) / (1 - sum("share", 1));
  return (share) => left + (share - sum("share", share)) * scale + sum("pixels", share);
}

/** Whether a trace has a scale of colours. @param {Spec} trace */
function hasScale({ z, showscale }) {
  return z && showscale !== false;
}

/** Give both axes the same number of pixels per unit. @param {Plane} plane */
function equaliseUnits({ x, y }) {
  const units = [x, y].map(({ range: [low, high] }) => Math.abs(high - low));
  const pixels = [x, y].map(({ from, to }) => Math.abs(to - from));
  const unit = Math.min(pixels[0] / units[0], pixels[1] / units[1]);
  [x, y].forEach((axis, k) => {
    const middle = (axis.from + axis.to) / 2, half = Math.sign(axis.to - axis.from) * unit * units[k] / 2;
    axis.setPixels(middle - half, middle + half);
  });
}

/** @param {Plane} plane */
function drawGrid({ x, y }) {
  /** @type {SVGElement[]} */
  const lines = [];
  for (const [axis, crossing] of [[x, y], [y, x]]) {
    const { spec } = axis, isVertical = axis.letter === "y", [low, high] = crossing.pixels;
    /** @param {number} value @param {string} stroke */
    const drawLine = (value, stroke = GRID) => {
      const pixel = axis.toPixel(value);
      const d = isVertical ? `M${low} ${pixel}H${high}` : `M${pixel} ${low}V${high}`;
      lines.push(createSvg("path", { stroke, fill: "none", d }));
    };
    const hasGrid = spec.visible !== false && (spec.showgrid ?? (isVertical || spec.gridcolor));
    if (hasGrid && !axis.names.length) for (const { at } of axis.findTicks()) drawLine(at, spec.gridcolor);
    if (spec.zeroline) drawLine(0, spec.zerolinecolor);
  }
  return lines;
}

/** Labels at ticks, and titles. @param {Plane} plane @param {number} size of titles */
function drawAxisLabels({ x, y }, size) {
  const [left, right] = x.pixels, [top, bottom] = y.pixels;
  const columns = x.findTicks(), angle = x.labelAngle(columns), isAbove = x.spec.side === "top";
  const space = x.labelSpace();
  const row = { x: left - 8 - (y.spec.ticklabelstandoff ?? 0), size: y.size, drop: 0.5, anchor: "end", color: y.ink };
  const column = { y: isAbove ? top - 6 : bottom + 6, size: x.size, angle, drop: angle ? 0.5 : Number(!isAbove),
    anchor: angle ? (isAbove ? "start" : "end") : "middle", color: x.ink };
  return [
    ...y.findTicks().map(({ at, label }) => drawLabel(label, { ...row, y: y.toPixel(at) })),
    ...columns.map(({ at, label }) =>
      drawLabel(label, { ...column, x: x.toPixel(at) + (angle ? x.size / 3 : 0) })),
    ...drawAxisTitle(x, size, (left + right) / 2, isAbove ? top - space : bottom + space),
    ...drawAxisTitle(y, size, left - y.labelSpace() + 4, (top + bottom) / 2),
  ];
}

/** @param {Axis} axis @param {number} size @param {number} x @param {number} y */
function drawAxisTitle({ letter, spec: { side, title, visible } }, size, x, y) {
  if (visible === false || !title?.text) return [];
  const direction = letter === "y" ? { drop: 1, angle: -90 } : { drop: side === "top" ? 1 : 0 };
  return [drawLabel(title.text, { x, y, size: title.font?.size ?? size, color: title.font?.color, ...direction })];
}

/**
 * Function from a value to its pixel, by reference: a value of an axis, a share of an axis, or
 * a share of all plots.
 * @param {string} reference such as "x2", "x2 domain" or "paper"
 * @param {[from: number, to: number]} ends pixels of all plots
 * @param {Plane[]} planes
 * @returns {(value: number) => number}
 */
function createPixelScale(reference, [from, to], planes) {
  const [name, isShare] = reference.split(" ");
  const axis = planes.flatMap(({ x, y }) => [x, y]).find((candidate) => candidate.name === name);
  if (!axis) return (value) => from + value * (to - from);
  return isShare ? (value) => axis.from + value * (axis.to - axis.from) : (value) => axis.toPixel(value);
}

/** Functions from values of a part of the layout to pixels across and down. @param {Spec} spec @param {Box} box
 * @param {Plane[]} planes */
function createPixelScales({ xref = "x", yref = "y" }, { left, right, top, bottom }, planes) {
  return {
    across: createPixelScale(xref, [left, right], planes), down: createPixelScale(yref, [bottom, top], planes),
  };
}

/** Draw a line or a rectangle. @param {Spec} spec @param {Box} box @param {Plane[]} planes */
function drawShape(spec, box, planes) {
  const { across, down } = createPixelScales(spec, box, planes), { line = {}, opacity = 1 } = spec;
  const [left, right] = [across(spec.x0), across(spec.x1)], [from, to] = [down(spec.y0), down(spec.y1)];
  const isRectangle = spec.type === "rect";
  const d = isRectangle ? `M${left} ${from}H${right}V${to}H${left}Z` : `M${left} ${from}L${right} ${to}`;
  const edge = line.width === 0 ? {} : lineAttributes({ color: GRID, ...line });
  return createSvg("path", { d, opacity, ...edge, fill: isRectangle ? spec.fillcolor ?? "none" : "none" });
}

/** Draw a picture as large as fits into its place, above the point. @param {Spec} spec @param {Box} box
 * @param {Plane[]} planes */
function drawImage(spec, box, planes) {
  const { across, down } = createPixelScales(spec, box, planes), { x, y, sizex, sizey } = spec;
  const left = across(x - sizex / 2), top = down(y + sizey);
  return createSvg("image", { href: spec.source, x: left, width: across(x + sizex / 2) - left, y: top,
    height: down(y) - top, preserveAspectRatio: "xMidYMax meet" });
}

/** @param {Spec} note @param {Box} box @param {Plane[]} planes @param {number} size of the font */
function drawNote(note, box, planes, size) {
  const { xanchor = "center", yanchor = "middle", xshift = 0, yshift = 0, font = {} } = note;
  const { across, down } = createPixelScales(note, box, planes);
  return drawLabel(note.text, { x: across(note.x) + xshift, y: down(note.y) - yshift, size: font.size ?? size,
    drop: DROP_OF_ANCHOR[yanchor], anchor: ANCHORS[xanchor], color: font.color });
}

/** Draw the scale of a heat map's colours, at the right. @param {Spec} trace @param {Box} box */
function drawColorBar(trace, { right, top, bottom }) {
  const { colorbar = {}, colorscale } = trace, width = colorbar.thickness ?? 12;
  const height = Math.min(colorbar.len > 1 ? colorbar.len : 200, bottom - top);
  const axis = new Axis("y", { range: findColorRange(trace), tickformat: colorbar.tickformat }, []);
  axis.setPixels(top + height, top);
  const steps = createColorSteps(colorscale), step = height / steps.length;
  return createSvg("g", {},
    ...steps.map((fill, k) => createSvg("rect", { x: right + 10, y: top + height - (k + 1) * step, width,
      height: step + 0.5, fill })),
    ...axis.findTicks().map(({ at, label }) => drawLabel(label,
      { x: right + 14 + width, y: axis.toPixel(at), size: 12, drop: 0.5, anchor: "start" })));
}

/** Number of rows of the legend, and a function that draws them at a height. @param {Spec[]} data
 * @param {Layout} layout @param {number} width */
function createLegend(data, { showlegend, legend = {} }, width) {
  const named = data.filter((trace) => trace.name && trace.showlegend !== false);
  const isShown = showlegend ?? (named.length > 1 || named.some((trace) => trace.showlegend));
  const { size = 13, color } = legend.font ?? {};
  let row = 0, end = 0;
  const entries = (isShown ? named : []).map((trace) => {
    const length = SIGN + measureLabel(trace.name, size).width + ENTRY_GAP;
    if (end && end + length > width) [end, row] = [0, row + 1];
    end += length;
    return { trace, x: end - length, row };
  });
  /** @param {number} top */
  const draw = (top) => entries.flatMap((entry) => {
    const y = top + (entry.row + 0.5) * ROW;
    const label = drawLabel(entry.trace.name,
      { x: entry.x + SIGN, y, size, drop: 0.5, anchor: "start", color });
    label.classList.add("legend");
    return [...drawLegendSign(entry.trace, entry.x, y), label];
  });
  return { rows: entries.length && row + 1, isBelow: (legend.y ?? 1) < 0, draw };
}

/** Draw the sign of a trace in the legend. @param {Spec} trace @param {number} x @param {number} y */
function drawLegendSign({ type, marker = {}, line = {}, mode = "" }, x, y) {
  const middle = x + SIGN / 2 - 3, edge = valueAt(marker.line?.width, 0) ? valueAt(marker.line.color, 0) : "none";
  if (type === "bar") return [createSvg("rect", { x: middle - 6, y: y - 6, width: 12, height: 12,
    fill: valueAt(marker.color, 0), stroke: edge })];
  const signs = [];
  if (mode.includes("lines"))
    signs.push(createSvg("path", { d: `M${x} ${y}h${SIGN - 6}`, ...lineAttributes(line) }));
  const size = Math.min(valueAt(marker.size, 0) ?? 8, 12);
  if (mode.includes("markers"))
    signs.push(drawSymbol({ color: line.color, ...marker, size }, middle, y, 0));
  return signs;
}
