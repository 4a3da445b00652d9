// @ts-check
// A figure of bars, points, lines and cells, drawn from a dict with Plotly's names at the available
// width. A mark has a text on hover; a click is sent to the server.

import { readPacked } from "../../../zslcore/interactive/bytes.js";
import { mountFigure, findElement } from "../../../zslcore/interactive/dom.js";
import { savePicture } from "../../../zslcore/interactive/picture.js";
import { setAttributes, createSvg } from "../../../zslcore/interactive/svg.js";
import { Axis, axisKey, readValues } from "./axes.js";
import { plainText, formatValue, measureLabel, drawLabel } from "./labels.js";
import { arrangeBars, drawBars, drawCells, dashAttributes, valueAt, createColorSteps, drawPoints, findColorRange, drawSymbol } from "./marks.js";

/** @import { Spec } from "./axes.js" */
/** @import { Plane, Target } from "./marks.js" */
/** @typedef {{ key: string, alt: string, figure: { data: Spec[], layout: Spec } }} Drawing */
/** @typedef {(name: string, value: unknown) => void} Send tells the server */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box of the plots */

const ROW = 22; // height of a row of the legend
const SIGN = 26; // width of a sign in the legend
const AIR = 18; // between entries of the legend
const BAR = 58; // width of a scale of colours with its numbers
const NEAR = 14; // pixels around a mark in which the pointer selects it
const GRID = "rgba(128, 128, 128, 0.25)";
const RISES = /** @type {Record<string, number>} */ ({ bottom: 0, middle: 0.5, top: 1 });
const ANCHORS = /** @type {Record<string, string>} */ ({ left: "start", center: "middle", right: "end" });

