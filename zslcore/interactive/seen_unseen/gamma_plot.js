// @ts-check
// Plot of seen and unseen accuracy and their harmonic mean over gamma, with a draggable line.

import { readSides } from "../curves.js";
import { formatNumber } from "../numbers.js";
import { symbolPath } from "../symbols.js";
import { findBestPoint, harmonicMean, pointAt } from "../curve.js";
import { LABEL_HEIGHT, linePath, placeFlags, linearScale, roundTicks } from "../layout.js";
import { setAttributes, createSvg, measureText } from "../svg.js";

/** @import { CurvePoint } from "../curve.js" */
/** @import { Frame } from "../layout.js" */
/** @import { Head, Line } from "../curves.js" */

/** @typedef {"seen" | "unseen" | "harmonic"} CurveName name of a line */

/** @type {CurveName[]} */
const CURVE_NAMES = ["seen", "unseen", "harmonic"];

export class GammaPlot {
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
    this.sides = readSides(head);
    this.line = line;
    this.end = most;
    const sides = { left: 48, right: width - 12 };
    this.x = linearScale(line.limits, [sides.left, sides.right]);
    this.flags = placeFlags(line.stops.map((stop) =>
      ({ ...stop, x: this.x.toPixel(stop.gamma), width: measureText(stop.name) + 18 })), sides);
    const rows = Math.max(0, ...this.flags.map(({ row }) => row + 1));
    /** @type {Frame} */
    this.frame = { ...sides, top: 10 + rows * LABEL_HEIGHT, bottom: height - 42 };
    this.y = linearScale([0, most], [this.frame.bottom, this.frame.top]);
    setAttributes(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    root.replaceChildren(...this.fixedParts());
    this.upright = createSvg("path", { class: "upright" });
    this.dots = CURVE_NAMES.map((which) => createSvg("path", { class: "moving", style: inkOf(which) }));
    this.grip = createSvg("rect", { class: "grip", width: 28, "data-part": "gamma",
      y: this.frame.top, height: this.frame.bottom - this.frame.top });
    this.cross = createSvg("path", { class: "cross" });
    root.append(this.cross, this.upright, ...this.dots, this.grip);
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  fixedParts() {
    return [
      ...this.axes(),
      ...CURVE_NAMES.map((which) => createSvg("path",
        { class: `curve ${which}`, d: this.curvePath(which), style: inkOf(which) })),
      ...this.names(), ...this.stops(),
    ];
  }

  /** @param {CurveName} which @param {number} k */
  valueOf(which, k) {
    const { seen, unseen } = this.line;
    return which === "harmonic" ? harmonicMean(seen[k], unseen[k]) : this.line[which][k];
  }

  /** @param {CurveName} which */
  curvePath(which) {
    const { gamma, n } = this.line;
    const d = linePath(n, (k) => [this.x.toPixel(gamma[k]), this.y.toPixel(this.valueOf(which, k))], true);
    return `${d}H${this.frame.right}`;
  }

  axes() {
    const { left, right, top, bottom } = this.frame, parts = [];
    for (const value of roundTicks(0, this.end, 5)) {
      const v = this.y.toPixel(value), text = `${Math.round(100 * value)} %`;
      parts.push(createSvg("path", { class: "grid", d: `M${left} ${v}H${right}` }),
        createSvg("text", { class: "tick", x: left - 6, y: v + 4, "text-anchor": "end" }, text));
    }
    for (const value of roundTicks(...this.line.limits, right - left > 400 ? 8 : 4)) {
      const at = { x: this.x.toPixel(value), y: bottom + 18, "text-anchor": "middle" };
      parts.push(createSvg("path", { class: "grid", d: `M${at.x} ${top}V${bottom}` }),
        createSvg("text", { class: "tick", ...at }, formatNumber(value)));
    }
    const at = { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" };
    parts.push(createSvg("text", { class: "title", ...at }, `γ, subtracted from ${this.sides.seen} classes`));
    return parts;
  }

  /** Names of the lines, each written where the other lines are far away. */
  names() {
    const { left, right, top } = this.frame, { limits, gamma, seen, unseen, n } = this.line;
    const best = findBestPoint(this.line), half = harmonicMean(seen[best], unseen[best]) / 2;
    const k = gamma.findIndex((_, i) => harmonicMean(seen[i], unseen[i]) >= half);
    /** @param {number} value */
    const above = (value) => {
      const y = this.y.toPixel(value);
      return y - 7 < top + 12 ? y + LABEL_HEIGHT : y - 7;
    };
    const from = pointAt(this.line, limits[0]), zero = this.x.toPixel(0), isNear = zero < left + 60; // its line
    return [
      createSvg("text", { class: "name", x: (isNear ? zero : left) + 6, y: above(from.seen), style: inkOf("seen") },
        `${this.sides.seen} s`),
      createSvg("text", { class: "name", x: right - 4, y: above(unseen[n - 1]), "text-anchor": "end",
        style: inkOf("unseen") }, `${this.sides.unseen} u`),
      createSvg("text", { class: "name strong", x: this.x.toPixel(gamma[k]) - 9, "text-anchor": "end",
        y: this.y.toPixel(half) + 4, style: inkOf("harmonic") }, "H"),
    ];
  }

  /** The vertical line of each stop, then the flags with symbol and name above the axis. */
  stops() {
    const { top, bottom } = this.frame;
    const placed = this.flags.map(({ flag, from, row }) => ({ ...flag, ...this.head.looks[flag.look],
      from, y: top - 9 - row * LABEL_HEIGHT, style: `--ink: var(--${flag.look})` }));
    const poles = placed.map(({ x, y, dash, style }) => createSvg("path", { class: "stop", style,
      d: `M${x} ${y + 8}V${bottom}`, "stroke-dasharray": dash }));
    return [...poles, ...placed.flatMap(({ from, look, name, symbol, style, width, y }) => [
      createSvg("rect", { class: "behind", x: from, y: y - 7, width, height: LABEL_HEIGHT - 2 }),
      createSvg("path", { class: look === "plain" ? "hollow" : "dot", d: symbolPath(symbol, from + 6, y, 5),
        style }),
      createSvg("text", { class: "label", x: from + 16, y: y + 4 }, name),
    ])];
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {CurvePoint} place */
  moveTo(place) {
    const x = this.x.toPixel(place.gamma), { top, bottom } = this.frame;
    setAttributes(this.upright, { d: `M${x} ${top}V${bottom}` });
    CURVE_NAMES.forEach((which, i) => {
      const symbol = which === "unseen" ? "diamond" : "circle", r = which === "harmonic" ? 7 : 5;
      setAttributes(this.dots[i], { d: symbolPath(symbol, x, this.y.toPixel(place[which]), r) });
    });
    setAttributes(this.grip, { x: x - 14 });
  }

  /** Move the crosshair, or hide it if `place` is null. @param {CurvePoint | null} place */
  showCrosshair(place) {
    if (!place) return setAttributes(this.cross, { d: "" });
    const x = this.x.toPixel(place.gamma), v = this.y.toPixel(place.harmonic), { left, right } = this.frame;
    setAttributes(this.cross, { d: `M${x} ${this.frame.top}V${this.frame.bottom}M${left} ${v}H${right}` });
  }

  /** @param {number} u */
  gammaAt(u) {
    return this.x.toValue(u);
  }

  /** @param {CurvePoint} place */
  tooltipPlace(place) {
    return [this.x.toPixel(place.gamma), this.y.toPixel(place.harmonic)];
  }
}

/** @param {CurveName} which */
function inkOf(which) {
  return `--ink: var(--${which})`;
}
