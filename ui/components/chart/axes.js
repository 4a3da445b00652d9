// @ts-check
// Axes of a figure: ranges, ticks, and the space for their labels.

import { roundTicks } from "../../../zslcore/interactive/layout.js";
import { formatValue, measureLabel } from "./labels.js";

/** @typedef {Record<string, any>} Spec a part of a figure, with Plotly's names */
/** @typedef {{ at: number, label: string }} Tick */

const GAP = 8; // pixels between ticks' labels and the plot
const TITLE = 22; // height of an axis' title

/** Values of a trace along an axis; 0, 1, 2 ... without values. @param {Spec} trace @param {string} letter */
export function readValues(trace, letter) {
  if (trace[letter]) return trace[letter];
  const other = trace[letter === "x" ? "y" : "x"];
  const n = trace.type !== "heatmap" ? other?.length ?? 0
    : letter === "y" ? trace.z.length : trace.z[0]?.length ?? 0;
  return Array.from({ length: n }, (_, k) => k);
}

/** Key of a trace's axis in the layout. @param {Spec} trace @param {string} letter */
export function axisKey(trace, letter) {
  return (trace[`${letter}axis`] ?? letter).replace(letter, `${letter}axis`);
}

export class Axis {
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
    this.from = 0;
    this.to = 1;
  }

  /** Names along the axis; empty where it has numbers. */
  readNames() {
    const { categoryarray, type } = this.spec;
    if (categoryarray) return categoryarray.map(String);
    const all = this.traces.flatMap((trace) => trace.type === "heatmap" && !trace[this.letter] ? []
      : [...readValues(trace, this.letter)]);
    return type === "category" || all.some((value) => typeof value === "string")
      ? [...new Set(all.map(String))] : [];
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
    let [low, high] = [Infinity, -Infinity];
    /** @param {number} value */
    const widen = (value) => {
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    };
    for (const trace of this.traces) this.visitValues(trace, widen);
    const isGrounded = this.spec.rangemode === "tozero" || this.traces.some((trace) => this.isBarLength(trace));
    if (isGrounded) widen(0);
    if (low > high) return [0, 1];
    if (low === high) return [low - 1, high + 1];
    if (this.traces.some(({ type }) => type === "heatmap")) return [low, high];
    const air = 0.05 * (high - low);
    return [isGrounded && low === 0 ? low : low - air, isGrounded && high === 0 ? high : high + air];
  }

  /** Whether bars grow along this axis. @param {Spec} trace */
  isBarLength({ type, orientation }) {
    return type === "bar" && (orientation === "h") === (this.letter === "x");
  }

  /** @param {Spec} trace @param {(value: number) => void} widen */
  visitValues(trace, widen) {
    const values = readValues(trace, this.letter), error = trace[`error_${this.letter}`];
    const half = trace.type === "heatmap" || (trace.type === "bar" && !this.isBarLength(trace)) ? 0.5 : 0;
    values.forEach((/** @type {any} */ value, /** @type {number} */ k) => {
      if (value === null) return;
      const at = this.toNumber(value) + (trace.stacked?.[k] ?? 0);
      widen(at - half - (error?.arrayminus?.[k] ?? 0));
      widen(at + half + (error?.array?.[k] ?? 0));
    });
  }

  /** Place the axis between two pixels. @param {number} from @param {number} to */
  setPixels(from, to) {
    [this.from, this.to] = [from, to];
  }

  /** The pixel of a value. @param {string | number} value */
  toPixel(value) {
    const [low, high] = this.range;
    return this.from + (this.toNumber(value) - low) / (high - low) * (this.to - this.from);
  }

  /** Ticks, as many as the length allows. @param {number} pixels approximate length @returns {Tick[]} */
  findTicks(pixels) {
    const { spec, names, range } = this;
    if (spec.visible === false || spec.showticklabels === false) return [];
    const [low, high] = [Math.min(...range), Math.max(...range)];
    if (spec.tickvals) return spec.tickvals.map((/** @type {any} */ value, /** @type {number} */ k) =>
      ({ at: this.toNumber(value), label: String(spec.ticktext?.[k] ?? this.formatTick(value)) }))
      .filter((/** @type {Tick} */ tick) => tick.at >= low - 1e-9 && tick.at <= high + 1e-9);
    if (names.length) {
      const every = spec.dtick ?? Math.ceil(names.length * this.size / pixels);
      return names.map((/** @type {string} */ label, /** @type {number} */ at) => ({ at, label }))
        .filter((/** @type {Tick} */ { at }) => at % every === 0);
    }
    const most = Math.max(4, Math.round(pixels / (this.letter === "x" ? 80 : 44)));
    const numbers = roundTicks(low, high, spec.dtick ? Math.ceil((high - low) / spec.dtick) : most);
    return numbers.map((at) => ({ at, label: this.formatTick(at) }));
  }

  /** @param {number} value */
  formatTick(value) {
    return formatValue(value, this.spec.tickformat ?? ",") + (this.spec.ticksuffix ?? "");
  }

  /** Angle of the labels, in degrees. @param {Tick[]} found @param {number} pixels length of the axis */
  labelAngle(found, pixels) {
    if (this.letter === "y") return 0;
    if (this.spec.tickangle) return this.spec.tickangle;
    const [low, high] = this.range, each = pixels / Math.abs(high - low);
    const step = found.length > 1 ? Math.abs(found[1].at - found[0].at) * each : pixels;
    return found.some(({ label }) => measureLabel(label, this.size).width > step - 4) ? -60 : 0;
  }

  /** Pixels of labels and title next to the plot. @param {number} pixels approximate length of the axis */
  labelSpace(pixels) {
    const found = this.findTicks(pixels), title = this.spec.title?.text ? TITLE : 0;
    const turn = this.labelAngle(found, pixels) * Math.PI / 180;
    const sizes = found.map(({ label }) => measureLabel(label, this.size));
    const across = sizes.map(({ width, height }) => this.letter === "y" ? width
      : Math.abs(Math.sin(turn)) * width + Math.cos(turn) * height);
    const labels = found.length ? Math.max(...across) + GAP + (this.spec.ticklabelstandoff ?? 0) : 0;
    return this.spec.visible === false ? 0 : labels + title;
  }
}