class Chart {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.tip = findElement(root, ".tip", HTMLElement);
    this.svg = findElement(root, "svg", SVGSVGElement);
    /** @type {Drawing | null} */
    this.drawing = null;
    /** @type {Target[]} */
    this.targets = [];
    /** @type {Send} */
    this.send = () => {};
    this.width = 0;
    this.svg.addEventListener("pointermove", (event) => this.onPointerMove(event));
    this.svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.svg.addEventListener("click", (event) => this.onClick(event));
    /** @param {Event} event */
    this.onSave = (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      if (detail.key === this.drawing?.key) savePicture(this.root, this.drawing?.alt ?? "", detail);
    };
    document.addEventListener("zsl-save", this.onSave);
    this.observer = new ResizeObserver(() => {
      if (this.drawing && root.clientWidth !== this.width) this.draw();
    });
    this.observer.observe(root);
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener("zsl-save", this.onSave);
  }

  /** @param {Drawing} drawing @param {Send} say */
  show(drawing, say) {
    this.send = say;
    if (drawing.key === this.drawing?.key && JSON.stringify(drawing) === JSON.stringify(this.drawing)) return;
    this.drawing = drawing;
    this.draw();
  }

  draw() {
    const { alt, figure: { data, layout } } = /** @type {Drawing} */ (this.drawing);
    this.width = this.root.clientWidth;
    if (!this.width) return;
    const size = { width: this.width, height: layout.height };
    const planes = createPlanes(data, layout);
    const legend = createLegend(data, layout, size.width - 16);
    const box = findPlotBox(data, layout, size, planes, legend);
    const across = createShareScale(planes, box);
    for (const { x, y, traces } of planes) {
      const high = box.bottom - box.top;
      x.setPixels(across(x.domain[0]), across(x.domain[1]));
      y.setPixels(box.bottom - y.domain[0] * high, box.bottom - y.domain[1] * high);
      if (traces.some(({ z }) => z) && (x.spec.scaleanchor || y.spec.scaleanchor)) equaliseUnits({ x, y });
    }
    this.targets = [];
    const shapes = (layout.shapes ?? []).map((/** @type {Spec} */ spec) =>
      ({ spec, drawn: drawShape(spec, box, planes) }));
    /** @param {boolean} isBelow */
    const shaped = (isBelow) => shapes.filter((/** @type {{ spec: Spec }} */ { spec }) =>
      (spec.layer === "below") === isBelow).map((/** @type {{ drawn: Node }} */ { drawn }) => drawn);
    const ordered = planes.flatMap((plane) => plane.traces.map((trace) => ({ plane, trace })))
      .sort((a, b) => (a.trace.zorder ?? 0) - (b.trace.zorder ?? 0));
    setAttributes(this.svg, { ...size, viewBox: `0 0 ${size.width} ${size.height}`, "aria-label": alt });
    this.svg.style.color = layout.font?.color ?? "";
    this.svg.replaceChildren(
      ...planes.flatMap((plane) => drawGrid(plane)),
      ...shaped(true),
      ...ordered.map(({ plane, trace }) => this.drawTrace(trace, plane, layout)),
      ...shaped(false),
      ...planes.flatMap((plane) => drawAxisLabels(plane, layout.font?.size ?? 13)),
      ...data.filter(hasScale).map((trace) => drawColorBar(trace, box)),
      ...(layout.images ?? []).map((/** @type {Spec} */ spec) => drawImage(spec, box, planes)),
      ...(layout.annotations ?? []).map((/** @type {Spec} */ note) => drawNote(note, box, planes, layout.font?.size ?? 13)),
      ...legend.draw(legend.isBelow ? size.height - legend.rows * ROW : 2),
    );
  }

  /** @param {Spec} trace @param {Plane} plane @param {Spec} layout */
  drawTrace(trace, plane, layout) {
    /** @type {Target[]} */
    const targets = [];
    const drawn = trace.type === "bar" ? drawBars(trace, plane, layout.bargap ?? 0.2, targets)
      : trace.type === "heatmap" ? drawCells(trace, plane, targets) : drawPoints(trace, plane, targets);
    if (trace.hoverinfo !== "skip") this.targets.push(...targets);
    return drawn;
  }

  /** The mark under the pointer. @param {MouseEvent} event */
  markAt({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect(), zoom = box.width / this.width || 1;
    const offsetX = (clientX - box.left) / zoom, offsetY = (clientY - box.top) / zoom;
    let best = null, least = NEAR ** 2;
    for (const target of this.targets) {
      const { x, y, width, height } = target;
      const across = Math.max(x - offsetX, 0, offsetX - x - width), down = Math.max(y - offsetY, 0, offsetY - y - height);
      const away = across ** 2 + down ** 2;
      if (away <= least) [best, least] = [target, away];
    }
    return best;
  }

  /** @param {PointerEvent} event */
  onPointerMove(event) {
    const found = this.markAt(event);
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.textContent = tooltipText(found);
    const { offsetWidth: wide, offsetHeight: high } = this.tip;
    const left = Math.max(0, Math.min(found.x + found.width / 2 - wide / 2, this.width - wide));
    const above = found.y - high - 6;
    this.tip.style.transform = `translate(${left}px, ${above < 0 ? found.y + found.height + 6 : above}px)`;
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const found = this.markAt(event);
    if (found) this.send("picked", plainValues(nestedValueAt(found.trace.customdata, found.k)));
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
  const template = trace.hovertemplate ?? (trace.name ? `${trace.name}: %{y}` : "%{y}");
  const text = template.replace(/<extra>.*?<\/extra>/, "").replace(
    /%\{(\w+)(?:\[(\d+)\])?(?::([^}]*))?\}/g,
    (/** @type {string} */ _, /** @type {string} */ name, /** @type {string} */ index, /** @type {string} */ pattern) => {
      const value = index === undefined ? values[name] : values[name]?.[Number(index)];
      return typeof value === "number" ? formatValue(value, pattern ?? ",") : String(value ?? "");
    });
  return plainText(text);
}

/** Pairs of axes with their traces. @param {Spec[]} data @param {Spec} layout @returns {(Plane & { traces: Spec[] })[]} */
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
    const letter = name[0], spec = layout[name] ?? {}, same = spec.matches?.replace(letter, `${letter}axis`);
    const traces = data.filter((trace) => [name, same].includes(axisKey(trace, letter)) ||
      layout[axisKey(trace, letter)]?.matches === name.replace("axis", ""));
    const range = spec.range ?? layout[same]?.range;
    const found = axes.get(name) ?? new Axis(name.replace("axis", ""), { ...spec, range }, traces);
    axes.set(name, found);
    return found;
  };
  return planes.map(({ names: [x, y], traces }) => ({ x: axis(x), y: axis(y), traces }));
}

