// @ts-check
// Plot of seen over unseen accuracy: square axes, lines of equal H, curves, and a draggable point.

import { readSides } from "./curves.js";
import { findBestPoint, findNearestPoint, middleGamma, pointAt } from "./curve.js";
import { linePath, linearScale, placeLabels, roundTicks } from "./layout.js";
import { createSymbol, lookStyle } from "./looks.js";
import { formatPercent } from "./numbers.js";
import { drawAxisTitle, drawHorizontalAxis, drawVerticalAxis, wholePercent } from "./plot_axes.js";
import { createSvg, measureText, setAttributes, setSize } from "./svg.js";

/** @import { CurvePoint } from "./curve.js" */
/** @import { Frame } from "./layout.js" */
/** @import { Head, Line } from "./curves.js" */

/** @typedef {{ n: number, seen: ArrayLike<number>, unseen: ArrayLike<number> }} Accuracies of a curve */

const LEFT = 60; // pixels for title and labels of the seen side, also in wide letters
export const EXTRA_WIDTH = LEFT + 10; // pixels of width in addition to the plane
const RING_RADIUS = 9; // default radius of the draggable point
const NARROW = 320; // pixels of a plane without room for long names
const NAME_POINTS = 12; // most further points of a curve for its name
const POINT_GAP = 4; // pixels between the points of a curve that labels avoid
const LEVEL_NAME = 40; // pixels of width of the name of a line of equal H

export class TradePlot {
  /**
   * @param {SVGSVGElement} root
   * @param {number} size side of the plane, in pixels
   * @param {Head} head
   * @param {Line} line the curve with the draggable point
   * @param {number} radius of the draggable point
   * @param {boolean} showsNames whether stops have names; else a plot next to this one has them
   */
  constructor(root, size, head, line, radius = RING_RADIUS, showsNames = true) {
    this.root = root;
    this.showsNames = showsNames;
    this.radius = radius;
    this.head = head;
    this.line = line;
    /** @type {Frame} */
    this.frame = { left: LEFT, right: LEFT + size, top: 10, bottom: 10 + size };
    this.end = this.findAxisEnd(head);
    this.x = linearScale([0, this.end], [LEFT, LEFT + size]);
    this.y = linearScale([0, this.end], [10 + size, 10]);
    setSize(root, LEFT + size + 10, size + 52);
    this.arms = createSvg("path", { class: "arm" });
    root.replaceChildren(...this.drawFixedParts());
    this.ring = createSvg("g", { class: "ring", "data-part": "point" },
      createSvg("circle", { r: 22, class: "grip" }), createSvg("circle", { r: radius, class: "halo" }),
      createSvg("circle", { r: radius, class: "harmonic" }));
    this.cross = createSvg("path", { class: "cross" });
    root.append(this.cross, this.ring);
  }

  /** Return the position of a point in pixels. @param {{ unseen: number, seen: number }} point
   * @returns {[x: number, y: number]} */
  pixelsOf({ unseen, seen }) {
    return [this.x.toPixel(unseen), this.y.toPixel(seen)];
  }

