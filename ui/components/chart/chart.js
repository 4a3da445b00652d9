// @ts-check
// A figure of bars, points, lines and cells, drawn from a dict with Plotly's names at the available
// width. A mark has a text on hover; a click is sent to the server.

import { opened } from "../../../zslcore/interactive/bytes.js";
import { mounted, partOf } from "../../../zslcore/interactive/dom.js";
import { saveAs } from "../../../zslcore/interactive/picture.js";
import { change, shape } from "../../../zslcore/interactive/svg.js";
import { Axis, axisOf, valuesOf } from "./axes.js";
import { bare, formatted, sizeOf, written } from "./labels.js";
import { arrange, bars, cells, dashed, each, palette, points, span, symbolOf } from "./marks.js";

/** @import { Spec } from "./axes.js" */
/** @import { Plane, Target } from "./marks.js" */
/** @typedef {{ key: string, alt: string, figure: { data: Spec[], layout: Spec } }} Drawing */
/** @typedef {(name: string, value: unknown) => void} Say tells the server */
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
    this.tip = partOf(root, ".tip", HTMLElement);
    this.svg = partOf(root, "svg", SVGSVGElement);
    /** @type {Drawing | null} */
    this.drawing = null;
    /** @type {Target[]} */
    this.targets = [];
    /** @type {Say} */
    this.say = () => {};
    this.width = 0;
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.svg.addEventListener("click", (event) => this.pick(event));
    /** @param {Event} event */
    this.hearSave = (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      if (detail.key === this.drawing?.key) saveAs(this.root, this.drawing?.alt ?? "", detail);
    };
    document.addEventListener("zsl-save", this.hearSave);
    this.observer = new ResizeObserver(() => {
      if (this.drawing && root.clientWidth !== this.width) this.build();
    });
    this.observer.observe(root);
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener("zsl-save", this.hearSave);
  }

  /** @param {Drawing} drawing @param {Say} say */
  show(drawing, say) {
    this.say = say;
    if (drawing.key === this.drawing?.key && JSON.stringify(drawing) === JSON.stringify(this.drawing)) return;
    this.drawing = drawing;
    this.build();
  }

  build() {
    const { alt, figure: { data, layout } } = /** @type {Drawing} */ (this.drawing);
    this.width = this.root.clientWidth;
    if (!this.width) return;
    const size = { width: this.width, height: layout.height };
    const planes = planesOf(data, layout);
    const legend = legendOf(data, layout, size.width - 16);
    const box = boxOf(data, layout, size, planes, legend);
    const across = acrossOf(planes, box);
    for (const { x, y, traces } of planes) {
      const high = box.bottom - box.top;
      x.place(across(x.domain[0]), across(x.domain[1]));
      y.place(box.bottom - y.domain[0] * high, box.bottom - y.domain[1] * high);
      if (traces.some(({ z }) => z) && (x.spec.scaleanchor || y.spec.scaleanchor)) square({ x, y });
    }
    this.targets = [];
    const shapes = (layout.shapes ?? []).map((/** @type {Spec} */ spec) =>
      ({ spec, drawn: shapeOf(spec, box, planes) }));
    /** @param {boolean} isBelow */
    const shaped = (isBelow) => shapes.filter((/** @type {{ spec: Spec }} */ { spec }) =>
      (spec.layer === "below") === isBelow).map((/** @type {{ drawn: Node }} */ { drawn }) => drawn);
    const ordered = planes.flatMap((plane) => plane.traces.map((trace) => ({ plane, trace })))
      .sort((a, b) => (a.trace.zorder ?? 0) - (b.trace.zorder ?? 0));
    change(this.svg, { ...size, viewBox: `0 0 ${size.width} ${size.height}`, "aria-label": alt });
    this.svg.style.color = layout.font?.color ?? "";
    this.svg.replaceChildren(
      ...planes.flatMap((plane) => gridOf(plane)),
      ...shaped(true),
      ...ordered.map(({ plane, trace }) => this.marks(trace, plane, layout)),
      ...shaped(false),
      ...planes.flatMap((plane) => labelsOf(plane, layout.font?.size ?? 13)),
      ...data.filter(hasScale).map((trace) => scaleOf(trace, box)),
      ...(layout.images ?? []).map((/** @type {Spec} */ spec) => imageOf(spec, box, planes)),
      ...(layout.annotations ?? []).map((/** @type {Spec} */ note) => noteOf(note, box, planes, layout.font?.size ?? 13)),
      ...legend.draw(legend.isBelow ? size.height - legend.rows * ROW : 2),
    );
  }

  /** @param {Spec} trace @param {Plane} plane @param {Spec} layout */
  marks(trace, plane, layout) {
    /** @type {Target[]} */
    const targets = [];
    const drawn = trace.type === "bar" ? bars(trace, plane, layout.bargap ?? 0.2, targets)
      : trace.type === "heatmap" ? cells(trace, plane, targets) : points(trace, plane, targets);
    if (trace.hoverinfo !== "skip") this.targets.push(...targets);
    return drawn;
  }

  /** The mark under the pointer. @param {MouseEvent} event */
  meant({ clientX, clientY }) {
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
  point(event) {
    const found = this.meant(event);
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.textContent = said(found);
    const { offsetWidth: wide, offsetHeight: high } = this.tip;
    const left = Math.max(0, Math.min(found.x + found.width / 2 - wide / 2, this.width - wide));
    const above = found.y - high - 6;
    this.tip.style.transform = `translate(${left}px, ${above < 0 ? found.y + found.height + 6 : above}px)`;
  }

  /** @param {MouseEvent} event */
  pick(event) {
    const found = this.meant(event);
    if (found) this.say("picked", wordsOf(dataOf(found.trace.customdata, found.k)));
  }
}