/**
 * Box of the plots: the figure without its labels.
 * @param {Spec[]} data
 * @param {Spec} layout
 * @param {{ width: number, height: number }} size
 * @param {Plane[]} planes
 * @param {{ rows: number, isBelow: boolean }} legend
 * @returns {Box}
 */
function findPlotBox(data, { margin = {}, annotations = [] }, { width, height }, planes, legend) {
  const { l = 0, r = 0, t = 0, b = 0 } = margin, rows = legend.rows && legend.rows * ROW + 6;
  const isTitled = annotations.some((/** @type {Spec} */ note) => note.yref === "paper" && note.yanchor === "bottom");
  const left = Math.max(l, ...planes.filter(({ x }) => x.domain[0] === 0)
    .map(({ y }) => y.labelSpace((height - t - b) * (y.domain[1] - y.domain[0]))));
  const right = r + (data.some(hasScale) ? BAR : 0);
  /** @param {(plane: Plane) => boolean} isHere */
  const rooms = (isHere) => Math.max(0, ...planes.filter(isHere)
    .map(({ x }) => x.labelSpace((width - left - right) * (x.domain[1] - x.domain[0]))));
  const above = rooms(({ x }) => x.spec.side === "top") + (isTitled ? ROW : 0);
  const below = rooms(({ x, y }) => x.spec.side !== "top" && y.domain[0] === 0);
  const top = Math.max(t, above + (legend.isBelow ? 0 : rows));
  const bottom = height - Math.max(b, below + (legend.isBelow ? rows : 0));
  return { left, right: Math.max(left + 1, width - right), top, bottom: Math.max(top + 1, bottom) };
}

/**
 * Function from a share of the width to its pixel. The gap before a column of planes is at least as
 * wide as the labels in it; all columns keep their shares of the rest.
 * @param {Plane[]} planes
 * @param {Box} box
 * @returns {(share: number) => number}
 */
function createShareScale(planes, { left, right, top, bottom }) {
  const wide = right - left, ends = planes.map(({ x }) => x.domain[1]);
  const gaps = [...new Set(planes.map(({ x }) => x.domain[0]))].filter(Boolean).map((at) => {
    const share = at - Math.max(...ends.filter((end) => end <= at));
    const rooms = planes.filter(({ x }) => x.domain[0] === at)
      .map(({ y }) => y.labelSpace((bottom - top) * (y.domain[1] - y.domain[0])) + AIR / 2);
    return { at, share, pixels: Math.max(share * wide, ...rooms) };
  });
  /** @param {"share" | "pixels"} unit @param {number} to */
  const sum = (unit, to) => gaps.reduce((all, gap) => all + (gap.at <= to ? gap[unit] : 0), 0);
  const scale = (wide - sum("pixels", 1)) / (1 - sum("share", 1));
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
  const lines = [];
  for (const { axis, other } of [{ axis: x, other: y }, { axis: y, other: x }]) {
    const { spec } = axis, level = axis.letter === "y";
    const [low, high] = [other.from, other.to].sort((a, b) => a - b);
    const isDrawn = spec.visible !== false && (spec.showgrid ?? (level || spec.gridcolor)) && !axis.names.length;
    const places = isDrawn ? axis.findTicks(Math.abs(axis.to - axis.from)).map(({ at }) => ({ at, color: spec.gridcolor ?? GRID })) : [];
    if (spec.zeroline) places.push({ at: 0, color: spec.zerolinecolor ?? GRID });
    for (const { at, color } of places) lines.push(createSvg("path", { stroke: color, fill: "none",
      d: level ? `M${low} ${axis.toPixel(at)}H${high}` : `M${axis.toPixel(at)} ${low}V${high}` }));
  }
  return lines;
}

