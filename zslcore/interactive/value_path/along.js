// @ts-check
// One panel: lines over the values of a path, the values that have a name, and the line that moves.

import { raised } from "../flags.js";
import { LINE, corners, flagged, scale, ticks } from "../layout.js";
import { percent, threeDigits } from "../numbers.js";
import { change, shape, widthOf } from "../svg.js";
import { path } from "../symbols.js";
import { decades, power } from "./decades.js";

/** @import { Frame } from "../layout.js" */
/** @import { Panel, Path, Row } from "./wire.js" */

export class Along {
  /**
   * @param {SVGSVGElement} root
   * @param {{ width: number, height: number }} size in pixels
   * @param {Path} head
   * @param {Panel} panel
   * @param {boolean} flags whether values with a name have it written above them
   */
  constructor(root, { width, height }, head, panel, flags) {
    this.root = root;
    this.head = head;
    this.panel = panel;
    const { n } = head, sides = { left: 48, right: width - 12 };
    this.x = scale([0, n - 1], [sides.left, sides.right]);
    this.flags = flags ? flagged(head.stops.map((stop) =>
      ({ ...stop, x: this.x.at(stop.place), width: widthOf(stop.name) + 18 })), sides) : [];
    const above = Math.max(0, ...this.flags.map(({ row }) => row + 1));
    /** @type {Frame} */
    this.frame = { ...sides, top: 10 + above * LINE, bottom: height - 42 };
    this.most = 1.08 * Math.max(...panel.rows.map(({ heights }) => Math.max(...heights))) || 1;
    this.y = scale([0, this.most], [this.frame.bottom, this.frame.top]);
    change(root, { width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": this.alt });
    root.replaceChildren(...this.still());
    this.cross = shape("path", { class: "cross" });
    this.upright = shape("path", { class: "upright" });
    this.dots = panel.rows.map((row) => shape("path", { class: "moving", style: ink(row) }));
    root.append(this.cross, this.upright, ...this.dots);
  }

  /** What is to be seen, in words. */
  get alt() {
    const said = this.panel.rows.map(({ name, heights }) =>
      `${name} from ${this.written(heights[0])} to ${this.written(heights[heights.length - 1])}`);
    return `${this.panel.title} over ${this.head.label}: ${said.join("; ")}.`;
  }

  /** @param {number} value */
  written(value) {
    return this.panel.percent ? percent(value) : threeDigits(value);
  }

  // --- What stays -------------------------------------------------------------------------------

  still() {
    return [...this.axes(), ...this.stops(), ...this.panel.rows.map((row) => this.line(row))];
  }

  /** @param {Row} row */
  line(row) {
    const { heights, look, width } = row;
    const d = corners(heights.length, (k) => [this.x.at(k), this.y.at(heights[k])]);
    return shape("path", { class: "curve", d, "stroke-dasharray": this.head.looks[look].dash,
      style: `${ink(row)}; stroke-width: ${width}` });
  }

  axes() {
    const { left, right, top, bottom } = this.frame, parts = [];
    for (const value of ticks(0, this.most, bottom - top > 160 ? 5 : 3)) {
      const v = this.y.at(value);
      const text = this.panel.percent ? `${Math.round(100 * value)} %` : threeDigits(value);
      parts.push(shape("path", { class: "grid", d: `M${left} ${v}H${right}` }),
        shape("text", { class: "tick", x: left - 6, y: v + 4, "text-anchor": "end" }, text));
    }
    const { grid, label, n } = this.head, [low, high] = [grid[0], grid[n - 1]];
    for (const value of decades(low, high, right - left > 400 ? 9 : 5)) {
      const share = Math.log(value / low) / Math.log(high / low);
      const at = { x: this.x.at(share * (n - 1)), y: bottom + 18 };
      parts.push(shape("path", { class: "grid", d: `M${at.x} ${top}V${bottom}` }),
        shape("text", { class: "tick", ...at, "text-anchor": "middle" }, power(value)));
    }
    const at = { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" };
    return [...parts, shape("text", { class: "title", ...at }, label)];
  }

  /** An upright line for each value with a name, and in the large panel a flag that covers no other. */
  stops() {
    const { looks, stops } = this.head, { top, bottom } = this.frame;
    const lines = stops.map(({ look, place }) => shape("path", { class: "stop",
      d: `M${this.x.at(place)} ${top}V${bottom}`, "stroke-dasharray": looks[look].dash,
      style: `--ink: var(--${look})` }));
    return [...lines, ...raised(this.flags, looks, top, top)];
  }

  // --- What moves -------------------------------------------------------------------------------

  /** @param {number} k the place of the value */
  move(k) {
    const x = this.x.at(k), { top, bottom } = this.frame;
    change(this.upright, { d: `M${x} ${top}V${bottom}` });
    this.panel.rows.forEach(({ look, heights }, i) =>
      change(this.dots[i], { d: path(this.head.looks[look].symbol, x, this.y.at(heights[k]), 5) }));
  }

  /** The line below a pointer that only passes. @param {number | null} k */
  hover(k) {
    const { top, bottom } = this.frame;
    change(this.cross, { d: k === null ? "" : `M${this.x.at(k)} ${top}V${bottom}` });
  }

  /** The place of the value nearest to where a pointer is. @param {number} u */
  placeAt(u) {
    return Math.round(this.x.value(u));
  }
}

/** @param {Row} row */
function ink({ look }) {
  return `--ink: var(--${look})`;
}