/** Value of a mark in a property that may be an array. @param {any} values @param {number[]} k */
function dataOf(values, k) {
  return k.reduce((part, index) => each(part, index), values);
}

/** Data of a mark, with texts free of tags. @param {any} data */
function wordsOf(data) {
  return [data ?? []].flat().map((value) => typeof value === "string" ? bare(value) : value);
}

/** Text of a mark on hover, by the template of its trace. @param {Target} target */
function said({ trace, k }) {
  const cell = k.length > 1, [i, j] = k;
  const values = /** @type {Spec} */ ({
    x: valuesOf(trace, "x")[cell ? j : i], y: valuesOf(trace, "y")[i],
    z: cell ? trace.z[i][j] : undefined,
    text: dataOf(trace.text, k), customdata: dataOf(trace.customdata, k),
  });
  const template = trace.hovertemplate ?? (trace.name ? `${trace.name}: %{y}` : "%{y}");
  const text = template.replace(/<extra>.*?<\/extra>/, "").replace(
    /%\{(\w+)(?:\[(\d+)\])?(?::([^}]*))?\}/g,
    (/** @type {string} */ _, /** @type {string} */ name, /** @type {string} */ index, /** @type {string} */ pattern) => {
      const value = index === undefined ? values[name] : values[name]?.[Number(index)];
      return typeof value === "number" ? formatted(value, pattern ?? ",") : String(value ?? "");
    });
  return bare(text);
}

