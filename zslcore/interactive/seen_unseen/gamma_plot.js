// @ts-check
// Plot of seen and unseen accuracy and their harmonic mean over gamma, with a draggable line.

import { readSides } from "../curves.js";
import { findBestPoint, harmonicMean, pointAt } from "../curve.js";
import { LABEL_HEIGHT, linePath, linearScale, placeFlags, roundTicks } from "../layout.js";
import { createSymbol, lookStyle } from "../looks.js";
import { formatNumber } from "../numbers.js";
import { drawAxisTitle, drawHorizontalAxis, drawVerticalAxis, wholePercent } from "../plot_axes.js";
import { createSvg, measureText, setAttributes, setSize } from "../svg.js";
import { symbolPath } from "../symbols.js";

/** @import { CurvePoint } from "../curve.js" */
/** @import { Frame } from "../layout.js" */
/** @import { Head, Line } from "../curves.js" */

/** @typedef {"seen" | "unseen" | "harmonic"} CurveName name of a curve, and of its look */

/** @type {CurveName[]} */
const CURVE_NAMES = ["seen", "unseen", "harmonic"];

export class GammaPlot {
  /**
   * @param {SVGSVGElement} root
   * @param {{ width: number, height: number }} size in pixels
   * @param {Head} head
   * @param {Line} line the curve with the draggable gamma
   * @param {number} end of the axis of accuracies
   */
  constructor(root, { width, height }, head, line, end) {
    this.head = head;
    this.line = line;
    this.end = end;
    const sides = { left: 48, right: width - 12 };
    this.x = linearScale(line.limits, [sides.left, sides.right]);
    this.flags = placeFlags(line.stops.map((stop) =>
      ({ ...stop, x: this.x.toPixel(stop.gamma), width: measureText(stop.name) + 18 })), sides);
    const rows = Math.max(0, ...this.flags.map(({ row }) => row + 1));
    /** @type {Frame} */
    this.frame = { ...sides, top: 10 + rows * LABEL_HEIGHT, bottom: height - 42 };
    this.y = linearScale([0, end], [this.frame.bottom, this.frame.top]);
    setSize(root, width, height);
    root.replaceChildren(...this.drawFixedParts());
    this.upright = createSvg("path", { class: "upright" });
    this.dots = CURVE_NAMES.map((name) => createSvg("path", { class: "moving", style: lookStyle(name) }));
    this.grip = createSvg("rect", { class: "grip", width: 28, "data-part": "gamma",
      y: this.frame.top, height: this.frame.bottom - this.frame.top });
    this.cross = createSvg("path", { class: "cross" });
    root.append(this.cross, this.upright, ...this.dots, this.grip);
  }

  /** Return the position of H at a point, in pixels. @param {CurvePoint} point
   * @returns {[x: number, y: number]} */
  pixelsOf({ gamma, harmonic }) {
    return [this.x.toPixel(gamma), this.y.toPixel(harmonic)];
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  drawFixedParts() {
    const curves = CURVE_NAMES.map((name) => createSvg("path",
      { class: `curve ${name}`, d: this.curvePath(name), style: lookStyle(name) }));
    return [...this.drawAxes(), ...curves, ...this.drawNames(), ...this.drawStops()];
  }

  /** @param {CurveName} name */
  curvePath(name) {
    const { gamma, seen, unseen, n } = this.line;
    /** @param {number} k */
    const valueAt = (k) => name === "harmonic" ? harmonicMean(seen[k], unseen[k]) : this.line[name][k];
    const d = linePath(n, (k) => [this.x.toPixel(gamma[k]), this.y.toPixel(valueAt(k))], true);
    return `${d}H${this.frame.right}`;
  }

  drawAxes() {
    const { frame } = this, most = frame.right - frame.left > 400 ? 8 : 4;
    return [
      ...drawVerticalAxis(frame, this.y, roundTicks(0, this.end, 5), wholePercent),
      ...drawHorizontalAxis(frame, this.x, roundTicks(...this.line.limits, most), formatNumber),
      drawAxisTitle(frame, `γ, subtracted from ${readSides(this.head).seen} classes`),
    ];
  }

  /** Draw the names of the curves, each where the other curves are far away. */
  drawNames() {
    const { left, right, top } = this.frame, { limits, gamma, seen, unseen, n } = this.line;
    const best = findBestPoint(this.line), half = harmonicMean(seen[best], unseen[best]) / 2;
    const k = gamma.findIndex((_, i) => harmonicMean(seen[i], unseen[i]) >= half);
    /** @param {number} value */
    const above = (value) => {
      const y = this.y.toPixel(value);
      return y - 7 < top + 12 ? y + LABEL_HEIGHT : y - 7;
    };
    const zero = this.x.toPixel(0), sides = readSides(this.head);
    const start = zero < left + 60 ? zero : left; // the name does not cover the line of the stop at 0
    return [
      createSvg("text", { class: "name", x: start + 6, y: above(pointAt(this.line, limits[0]).seen),
        style: lookStyle("seen") }, `${sides.seen} s`),
      createSvg("text", { class: "name", x: right - 4, y: above(unseen[n - 1]), "text-anchor": "end",
        style: lookStyle("unseen") }, `${sides.unseen} u`),
      createSvg("text", { class: "name strong", x: this.x.toPixel(gamma[k]) - 9, "text-anchor": "end",
        y: this.y.toPixel(half) + 4, style: lookStyle("harmonic") }, "H"),
    ];
  }

  /** Draw the vertical line of each stop, then the flags with symbol and name above the axis. */
  drawStops() {
    const { looks } = this.head, { top, bottom } = this.frame;
    const placed = this.flags.map(({ flag, from, row }) =>
      ({ ...flag, from, y: top - 9 - row * LABEL_HEIGHT }));
    const poles = placed.map(({ look, x, y }) => createSvg("path", { class: "stop",
      d: `M${x} ${y + 8}V${bottom}`, "stroke-dasharray": looks[look].dash, style: lookStyle(look) }));
    return [...poles, ...placed.flatMap(({ from, look, name, width, y }) => [
      createSvg("rect", { class: "behind", x: from, y: y - 7, width, height: LABEL_HEIGHT - 2 }),
      createSymbol(looks, look, from + 6, y, 5),
      createSvg("text", { class: "label", x: from + 16, y: y + 4 }, name),
    ])];
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {CurvePoint} point */
  moveTo(point) {
    const x = this.x.toPixel(point.gamma), { top, bottom } = this.frame;
    setAttributes(this.upright, { d: `M${x} ${top}V${bottom}` });
    CURVE_NAMES.forEach((name, i) => {
      const symbol = name === "unseen" ? "diamond" : "circle", r = name === "harmonic" ? 7 : 5;
      setAttributes(this.dots[i], { d: symbolPath(symbol, x, this.y.toPixel(point[name]), r) });
    });
    setAttributes(this.grip, { x: x - 14 });
  }

  /** Move the crosshair, or hide it if `point` is null. @param {CurvePoint | null} point */
  showCrosshair(point) {
    if (!point) return setAttributes(this.cross, { d: "" });
    const [x, y] = this.pixelsOf(point), { left, right, top, bottom } = this.frame;
    setAttributes(this.cross, { d: `M${x} ${top}V${bottom}M${left} ${y}H${right}` });
  }

  /** @param {number} x */
  gammaAt(x) {
    return this.x.toValue(x);
  }
}