/** Labels at ticks, and titles. @param {Plane} plane @param {number} size of titles */
function drawAxisLabels({ x, y }, size) {
  const [left, right] = [x.from, x.to].sort((a, b) => a - b), [top, bottom] = [y.from, y.to].sort((a, b) => a - b);
  const away = left - 8 - (y.spec.ticklabelstandoff ?? 0), rows = y.findTicks(bottom - top);
  const columns = x.findTicks(right - left), angle = x.labelAngle(columns, right - left), isAbove = x.spec.side === "top";
  const turned = { y: isAbove ? top - 6 : bottom + 6, size: x.size, angle, rise: angle ? 0.5 : Number(!isAbove) };
  const anchor = angle ? (isAbove ? "start" : "end") : "middle";
  return [
    ...rows.map(({ at, label }) => drawLabel(label, { x: away, y: y.toPixel(at), size: y.size, rise: 0.5 },
      { "text-anchor": "end", fill: y.ink })),
    ...columns.map(({ at, label }) => drawLabel(label, { x: x.toPixel(at) + (angle ? x.size / 3 : 0), ...turned },
      { "text-anchor": anchor, fill: x.ink })),
    ...drawAxisTitle(x, size, (left + right) / 2, isAbove ? top - x.labelSpace(right - left) : bottom + x.labelSpace(right - left)),
    ...drawAxisTitle(y, size, left - y.labelSpace(bottom - top) + 4, (top + bottom) / 2),
  ];
}

/** @param {Axis} axis @param {number} size @param {number} x @param {number} y */
function drawAxisTitle({ letter, spec: { side, title, visible } }, size, x, y) {
  if (visible === false || !title?.text) return [];
  const turned = letter === "y" ? { rise: 1, angle: -90 } : { rise: side === "top" ? 1 : 0 };
  return [drawLabel(title.text, { x, y, size: title.font?.size ?? size, ...turned },
    { "text-anchor": "middle", fill: title.font?.color ?? "currentColor" })];
}

/**
 * Function from a value to its pixel, by reference: a value of an axis, a share of an axis, or
 * a share of all plots.
 * @param {string} ref such as "x2", "x2 domain" or "paper"
 * @param {string} letter
 * @param {Box} box
 * @param {Plane[]} planes
 * @returns {(value: number) => number}
 */
function createPixelScale(ref, letter, { left, right, top, bottom }, planes) {
  const [from, to] = letter === "x" ? [left, right] : [bottom, top], [name, share] = ref.split(" ");
  const axis = planes.flatMap(({ x, y }) => [x, y]).find((other) => other.name === name);
  if (!axis) return (value) => from + value * (to - from);
  return share ? (value) => axis.from + value * (axis.to - axis.from) : (value) => axis.toPixel(value);
}

/** @param {Spec} spec @param {Box} box @param {Plane[]} planes */
function drawShape({ type, xref = "x", yref = "y", x0, x1, y0, y1, line = {}, fillcolor = "none", opacity = 1 }, box, planes) {
  const across = createPixelScale(xref, "x", box, planes), down = createPixelScale(yref, "y", box, planes);
  const [left, right] = [across(x0), across(x1)], [from, to] = [down(y0), down(y1)];
  const d = type === "rect" ? `M${left} ${from}H${right}V${to}H${left}Z` : `M${left} ${from}L${right} ${to}`;
  return createSvg("path", { d, fill: type === "rect" ? fillcolor : "none", opacity, ...(line.width === 0 ? {} :
    { stroke: line.color ?? GRID, "stroke-width": line.width ?? 2, ...dashAttributes(line.dash) }) });
}

/** A picture as large as fits into its place, above the point. @param {Spec} spec @param {Box} box @param {Plane[]} planes */
function drawImage({ source, xref, x, sizex, yref, y, sizey }, box, planes) {
  const across = createPixelScale(xref, "x", box, planes), down = createPixelScale(yref, "y", box, planes);
  const [left, right] = [across(x - sizex / 2), across(x + sizex / 2)], top = down(y + sizey);
  return createSvg("image", { href: source, x: left, width: right - left, y: top, height: down(y) - top,
    preserveAspectRatio: "xMidYMax meet" });
}