/** Pairs of axes with their traces. @param {Spec[]} data @param {Spec} layout @returns {(Plane & { traces: Spec[] })[]} */
function planesOf(data, layout) {
  const pairs = [...new Set(data.map((trace) => `${axisOf(trace, "x")} ${axisOf(trace, "y")}`))];
  const planes = pairs.map((pair) => {
    const [x, y] = pair.split(" ");
    const traces = data.filter((trace) => axisOf(trace, "x") === x && axisOf(trace, "y") === y);
    arrange(traces.filter(({ type }) => type === "bar"), layout.barmode ?? "group");
    return { names: [x, y], traces };
  });
  /** @type {Map<string, Axis>} */
  const axes = new Map();
  /** @param {string} name */
  const axis = (name) => {
    const letter = name[0], spec = layout[name] ?? {}, same = spec.matches?.replace(letter, `${letter}axis`);
    const traces = data.filter((trace) => [name, same].includes(axisOf(trace, letter)) ||
      layout[axisOf(trace, letter)]?.matches === name.replace("axis", ""));
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
function boxOf(data, { margin = {}, annotations = [] }, { width, height }, planes, legend) {
  const { l = 0, r = 0, t = 0, b = 0 } = margin, rows = legend.rows && legend.rows * ROW + 6;
  const isTitled = annotations.some((/** @type {Spec} */ note) => note.yref === "paper" && note.yanchor === "bottom");
  const left = Math.max(l, ...planes.filter(({ x }) => x.domain[0] === 0)
    .map(({ y }) => y.room((height - t - b) * (y.domain[1] - y.domain[0]))));
  const right = r + (data.some(hasScale) ? BAR : 0);
  /** @param {(plane: Plane) => boolean} isHere */
  const rooms = (isHere) => Math.max(0, ...planes.filter(isHere)
    .map(({ x }) => x.room((width - left - right) * (x.domain[1] - x.domain[0]))));
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
function acrossOf(planes, { left, right, top, bottom }) {
  const wide = right - left, ends = planes.map(({ x }) => x.domain[1]);
  const gaps = [...new Set(planes.map(({ x }) => x.domain[0]))].filter(Boolean).map((at) => {
    const share = at - Math.max(...ends.filter((end) => end <= at));
    const rooms = planes.filter(({ x }) => x.domain[0] === at)
      .map(({ y }) => y.room((bottom - top) * (y.domain[1] - y.domain[0])) + AIR / 2);
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
function square({ x, y }) {
  const units = [x, y].map(({ range: [low, high] }) => Math.abs(high - low));
  const pixels = [x, y].map(({ from, to }) => Math.abs(to - from));
  const unit = Math.min(pixels[0] / units[0], pixels[1] / units[1]);
  [x, y].forEach((axis, k) => {
    const middle = (axis.from + axis.to) / 2, half = Math.sign(axis.to - axis.from) * unit * units[k] / 2;
    axis.place(middle - half, middle + half);
  });
}

/** @param {Plane} plane */
function gridOf({ x, y }) {
  const lines = [];
  for (const { axis, other } of [{ axis: x, other: y }, { axis: y, other: x }]) {
    const { spec } = axis, level = axis.letter === "y";
    const [low, high] = [other.from, other.to].sort((a, b) => a - b);
    const isDrawn = spec.visible !== false && (spec.showgrid ?? (level || spec.gridcolor)) && !axis.names.length;
    const places = isDrawn ? axis.ticks(Math.abs(axis.to - axis.from)).map(({ at }) => ({ at, color: spec.gridcolor ?? GRID })) : [];
    if (spec.zeroline) places.push({ at: 0, color: spec.zerolinecolor ?? GRID });
    for (const { at, color } of places) lines.push(shape("path", { stroke: color, fill: "none",
      d: level ? `M${low} ${axis.at(at)}H${high}` : `M${axis.at(at)} ${low}V${high}` }));
  }
  return lines;
}

/** Labels at ticks, and titles. @param {Plane} plane @param {number} size of titles */
function labelsOf({ x, y }, size) {
  const [left, right] = [x.from, x.to].sort((a, b) => a - b), [top, bottom] = [y.from, y.to].sort((a, b) => a - b);
  const away = left - 8 - (y.spec.ticklabelstandoff ?? 0), rows = y.ticks(bottom - top);
  const columns = x.ticks(right - left), angle = x.angle(columns, right - left), isAbove = x.spec.side === "top";
  const turned = { y: isAbove ? top - 6 : bottom + 6, size: x.size, angle, rise: angle ? 0.5 : Number(!isAbove) };
  const anchor = angle ? (isAbove ? "start" : "end") : "middle";
  return [
    ...rows.map(({ at, label }) => written(label, { x: away, y: y.at(at), size: y.size, rise: 0.5 },
      { "text-anchor": "end", fill: y.ink })),
    ...columns.map(({ at, label }) => written(label, { x: x.at(at) + (angle ? x.size / 3 : 0), ...turned },
      { "text-anchor": anchor, fill: x.ink })),
    ...titleOf(x, size, (left + right) / 2, isAbove ? top - x.room(right - left) : bottom + x.room(right - left)),
    ...titleOf(y, size, left - y.room(bottom - top) + 4, (top + bottom) / 2),
  ];
}

/** @param {Axis} axis @param {number} size @param {number} x @param {number} y */
function titleOf({ letter, spec: { side, title, visible } }, size, x, y) {
  if (visible === false || !title?.text) return [];
  const turned = letter === "y" ? { rise: 1, angle: -90 } : { rise: side === "top" ? 1 : 0 };
  return [written(title.text, { x, y, size: title.font?.size ?? size, ...turned },
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
function pixelOn(ref, letter, { left, right, top, bottom }, planes) {
  const [from, to] = letter === "x" ? [left, right] : [bottom, top], [name, share] = ref.split(" ");
  const axis = planes.flatMap(({ x, y }) => [x, y]).find((other) => other.name === name);
  if (!axis) return (value) => from + value * (to - from);
  return share ? (value) => axis.from + value * (axis.to - axis.from) : (value) => axis.at(value);
}

/** @param {Spec} spec @param {Box} box @param {Plane[]} planes */
function shapeOf({ type, xref = "x", yref = "y", x0, x1, y0, y1, line = {}, fillcolor = "none", opacity = 1 }, box, planes) {
  const across = pixelOn(xref, "x", box, planes), down = pixelOn(yref, "y", box, planes);
  const [left, right] = [across(x0), across(x1)], [from, to] = [down(y0), down(y1)];
  const d = type === "rect" ? `M${left} ${from}H${right}V${to}H${left}Z` : `M${left} ${from}L${right} ${to}`;
  return shape("path", { d, fill: type === "rect" ? fillcolor : "none", opacity, ...(line.width === 0 ? {} :
    { stroke: line.color ?? GRID, "stroke-width": line.width ?? 2, ...dashed(line.dash) }) });
}

/** A picture as large as fits into its place, above the point. @param {Spec} spec @param {Box} box @param {Plane[]} planes */
function imageOf({ source, xref, x, sizex, yref, y, sizey }, box, planes) {
  const across = pixelOn(xref, "x", box, planes), down = pixelOn(yref, "y", box, planes);
  const [left, right] = [across(x - sizex / 2), across(x + sizex / 2)], top = down(y + sizey);
  return shape("image", { href: source, x: left, width: right - left, y: top, height: down(y) - top,
    preserveAspectRatio: "xMidYMax meet" });
}

/** @param {Spec} note @param {Box} box @param {Plane[]} planes @param {number} size of letters */
function noteOf({ text, x, y, xref = "x", yref = "y", xanchor = "center", yanchor = "middle", xshift = 0, yshift = 0, font = {} }, box, planes, size) {
  const place = { x: pixelOn(xref, "x", box, planes)(x) + xshift, y: pixelOn(yref, "y", box, planes)(y) - yshift };
  return written(text, { ...place, size: font.size ?? size, rise: RISES[yanchor] },
    { "text-anchor": ANCHORS[xanchor], fill: font.color ?? "currentColor" });
}

/** The scale of a heat map's colours, at the right. @param {Spec} trace @param {Box} box */
function scaleOf(trace, { right, top, bottom }) {
  const { colorbar = {}, colorscale } = trace, high = Math.min(colorbar.len > 1 ? colorbar.len : 200, bottom - top);
  const axis = new Axis("y", { range: span(trace), tickformat: colorbar.tickformat }, []);
  axis.place(top + high, top);
  const steps = palette(colorscale), wide = colorbar.thickness ?? 12;
  return shape("g", {}, ...steps.map((fill, k) => shape("rect", { x: right + 10, width: wide, fill,
    y: top + high * (1 - (k + 1) / steps.length), height: high / steps.length + 0.5 })),
  ...axis.ticks(high).map(({ at, label }) => written(label,
    { x: right + 14 + wide, y: axis.at(at), size: 12, rise: 0.5 }, { "text-anchor": "start", fill: "currentColor" })));
}

/** Number of rows of the legend, and a function that draws them at a height. @param {Spec[]} data @param {Spec} layout @param {number} width */
function legendOf(data, layout, width) {
  const named = data.filter(({ name, showlegend }) => name && showlegend !== false);
  const isShown = layout.showlegend !== false && (named.length > 1 || named.some(({ showlegend }) => showlegend) || layout.showlegend);
  const size = layout.legend?.font?.size ?? 13;
  const entries = (isShown ? named : []).sort((a, b) => (a.legendrank ?? 1000) - (b.legendrank ?? 1000))
    .map((trace) => ({ trace, wide: SIGN + sizeOf(trace.name, size).width + AIR }));
  let row = 0, x = 0;
  const places = entries.map(({ trace, wide }) => {
    if (x && x + wide > width) [x, row] = [0, row + 1];
    x += wide;
    return { trace, x: x - wide, row };
  });
  /** @param {number} top */
  const draw = (top) => places.flatMap(({ trace, x: left, row: at }) => {
    const middle = top + at * ROW + ROW / 2;
    return [...signOf(trace, left, middle), written(trace.name, { x: left + SIGN, y: middle, size, rise: 0.5 },
      { class: "legend", fill: layout.legend?.font?.color ?? "currentColor" })];
  });
  return { rows: places.length ? row + 1 : 0, isBelow: (layout.legend?.y ?? 1) < 0, draw };
}

/** Sign of a trace in the legend. @param {Spec} trace @param {number} x @param {number} y */
function signOf(trace, x, y) {
  const { marker = {}, line = {}, mode = "" } = trace, middle = x + SIGN / 2 - 3;
  if (trace.type === "bar") return [shape("rect", { x: middle - 6, y: y - 6, width: 12, height: 12,
    fill: each(marker.color, 0), ...(each(marker.line?.width, 0) ? { stroke: each(marker.line.color, 0) } : {}) })];
  return [
    ...(mode.includes("lines") ? [shape("path", { d: `M${x} ${y}h${SIGN - 6}`, stroke: line.color,
      "stroke-width": line.width ?? 2, ...dashed(line.dash) })] : []),
    ...(mode.includes("markers") ? [symbolOf({ color: line.color, ...marker, size: Math.min(each(marker.size, 0) ?? 8, 12) }, middle, y, 0)] : []),
  ];
}

/** @param {{ data: Uint8Array, parentElement: ParentNode, setTriggerValue?: Say }} component */
export default function ({ data, parentElement, setTriggerValue = () => {} }) {
  const root = partOf(parentElement, ".chart", HTMLElement);
  return mounted(root, () => new Chart(root), (chart) => chart.show(opened(data).head, setTriggerValue));
}