  /** Return the end of both axes: a multiple of 10 % above all curves. @param {Head} head */
  findAxisEnd({ lines }) {
    const ends = lines.flatMap(({ seen, unseen }) => [seen[0], unseen[unseen.length - 1]]);
    return Math.min(1, Math.ceil(10 * Math.max(0.05, ...ends) - 1e-9) / 10);
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  /** @returns {SVGElement[]} */
  drawFixedParts() {
    const { line, head } = this, others = head.lines.filter((other) => other !== line);
    return [
      ...this.drawAxes(), ...this.drawHarmonicLines(), this.drawArea(),
      ...others.map((other) => this.drawStyledPath(other.look, this.curvePath(other))),
      createSvg("path", { class: "curve", d: this.curvePath(line), style: lookStyle(line.look) }),
      this.arms, ...this.drawLabels(),  // names are drawn over the lines of the point
    ];
  }

  /** Return the outline of a curve. @param {Accuracies} curve */
  curvePath({ n, seen, unseen }) {
    return linePath(n, (k) => this.pixelsOf({ unseen: unseen[k], seen: seen[k] }));
  }

  drawArea() {
    const { left, bottom } = this.frame, { unseen, seen, n, look } = this.line;
    const foot = unseen[n - 1] ? `V${bottom}H${left}` : `L${left} ${bottom}`;
    const d = `${this.curvePath(this.line)}${foot}L${left} ${this.y.toPixel(seen[0])}Z`;
    return createSvg("path", { class: "area", d, style: lookStyle(look) });
  }

  drawAxes() {
    const { frame } = this, values = roundTicks(0, this.end, 5), sides = readSides(this.head);
    const transform = `translate(11 ${(frame.top + frame.bottom) / 2}) rotate(-90)`;
    return [
      ...drawHorizontalAxis(frame, this.x, values, wholePercent),
      ...drawVerticalAxis(frame, this.y, values, wholePercent),
      drawAxisTitle(frame, `${sides.unseen} accuracy u`),
      createSvg("text", { class: "title", "text-anchor": "middle", transform }, `${sides.seen} accuracy s`),
    ];
  }

  /** Values of H with a line. */
  get harmonicLevels() {
    return roundTicks(0, this.end, 5).filter((value) => value > 0 && value < this.end);
  }

  /** Return the right end of the name of a line of equal H. @param {number} H */
  findLevelName(H) {
    const { end } = this;
    return { x: this.frame.right - 3, y: this.y.toPixel((H * end) / (2 * end - H)) - 4 };
  }

  /** Draw lines of equal H, each with its name at the end. */
  drawHarmonicLines() {
    const { end } = this;
    return this.harmonicLevels.flatMap((H) => {
      const first = (H * end) / (2 * end - H), n = 60;
      const d = linePath(n + 1, (i) => {
        const unseen = first + ((end - first) * i) / n;
        return this.pixelsOf({ unseen, seen: (H * unseen) / (2 * unseen - H) });
      });
      const place = { ...this.findLevelName(H), "text-anchor": "end" };
      return [createSvg("path", { class: "equal", d }),
        createSvg("text", { class: "faint", ...place }, `H ${wholePercent(H)}`)];
    });
  }

  /** Draw a path like a curve of a look. @param {string} look @param {string} d */
  drawStyledPath(look, d) {
    const { dash } = this.head.looks[look];
    return createSvg("path", { class: "ghost", d, "stroke-dasharray": dash, style: lookStyle(look) });
  }

  // --- Names ------------------------------------------------------------------------------------

  /** Draw names next to their points, each joined to its point by a line: stops with their symbols,
   * curves with a piece of their line. All points are drawn first, so that no point covers a name. */
  drawLabels() {
    const { looks } = this.head;
    const points = this.curvesBehind(this.head).flatMap((curve) => this.pointsAlong(curve));
    const placed = placeLabels(this.labelRequests(), this.frame, this.occupiedAreas(), points);
    const leaders = placed.flatMap(({ label, x, y }) => {
      const end = Math.max(x, Math.min(label.x, x + label.width)); // nearer end of the name
      const leader = createSvg("path", { class: "leader", d: `M${label.x} ${label.y}L${end} ${y}` });
      if (label.isCurve) return [leader];
      return [leader, createSvg("circle", { class: "dot", cx: label.x, cy: label.y, r: 3.5,
        style: lookStyle(label.look) })];
    });
    const names = placed.flatMap(({ label, x, y }) => [
      label.isCurve ? this.drawStyledPath(label.look, `M${x} ${y}h14`)
        : createSymbol(looks, label.look, x + 6, y, 5),
      createSvg("text", { class: label.isStrong ? "label strong" : "label", x: x + 18, y: y + 4 },
        label.name),
    ]);
    const symbols = this.showsNames ? [] : this.line.stops.map(({ gamma, look }) =>
      createSymbol(looks, look, ...this.pixelsOf(pointAt(this.line, gamma)), 5));
    return [...symbols, ...leaders, ...names];
  }

  /** Return the curves that names avoid. @param {Head} head @returns {Accuracies[]} */
  curvesBehind({ lines }) {
    return lines;
  }

  /** Return points along a curve, a few pixels apart. @param {Accuracies} curve */
  pointsAlong({ n, seen, unseen }) {
    /** @type {[number, number][]} */
    const points = [];
    let [u, v] = this.pixelsOf({ unseen: unseen[0], seen: seen[0] });
    for (let k = 1; k < n; k++) {
      const [x, y] = this.pixelsOf({ unseen: unseen[k], seen: seen[k] });
      const parts = Math.floor(Math.hypot(x - u, y - v) / POINT_GAP);
      for (let i = 1; i <= parts; i++)
        points.push([u + ((x - u) * i) / parts, v + ((y - v) * i) / parts]);
      if (parts) [u, v] = [x, y];
    }
    return points;
  }

  /** Return areas that labels avoid: names of lines of equal H, and stops, where the ring often is. */
  occupiedAreas() {
    const stops = this.line.stops.map(({ gamma }) => {
      const [x, y] = this.pixelsOf(pointAt(this.line, gamma));
      return { x: x - this.radius, y, width: 2 * this.radius };
    });
    const names = this.harmonicLevels.map((H) => this.findLevelName(H));
    return [...stops, ...names.map(({ x, y }) => ({ x: x - LEVEL_NAME, y: y - 4, width: LEVEL_NAME }))];
  }

  /** Return the labels of stops and, if there are several, of curves. */
  labelRequests() {
    const { head, line, frame } = this, isNarrow = frame.right - frame.left < NARROW;
    const stops = (this.showsNames ? line.stops : []).map(({ name, gamma, look }) => {
      const inBrackets = isNarrow ? /\((.+)\)$/.exec(name)?.[1] : undefined; // "best ... (oracle)": "oracle"
      return this.labelRequest(inBrackets ?? name, look, pointAt(line, gamma));
    });
    if (head.lines.length < 2) return stops;
    const data = / on .+$/.exec(line.name)?.[0] ?? "";
    const isShared = isNarrow && head.lines.every(({ name }) => name.endsWith(data));
    const curves = head.lines.toSorted((a, b) => Number(a === line) - Number(b === line)).map((curve) => {
      // The line itself is named in its lower half, away from its stops.
      const k = curve === line ? line.seen.findIndex((seen) => seen < 0.4 * line.seen[0])
        : findBestPoint(curve);
      const name = isShared ? curve.name.slice(0, curve.name.length - data.length) : curve.name;
      return { ...this.labelRequest(name, curve.look, { unseen: curve.unseen[k], seen: curve.seen[k] }),
        isStrong: curve === line, isCurve: true, otherPoints: this.pointsForName(curve) };
    });
    return [...stops, ...curves];
  }

  /** Return further points of a curve that its name may be near. @param {Accuracies} curve */
  pointsForName(curve) {
    const points = this.pointsAlong(curve), step = Math.max(1, Math.ceil(points.length / NAME_POINTS));
    return points.filter((_, k) => k % step === 0);
  }

  /** @param {string} name @param {string} look @param {{ unseen: number, seen: number }} point */
  labelRequest(name, look, point) {
    const [x, y] = this.pixelsOf(point), width = measureText(name) + 20;
    return { name, look, isStrong: false, isCurve: false, x, y, width };
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {CurvePoint} point */
  moveTo(point) {
    const [x, y] = this.pixelsOf(point), { left, bottom } = this.frame;
    setAttributes(this.arms, { d: `M${left} ${y}H${x}V${bottom}` });
    setAttributes(this.ring, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` });
  }

  /** Move the crosshair, or hide it if `point` is null. @param {CurvePoint | null} point */
  showCrosshair(point) {
    if (!point) return setAttributes(this.cross, { d: "" });
    const [x, y] = this.pixelsOf(point), { left, right, top, bottom } = this.frame;
    setAttributes(this.cross, { d: `M${left} ${y}H${right}M${x} ${top}V${bottom}` });
  }

  /** Return the gamma of the point of the curve nearest to a position in pixels.
   * @param {number} x @param {number} y */
  gammaAt(x, y) {
    return middleGamma(this.line, findNearestPoint(this.line, this.x.toValue(x), this.y.toValue(y)));
  }

  /** Description for screen readers. */
  get alt() {
    const best = pointAt(this.line, middleGamma(this.line, findBestPoint(this.line)));
    return `Seen accuracy against unseen accuracy for every gamma. Oracle: no gamma gives an H above ` +
      `${formatPercent(best.harmonic)}.`;
  }
}
