// @ts-check
// Axes of a figure: ranges, ticks, and the space for their labels.

import { roundTicks } from "../../../zslcore/interactive/layout.js";
import { formatValue, measureLabel } from "./labels.js";

/** @typedef {Record<string, any>} Spec a part of a figure, with Plotly's names */
/** @typedef {{ at: number, label: string }} Tick */

const GAP = 8; // pixels between ticks' labels and the plot
const TITLE = 22; // height of an axis' title

/** Values of a trace along an axis; 0, 1, 2 ... without values. @param {Spec} trace @param {string} letter
 * @returns {any[]} */
export function readValues(trace, letter) {
  if (trace[letter]) return trace[letter];
  const other = trace[letter === "x" ? "y" : "x"];
  const n = trace.type !== "heatmap" ? other?.length ?? 0
    : letter === "y" ? trace.z.length : trace.z[0]?.length ?? 0;
  return [...Array(n).keys()];
}

/** Key of a trace's axis in the layout. @param {Spec} trace @param {string} letter */
export function axisKey(trace, letter) {
  return (trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`);
}

export class Axis {
  /** pixels of both ends */
  from = 0;
  to = 1;

  /**
   * @param {string} name such as "x" or "y2"
   * @param {Spec} spec
   * @param {Spec[]} traces of this axis
   */
  constructor(name, spec, traces) {
    this.name = name;
    this.letter = name[0];
    this.spec = spec;
    this.traces = traces;
    this.size = spec.tickfont?.size ?? 13;
    /** @type {string} */
    this.ink = spec.tickfont?.color ?? "currentColor";
    /** @type {[number, number]} share of the figure */
    this.domain = spec.domain ?? [0, 1];
    this.names = this.readNames();
    this.range = this.findRange();
  }

  /** Names along the axis; empty where it has numbers. @returns {string[]} */
  readNames() {
    const { categoryarray, type } = this.spec;
    if (categoryarray) return categoryarray.map(String);
    const values = this.traces.flatMap((trace) => trace.type === "heatmap" && !trace[this.letter] ? []
      : [...readValues(trace, this.letter)]);
    return type === "category" || values.some((value) => typeof value === "string")
      ? [...new Set(values.map(String))] : [];
  }

  /** Number of a value along the axis. @param {string | number} value */
  toNumber(value) {
    return this.names.length && typeof value === "string" ? this.names.indexOf(value) : Number(value);
  }

  /** @returns {[number, number]} first and last number */
  findRange() {
    const { spec, names } = this;
    if (spec.range) return spec.range;
    const [low, high] = names.length ? [-0.5, names.length - 0.5] : this.findExtremes();
    return spec.autorange === "reversed" ? [high, low] : [low, high];
  }

  /** Lowest and highest number of the traces, with a margin. @returns {[number, number]} */
  findExtremes() {
    const isGrounded = this.spec.rangemode === "tozero" || this.traces.some((trace) => this.isBarLength(trace));
    const numbers = this.traces.flatMap((trace) => this.findNumbers(trace)).filter(Number.isFinite);
    if (isGrounded) numbers.push(0);
    if (!numbers.length) return [0, 1];
    const low = numbers.reduce((a, b) => Math.min(a, b)), high = numbers.reduce((a, b) => Math.max(a, b));
    if (low === high) return [low - 1, high + 1];
    if (this.traces.some(({ type }) => type === "heatmap")) return [low, high];
    const margin = 0.05 * (high - low);
    return [isGrounded && low === 0 ? low : low - margin, isGrounded && high === 0 ? high : high + margin];
  }

  /** Whether bars grow along this axis. @param {Spec} trace */
  isBarLength({ type, orientation }) {
    return type === "bar" && (orientation === "h") === (this.letter === "x");
  }

  /** Numbers over which the marks of a trace extend. @param {Spec} trace @returns {number[]} */
  findNumbers(trace) {
    const error = trace[`error_${this.letter}`];
    const half = trace.type === "heatmap" || (trace.type === "bar" && !this.isBarLength(trace)) ? 0.5 : 0;
    return readValues(trace, this.letter).flatMap((value, k) => {
      if (value === null) return [];
      const middle = this.toNumber(value) + (trace.stacked?.[k] ?? 0);
      return [middle - half - (error?.arrayminus?.[k] ?? 0), middle + half + (error?.array?.[k] ?? 0)];
    });
  }

  /** Place the axis between two pixels. @param {number} from @param {number} to */
  setPixels(from, to) {
    [this.from, this.to] = [from, to];
  }

  /** Lower and higher pixel of both ends. */
  get pixels() {
    return [Math.min(this.from, this.to), Math.max(this.from, this.to)];
  }

  /** Length in pixels. */
  get length() {
    return Math.abs(this.to - this.from);
  }

  /** The pixel of a value. @param {string | number} value */
  toPixel(value) {
    const [low, high] = this.range;
    return this.from + (this.toNumber(value) - low) / (high - low) * (this.to - this.from);
  }

  /** Ticks, as many as the length allows. @param {number} length in pixels @returns {Tick[]} */
  findTicks(length = this.length) {
    const { spec, names, range } = this, [low, high] = [Math.min(...range), Math.max(...range)];
    if (spec.visible === false || spec.showticklabels === false) return [];
    if (spec.tickvals) {
      /** @type {(string | number)[]} */
      const values = spec.tickvals;
      return values.map((value, k) => ({ at: this.toNumber(value),
        label: String(spec.ticktext?.[k] ?? this.formatTick(Number(value))) }))
        .filter(({ at }) => at >= low - 1e-9 && at <= high + 1e-9);
    }
    if (names.length) {
      const step = spec.dtick ?? Math.ceil(names.length * this.size / length);
      return names.map((label, at) => ({ at, label })).filter(({ at }) => at % step === 0);
    }
    const most = spec.dtick ? Math.ceil((high - low) / spec.dtick)
      : Math.max(4, Math.round(length / (this.letter === "x" ? 80 : 44)));
    return roundTicks(low, high, most).map((at) => ({ at, label: this.formatTick(at) }));
  }

  /** @param {number} value */
  formatTick(value) {
    return formatValue(value, this.spec.tickformat ?? ",") + (this.spec.ticksuffix ?? "");
  }

  /** Angle of the labels, in degrees. @param {Tick[]} ticks @param {number} length in pixels */
  labelAngle(ticks, length = this.length) {
    if (this.letter === "y") return 0;
    if (this.spec.tickangle) return this.spec.tickangle;
    const [low, high] = this.range, unit = length / Math.abs(high - low);
    const step = ticks.length > 1 ? Math.abs(ticks[1].at - ticks[0].at) * unit : length;
    return ticks.some(({ label }) => measureLabel(label, this.size).width > step - 4) ? -60 : 0;
  }

  /** Pixels of labels and title next to the plot. @param {number} [plots] length of all plots in
   * pixels, for an axis without a place */
  labelSpace(plots) {
    if (this.spec.visible === false) return 0;
    const length = plots === undefined ? this.length : plots * (this.domain[1] - this.domain[0]);
    const ticks = this.findTicks(length), title = this.spec.title?.text ? TITLE : 0;
    if (!ticks.length) return title;
    const angle = this.labelAngle(ticks, length) * Math.PI / 180;
    const extents = ticks.map(({ label }) => {
      const { width, height } = measureLabel(label, this.size);
      return this.letter === "y" ? width : Math.abs(Math.sin(angle)) * width + Math.cos(angle) * height;
    });
    return Math.max(...extents) + GAP + (this.spec.ticklabelstandoff ?? 0) + title;
  }
}