/** @param {Spec} note @param {Box} box @param {Plane[]} planes @param {number} size of letters */
function drawNote({ text, x, y, xref = "x", yref = "y", xanchor = "center", yanchor = "middle", xshift = 0, yshift = 0, font = {} }, box, planes, size) {
  const place = { x: createPixelScale(xref, "x", box, planes)(x) + xshift, y: createPixelScale(yref, "y", box, planes)(y) - yshift };
  return drawLabel(text, { ...place, size: font.size ?? size, rise: RISES[yanchor] },
    { "text-anchor": ANCHORS[xanchor], fill: font.color ?? "currentColor" });
}

/** The scale of a heat map's colours, at the right. @param {Spec} trace @param {Box} box */
function drawColorBar(trace, { right, top, bottom }) {
  const { colorbar = {}, colorscale } = trace, high = Math.min(colorbar.len > 1 ? colorbar.len : 200, bottom - top);
  const axis = new Axis("y", { range: findColorRange(trace), tickformat: colorbar.tickformat }, []);
  axis.setPixels(top + high, top);
  const steps = createColorSteps(colorscale), wide = colorbar.thickness ?? 12;
  return createSvg("g", {}, ...steps.map((fill, k) => createSvg("rect", { x: right + 10, width: wide, fill,
    y: top + high * (1 - (k + 1) / steps.length), height: high / steps.length + 0.5 })),
  ...axis.findTicks(high).map(({ at, label }) => drawLabel(label,
    { x: right + 14 + wide, y: axis.toPixel(at), size: 12, rise: 0.5 }, { "text-anchor": "start", fill: "currentColor" })));
}

/** Number of rows of the legend, and a function that draws them at a height. @param {Spec[]} data @param {Spec} layout @param {number} width */
function createLegend(data, layout, width) {
  const named = data.filter(({ name, showlegend }) => name && showlegend !== false);
  const isShown = layout.showlegend !== false && (named.length > 1 || named.some(({ showlegend }) => showlegend) || layout.showlegend);
  const size = layout.legend?.font?.size ?? 13;
  const entries = (isShown ? named : []).sort((a, b) => (a.legendrank ?? 1000) - (b.legendrank ?? 1000))
    .map((trace) => ({ trace, wide: SIGN + measureLabel(trace.name, size).width + AIR }));
  let row = 0, x = 0;
  const places = entries.map(({ trace, wide }) => {
    if (x && x + wide > width) [x, row] = [0, row + 1];
    x += wide;
    return { trace, x: x - wide, row };
  });
  /** @param {number} top */
  const draw = (top) => places.flatMap(({ trace, x: left, row: at }) => {
    const middle = top + at * ROW + ROW / 2;
    return [...drawLegendSign(trace, left, middle), drawLabel(trace.name, { x: left + SIGN, y: middle, size, rise: 0.5 },
      { class: "legend", fill: layout.legend?.font?.color ?? "currentColor" })];
  });
  return { rows: places.length ? row + 1 : 0, isBelow: (layout.legend?.y ?? 1) < 0, draw };
}

/** Sign of a trace in the legend. @param {Spec} trace @param {number} x @param {number} y */
function drawLegendSign(trace, x, y) {
  const { marker = {}, line = {}, mode = "" } = trace, middle = x + SIGN / 2 - 3;
  if (trace.type === "bar") return [createSvg("rect", { x: middle - 6, y: y - 6, width: 12, height: 12,
    fill: valueAt(marker.color, 0), ...(valueAt(marker.line?.width, 0) ? { stroke: valueAt(marker.line.color, 0) } : {}) })];
  return [
    ...(mode.includes("lines") ? [createSvg("path", { d: `M${x} ${y}h${SIGN - 6}`, stroke: line.color,
      "stroke-width": line.width ?? 2, ...dashAttributes(line.dash) })] : []),
    ...(mode.includes("markers") ? [drawSymbol({ color: line.color, ...marker, size: Math.min(valueAt(marker.size, 0) ?? 8, 12) }, middle, y, 0)] : []),
  ];
}

/** @param {{ data: Uint8Array, parentElement: ParentNode, setTriggerValue?: Send }} component */
export default function ({ data, parentElement, setTriggerValue = () => {} }) {
  const root = findElement(parentElement, ".chart", HTMLElement);
  return mountFigure(root, () => new Chart(root), (chart) => chart.show(readPacked(data).head, setTriggerValue));
}
