// @ts-check
// Plot of seen and unseen accuracy and their harmonic mean over gamma, with a draggable line.

import { sidesOf } from "../curves.js";
import { threeDigits } from "../numbers.js";
import { path } from "../symbols.js";
import { bestOf, harmonicMean, placeAt } from "../curve.js";
import { LINE, corners, flagged, scale, ticks } from "../layout.js";
import { change, shape, widthOf } from "../svg.js";

/** @import { Place } from "../curve.js" */
/** @import { Frame } from "../layout.js" */
/** @import { Head, Line } from "../curves.js" */

/** @typedef {"seen" | "unseen" | "harmonic"} Which name of a line */

/** @type {Which[]} */
const WHICH = ["seen", "unseen", "harmonic"];

export class Over {
  /**
   * @param {SVGSVGElement} root
   * @param {{ width: number, height: number }} size in pixels
   * @param {Head} head
   * @param {Line} line the curve with the draggable gamma
   * @param {number} most end of the axis of accuracies
   */
  constructor(root, { width, height }, head, line, most) {
    this.root = root;
    this.head = head;
    this.sides = sidesOf(head);
    this.line = line;
    this.most = most;
    const sides = { left: 48, right: width - 12 };
    this.x = scale(line.limits, [sides.left, sides.right]);
    this.flags = flagged(line.stops.map((stop) =>
      ({ ...stop, x: this.x.at(stop.gamma), width: widthOf(stop.name) + 18 })), sides);
    const rows = Math.max(0, ...this.flags.map(({ row }) => row + 1));
    /** @type {Frame} */
    this.frame = { ...sides, top: 10 + rows * LINE, bottom: height - 42 };
    this.y = scale([0, most], [this.frame.bottom, this.frame.top]);
    change(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    root.replaceChildren(...this.still());
    this.upright = shape("path", { class: "upright" });
    this.dots = WHICH.map((which) => shape("path", { class: "moving", style: inkOf(which) }));
    this.grip = shape("rect", { class: "grip", width: 28, "data-part": "gamma",
      y: this.frame.top, height: this.frame.bottom - this.frame.top });
    this.cross = shape("path", { class: "cross" });
    root.append(this.cross, this.upright, ...this.dots, this.grip);
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  still() {
    return [
      ...this.axes(),
      ...WHICH.map((which) => shape("path",
        { class: `curve ${which}`, d: this.along(which), style: inkOf(which) })),
      ...this.names(), ...this.stops(),
    ];
  }

  /** @param {Which} which @param {number} k */
  valueOf(which, k) {
    const { seen, unseen } = this.line;
    return which === "harmonic" ? harmonicMean(seen[k], unseen[k]) : this.line[which][k];
  }

  /** @param {Which} which */
  along(which) {
    const { gamma, n } = this.line;
    const d = corners(n, (k) => [this.x.at(gamma[k]), this.y.at(this.valueOf(which, k))], true);
    return `${d}H${this.frame.right}`;
  }

  axes() {
    const { left, right, top, bottom } = this.frame, parts = [];
    for (const value of ticks(0, this.most, 5)) {
      const v = this.y.at(value), text = `${Math.round(100 * value)} %`;
      parts.push(shape("path", { class: "grid", d: `M${left} ${v}H${right}` }),
        shape("text", { class: "tick", x: left - 6, y: v + 4, "text-anchor": "end" }, text));
    }
    for (const value of ticks(...this.line.limits, right - left > 400 ? 8 : 4)) {
      const at = { x: this.x.at(value), y: bottom + 18, "text-anchor": "middle" };
      parts.push(shape("path", { class: "grid", d: `M${at.x} ${top}V${bottom}` }),
        shape("text", { class: "tick", ...at }, threeDigits(value)));
    }
    const at = { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" };
    parts.push(shape("text", { class: "title", ...at }, `γ, subtracted from ${this.sides.seen} classes`));
    return parts;
  }

  /** Names of the lines, each written where the other lines are far away. */
  names() {
    const { left, right, top } = this.frame, { limits, gamma, seen, unseen, n } = this.line;
    const best = bestOf(this.line), half = harmonicMean(seen[best], unseen[best]) / 2;
    const k = gamma.findIndex((_, i) => harmonicMean(seen[i], unseen[i]) >= half);
    /** @param {number} value */
    const above = (value) => {
      const y = this.y.at(value);
      return y - 7 < top + 12 ? y + LINE : y - 7;
    };
    const from = placeAt(this.line, limits[0]), zero = this.x.at(0), isNear = zero < left + 60; // its line
    return [
      shape("text", { class: "name", x: (isNear ? zero : left) + 6, y: above(from.seen), style: inkOf("seen") },
        `${this.sides.seen} s`),
      shape("text", { class: "name", x: right - 4, y: above(unseen[n - 1]), "text-anchor": "end",
        style: inkOf("unseen") }, `${this.sides.unseen} u`),
      shape("text", { class: "name strong", x: this.x.at(gamma[k]) - 9, "text-anchor": "end",
        y: this.y.at(half) + 4, style: inkOf("harmonic") }, "H"),
    ];
  }

  /** The vertical line of each stop, then the flags with symbol and name above the axis. */
  stops() {
    const { top, bottom } = this.frame;
    const placed = this.flags.map(({ flag, from, row }) => ({ ...flag, ...this.head.looks[flag.look],
      from, y: top - 9 - row * LINE, style: `--ink: var(--${flag.look})` }));
    const poles = placed.map(({ x, y, dash, style }) => shape("path", { class: "stop", style,
      d: `M${x} ${y + 8}V${bottom}`, "stroke-dasharray": dash }));
    return [...poles, ...placed.flatMap(({ from, look, name, symbol, style, width, y }) => [
      shape("rect", { class: "behind", x: from, y: y - 7, width, height: LINE - 2 }),
      shape("path", { class: look === "plain" ? "hollow" : "dot", d: path(symbol, from + 6, y, 5),
        style }),
      shape("text", { class: "label", x: from + 16, y: y + 4 }, name),
    ])];
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {Place} place */
  move(place) {
    const x = this.x.at(place.gamma), { top, bottom } = this.frame;
    change(this.upright, { d: `M${x} ${top}V${bottom}` });
    WHICH.forEach((which, i) => {
      const symbol = which === "unseen" ? "diamond" : "circle", r = which === "harmonic" ? 7 : 5;
      change(this.dots[i], { d: path(symbol, x, this.y.at(place[which]), r) });
    });
    change(this.grip, { x: x - 14 });
  }

  /** Move the crosshair, or hide it if `place` is null. @param {Place | null} place */
  hover(place) {
    if (!place) return change(this.cross, { d: "" });
    const x = this.x.at(place.gamma), v = this.y.at(place.harmonic), { left, right } = this.frame;
    change(this.cross, { d: `M${x} ${this.frame.top}V${this.frame.bottom}M${left} ${v}H${right}` });
  }

  /** @param {number} u */
  gammaAt(u) {
    return this.x.value(u);
  }

  /** @param {Place} place */
  tipAt(place) {
    return [this.x.at(place.gamma), this.y.at(place.harmonic)];
  }
}

/** @param {Which} which */
function inkOf(which) {
  return `--ink: var(--${which})`;
}
