// @ts-check
// Plot of seen over unseen accuracy: square axes, lines of equal H, curves, and a draggable point.

import { readSides } from "./curves.js";
import { formatPercent } from "./numbers.js";
import { symbolPath } from "./symbols.js";
import { findBestPoint, middleGamma, findNearestPoint, pointAt } from "./curve.js";
import { linePath, placeLabels, linearScale, roundTicks } from "./layout.js";
import { setAttributes, createSvg, measureText } from "./svg.js";

/** @import { CurvePoint } from "./curve.js" */
/** @import { Frame } from "./layout.js" */
/** @import { Head, Line } from "./curves.js" */

const LEFT = 60; // pixels for title and labels of the seen side, also in wide letters
export const EXTRA_WIDTH = LEFT + 10; // pixels of width in addition to the plane
const RING_RADIUS = 9; // default radius of the draggable point
const NARROW = 320; // pixels of a plane without room for long names
const POINT_GAP = 4; // pixels between the points of a curve that labels avoid

export class TradePlot {
  /**
   * @param {SVGSVGElement} root
   * @param {number} size side of the plane, in pixels
   * @param {Head} head
   * @param {Line} line the curve with the draggable point
   * @param {number} radius of the draggable point
   * @param {boolean} named whether stops have names; else a plot next to this one has them
   */
  constructor(root, size, head, line, radius = RING_RADIUS, named = true) {
    this.root = root;
    this.showsNames = named;
    this.radius = radius;
    this.head = head;
    this.sides = readSides(head);
    this.line = line;
    /** @type {Frame} */
    this.frame = { left: LEFT, right: LEFT + size, top: 10, bottom: 10 + size };
    const { left, right, top, bottom } = this.frame, most = this.findAxisEnd(head);
    this.end = most;
    this.x = linearScale([0, most], [left, right]);
    this.y = linearScale([0, most], [bottom, top]);
    const [width, height] = [right + 10, bottom + 42];
    setAttributes(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    this.arms = createSvg("path", { class: "arm" });
    root.replaceChildren(...this.fixedParts());
    this.ring = createSvg("g", { class: "ring", "data-part": "point" },
      createSvg("circle", { r: 22, class: "grip" }), createSvg("circle", { r: radius, class: "halo" }),
      createSvg("circle", { r: radius, class: "harmonic" }));
    this.cross = createSvg("path", { class: "cross" });
    root.append(this.cross, this.ring);
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  fixedParts() {
    const { line, head } = this, others = head.lines.filter((each) => each !== line);
    return [
      ...this.axes(), ...this.harmonicLines(), this.area(), ...others.map((each) => this.otherCurve(each)),
      createSvg("path", { class: "curve", d: this.curvePath(line), style: this.ink(line) }),
      this.arms, ...this.labels(),  // names are drawn over the lines of the point
    ];
  }

  /** @param {Line} line */
  ink(line) {
    return `--ink: var(--${line.look})`;
  }

  /** Outline of a curve. @param {{ n: number, seen: ArrayLike<number>, unseen: ArrayLike<number> }} line */
  curvePath({ n, seen, unseen }) {
    return linePath(n, (k) => [this.x.toPixel(unseen[k]), this.y.toPixel(seen[k])]);
  }

  area() {
    const { left, bottom } = this.frame, { unseen, n } = this.line;
    const foot = `V${bottom}H${left}`, first = `L${left} ${this.y.toPixel(this.line.seen[0])}Z`;
    const d = this.curvePath(this.line) + (unseen[n - 1] ? foot : `L${left} ${bottom}`) + first;
    return createSvg("path", { class: "area", d, style: this.ink(this.line) });
  }

  axes() {
    const { left, right, top, bottom } = this.frame, parts = [];
    for (const value of roundTicks(0, this.end, 5)) {
      const u = this.x.toPixel(value), v = this.y.toPixel(value), text = `${Math.round(100 * value)} %`;
      const inside = Math.min(u, right + 10 - measureText(text) / 2);
      parts.push(
        createSvg("path", { class: "grid", d: `M${u} ${top}V${bottom}M${left} ${v}H${right}` }),
        createSvg("text", { class: "tick", x: inside, y: bottom + 18, "text-anchor": "middle" }, text),
        createSvg("text", { class: "tick", x: left - 6, y: v + 4, "text-anchor": "end" }, text));
    }
    const middle = (top + bottom) / 2;
    parts.push(
      createSvg("text", { class: "title", x: (left + right) / 2, y: bottom + 36,
        "text-anchor": "middle" }, `${this.sides.unseen} accuracy u`),
      createSvg("text", { class: "title", "text-anchor": "middle",
        transform: `translate(11 ${middle}) rotate(-90)` }, `${this.sides.seen} accuracy s`));
    return parts;
  }

  /** Lines of equal H, each with its name at the end. */
  harmonicLines() {
    const { end: most } = this, parts = [];
    for (const H of this.harmonicLevels()) {
      const first = (H * most) / (2 * most - H), n = 60;
      const d = linePath(n + 1, (i) => {
        const u = first + ((most - first) * i) / n;
        return [this.x.toPixel(u), this.y.toPixel((H * u) / (2 * u - H))];
      });
      const at = { ...this.levelNamePlace(H), "text-anchor": "end" };
      parts.push(createSvg("path", { class: "equal", d }),
        createSvg("text", { class: "faint", ...at }, `H ${Math.round(100 * H)} %`));
    }
    return parts;
  }

  /** Draw another curve. @param {Line} line */
  otherCurve(line) {
    return this.styledPath(line.look, this.curvePath(line));
  }

  /** Draw a path like a curve of a look. @param {string} look @param {string} d */
  styledPath(look, d) {
    const { dash } = this.head.looks[look];
    return createSvg("path", { class: "ghost", d, "stroke-dasharray": dash,
      style: `--ink: var(--${look})` });
  }

  /** Symbols of the stops. */
  symbols() {
    return this.line.stops.map(({ gamma, look }) => {
      const place = pointAt(this.line, gamma), { symbol } = this.head.looks[look];
      const d = symbolPath(symbol, this.x.toPixel(place.unseen), this.y.toPixel(place.seen), 5);
      return createSvg("path", { class: look === "plain" ? "hollow" : "dot", d,
        style: `--ink: var(--${look})` });
    });
  }

  /** Names next to their points, each joined to its point by a line: stops with their symbols,
   * curves with a piece of their line. All points are drawn first, so that no point covers a name. */
  labels() {
    const lines = this.head.lines.flatMap((line) => this.pointsAlong(line));
    const placed = placeLabels(this.labelRequests(), this.frame, this.occupiedAreas(), lines);
    /** @param {string} look */
    const ink = (look) => `--ink: var(--${look})`;
    const places = placed.flatMap(({ label, x, y }) => {
      const end = Math.max(x, Math.min(label.x, x + label.width)); // nearer end of the name
      const leader = createSvg("path", { class: "leader", d: `M${label.x} ${label.y}L${end} ${y}` });
      return label.isCurve ? [leader] : [leader, createSvg("circle", { class: "dot", cx: label.x,
        cy: label.y, r: 3.5, style: ink(label.look) })];
    });
    const names = placed.flatMap(({ label, x, y }) => {
      const { look, name, hollow } = label, { symbol } = this.head.looks[look];
      const kind = hollow ? "hollow" : "dot";
      return [
        label.isCurve ? this.styledPath(look, `M${x} ${y}h14`)
          : createSvg("path", { class: kind, d: symbolPath(symbol, x + 6, y, 5), style: ink(look) }),
        createSvg("text", { class: label.own ? "label strong" : "label", x: x + 18, y: y + 4 }, name),
      ];
    });
    return [...(this.showsNames ? [] : this.symbols()), ...places, ...names];
  }

  /** Return points along a curve, a few pixels apart. @param {Line} line */
  pointsAlong({ n, seen, unseen }) {
    /** @type {[number, number][]} */
    const found = [];
    let [u, v] = [this.x.toPixel(unseen[0]), this.y.toPixel(seen[0])];
    for (let k = 1; k < n; k++) {
      const [x, y] = [this.x.toPixel(unseen[k]), this.y.toPixel(seen[k])];
      const parts = Math.floor(Math.hypot(x - u, y - v) / POINT_GAP);
      for (let i = 1; i <= parts; i++)
        found.push([u + ((x - u) * i) / parts, v + ((y - v) * i) / parts]);
      if (parts) [u, v] = [x, y];
    }
    return found;
  }

  /** Areas that labels avoid: names of lines of equal H, and stops, where the ring often is. */
  occupiedAreas() {
    const stops = this.line.stops.map(({ gamma }) => {
      const { unseen, seen } = pointAt(this.line, gamma);
      return { x: this.x.toPixel(unseen) - this.radius, y: this.y.toPixel(seen), width: 2 * this.radius };
    });
    const names = this.harmonicLevels().map((H) => ({ ...this.levelNamePlace(H), width: 40 }));
    return [...stops, ...names.map(({ x, y, width }) => ({ x: x - width, y: y - 4, width }))];
  }

  /** Values of H with a line. */
  harmonicLevels() {
    return roundTicks(0, this.end, 5).filter((value) => value > 0 && value < this.end);
  }

  /** Return the right end of the name of a line of equal H. @param {number} H */
  levelNamePlace(H) {
    const { end: most } = this;
    return { x: this.frame.right - 3, y: this.y.toPixel((H * most) / (2 * most - H)) - 4 };
  }

  labelRequests() {
    const { head, line } = this;
    const stops = (this.showsNames ? line.stops : []).map(({ name, gamma, look }) => {
      const { unseen, seen } = pointAt(line, gamma);
      const isNarrow = this.frame.right - this.frame.left < NARROW; // "best ... (oracle)": "oracle"
      const short = isNarrow ? /\((.+)\)$/.exec(name)?.[1] : undefined;
      return this.labelRequest(short ?? name, look, unseen, seen);
    });
    const data = / on .+$/.exec(line.name)?.[0] ?? "", { left, right } = this.frame;
    const isShared = right - left < NARROW && head.lines.every(({ name }) => name.endsWith(data));
    /** @param {Line} each */
    const short = ({ name }) => name.slice(0, isShared ? name.length - data.length : undefined);
    const others = head.lines.filter((each) => each !== line).map((each) => {
      const k = findBestPoint(each);
      return { ...this.labelRequest(short(each), each.look, each.unseen[k], each.seen[k]), isCurve: true };
    });
    if (!others.length) return stops;
    // The line itself is named in its lower half, away from its stops.
    const k = line.seen.findIndex((seen) => seen < 0.4 * line.seen[0]);
    return [...stops, ...others,
      { ...this.labelRequest(short(line), line.look, line.unseen[k], line.seen[k]), own: true, isCurve: true }];
  }

  /** @param {string} name @param {string} look @param {number} u @param {number} s */
  labelRequest(name, look, u, s) {
    const hollow = look === "plain", width = measureText(name) + 20;
    return { name, look, hollow, own: false, isCurve: false, x: this.x.toPixel(u), y: this.y.toPixel(s), width };
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {CurvePoint} place */
  moveTo({ seen, unseen }) {
    const u = this.x.toPixel(unseen), v = this.y.toPixel(seen), { left, bottom } = this.frame;
    setAttributes(this.arms, { d: `M${left} ${v}H${u}V${bottom}` });
    setAttributes(this.ring, { transform: `translate(${u.toFixed(2)} ${v.toFixed(2)})` });
  }

  /** Move the crosshair, or hide it if `place` is null. @param {CurvePoint | null} place */
  showCrosshair(place) {
    if (!place) return setAttributes(this.cross, { d: "" });
    const u = this.x.toPixel(place.unseen), v = this.y.toPixel(place.seen), { left, right } = this.frame;
    const { top, bottom } = this.frame;
    setAttributes(this.cross, { d: `M${left} ${v}H${right}M${u} ${top}V${bottom}` });
  }

  /** Return the gamma of the point of the curve nearest to a position in pixels.
   * @param {number} u @param {number} v */
  gammaAt(u, v) {
    return middleGamma(this.line, findNearestPoint(this.line, this.x.toValue(u), this.y.toValue(v)));
  }

  /** @param {CurvePoint} place */
  tooltipPlace(place) {
    return [this.x.toPixel(place.unseen), this.y.toPixel(place.seen)];
  }

  get alt() {
    const best = pointAt(this.line, middleGamma(this.line, findBestPoint(this.line)));
    return `Seen accuracy against unseen accuracy for every gamma. Oracle: no gamma gives an H above ` +
      `${formatPercent(best.harmonic)}.`;
  }

  /** Return the end of both axes: a multiple of 10 % above all curves. @param {Head} head */
  findAxisEnd({ lines }) {
    let most = 0.05;
    for (const { seen, unseen } of lines) most = Math.max(most, seen[0], unseen[unseen.length - 1]);
    return Math.min(1, Math.ceil(10 * most - 1e-9) / 10);
  }
}
