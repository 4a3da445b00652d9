// @ts-check
// Plot of seen over unseen accuracy: square axes, lines of equal H, curves, and a draggable point.

import { sidesOf } from "./curves.js";
import { percent } from "./numbers.js";
import { path } from "./symbols.js";
import { bestOf, middleGamma, nearestPoint, placeAt } from "./curve.js";
import { corners, labelled, scale, ticks } from "./layout.js";
import { change, shape, widthOf } from "./svg.js";

/** @import { Place } from "./curve.js" */
/** @import { Frame } from "./layout.js" */
/** @import { Head, Line } from "./curves.js" */

const LEFT = 60; // pixels for title and labels of the seen side, also in wide letters
export const BESIDE = LEFT + 10; // pixels of width in addition to the plane
const RING = 9; // default radius of the draggable point
const NARROW = 320; // pixels of a plane without room for long names
const NEAR = 4; // pixels between the points of a curve that labels avoid

export class Trade {
  /**
   * @param {SVGSVGElement} root
   * @param {number} size side of the plane, in pixels
   * @param {Head} head
   * @param {Line} line the curve with the draggable point
   * @param {number} radius of the draggable point
   * @param {boolean} named whether stops have names; else a plot next to this one has them
   */
  constructor(root, size, head, line, radius = RING, named = true) {
    this.root = root;
    this.named = named;
    this.radius = radius;
    this.head = head;
    this.sides = sidesOf(head);
    this.line = line;
    /** @type {Frame} */
    this.frame = { left: LEFT, right: LEFT + size, top: 10, bottom: 10 + size };
    const { left, right, top, bottom } = this.frame, most = this.mostOf(head);
    this.most = most;
    this.x = scale([0, most], [left, right]);
    this.y = scale([0, most], [bottom, top]);
    const [width, height] = [right + 10, bottom + 42];
    change(root, { width, height, viewBox: `0 0 ${width} ${height}` });
    this.arms = shape("path", { class: "arm" });
    root.replaceChildren(...this.still());
    this.ring = shape("g", { class: "ring", "data-part": "point" },
      shape("circle", { r: 22, class: "grip" }), shape("circle", { r: radius, class: "halo" }),
      shape("circle", { r: radius, class: "harmonic" }));
    this.cross = shape("path", { class: "cross" });
    root.append(this.cross, this.ring);
  }

  // --- Fixed parts ------------------------------------------------------------------------------

  still() {
    const { line, head } = this, others = head.lines.filter((each) => each !== line);
    return [
      ...this.axes(), ...this.equals(), this.area(), ...others.map((each) => this.ghost(each)),
      shape("path", { class: "curve", d: this.along(line), style: this.ink(line) }),
      this.arms, ...this.marks(),  // names are drawn over the lines of the point
    ];
  }

  /** @param {Line} line */
  ink(line) {
    return `--ink: var(--${line.look})`;
  }

  /** Outline of a curve. @param {{ n: number, seen: ArrayLike<number>, unseen: ArrayLike<number> }} line */
  along({ n, seen, unseen }) {
    return corners(n, (k) => [this.x.at(unseen[k]), this.y.at(seen[k])]);
  }

  area() {
    const { left, bottom } = this.frame, { unseen, n } = this.line;
    const foot = `V${bottom}H${left}`, first = `L${left} ${this.y.at(this.line.seen[0])}Z`;
    const d = this.along(this.line) + (unseen[n - 1] ? foot : `L${left} ${bottom}`) + first;
    return shape("path", { class: "area", d, style: this.ink(this.line) });
  }

  axes() {
    const { left, right, top, bottom } = this.frame, parts = [];
    for (const value of ticks(0, this.most, 5)) {
      const u = this.x.at(value), v = this.y.at(value), text = `${Math.round(100 * value)} %`;
      const inside = Math.min(u, right + 10 - widthOf(text) / 2);
      parts.push(
        shape("path", { class: "grid", d: `M${u} ${top}V${bottom}M${left} ${v}H${right}` }),
        shape("text", { class: "tick", x: inside, y: bottom + 18, "text-anchor": "middle" }, text),
        shape("text", { class: "tick", x: left - 6, y: v + 4, "text-anchor": "end" }, text));
    }
    const middle = (top + bottom) / 2;
    parts.push(
      shape("text", { class: "title", x: (left + right) / 2, y: bottom + 36,
        "text-anchor": "middle" }, `${this.sides.unseen} accuracy u`),
      shape("text", { class: "title", "text-anchor": "middle",
        transform: `translate(11 ${middle}) rotate(-90)` }, `${this.sides.seen} accuracy s`));
    return parts;
  }

  /** Lines of equal H, each with its name at the end. */
  equals() {
    const { most } = this, parts = [];
    for (const H of this.levels()) {
      const first = (H * most) / (2 * most - H), n = 60;
      const d = corners(n + 1, (i) => {
        const u = first + ((most - first) * i) / n;
        return [this.x.at(u), this.y.at((H * u) / (2 * u - H))];
      });
      const at = { ...this.nameAt(H), "text-anchor": "end" };
      parts.push(shape("path", { class: "equal", d }),
        shape("text", { class: "faint", ...at }, `H ${Math.round(100 * H)} %`));
    }
    return parts;
  }

  /** Draw another curve. @param {Line} line */
  ghost(line) {
    return this.stroke(line.look, this.along(line));
  }

  /** Draw a path like a curve of a look. @param {string} look @param {string} d */
  stroke(look, d) {
    const { dash } = this.head.looks[look];
    return shape("path", { class: "ghost", d, "stroke-dasharray": dash,
      style: `--ink: var(--${look})` });
  }

  /** Symbols of the stops. */
  symbols() {
    return this.line.stops.map(({ gamma, look }) => {
      const place = placeAt(this.line, gamma), { symbol } = this.head.looks[look];
      const d = path(symbol, this.x.at(place.unseen), this.y.at(place.seen), 5);
      return shape("path", { class: look === "plain" ? "hollow" : "dot", d,
        style: `--ink: var(--${look})` });
    });
  }

  /** Names next to their points, each joined to its point by a line: stops with their symbols,
   * curves with a piece of their line. All points are drawn first, so that no point covers a name. */
  marks() {
    const lines = this.head.lines.flatMap((line) => this.points(line));
    const placed = labelled(this.wishes(), this.frame, this.occupied(), lines);
    /** @param {string} look */
    const ink = (look) => `--ink: var(--${look})`;
    const places = placed.flatMap(({ label, x, y }) => {
      const end = Math.max(x, Math.min(label.x, x + label.width)); // nearer end of the name
      const leader = shape("path", { class: "leader", d: `M${label.x} ${label.y}L${end} ${y}` });
      return label.isCurve ? [leader] : [leader, shape("circle", { class: "dot", cx: label.x,
        cy: label.y, r: 3.5, style: ink(label.look) })];
    });
    const names = placed.flatMap(({ label, x, y }) => {
      const { look, name, hollow } = label, { symbol } = this.head.looks[look];
      const kind = hollow ? "hollow" : "dot";
      return [
        label.isCurve ? this.stroke(look, `M${x} ${y}h14`)
          : shape("path", { class: kind, d: path(symbol, x + 6, y, 5), style: ink(look) }),
        shape("text", { class: label.own ? "label strong" : "label", x: x + 18, y: y + 4 }, name),
      ];
    });
    return [...(this.named ? [] : this.symbols()), ...places, ...names];
  }

  /** Return points along a curve, a few pixels apart. @param {Line} line */
  points({ n, seen, unseen }) {
    /** @type {[number, number][]} */
    const found = [];
    let [u, v] = [this.x.at(unseen[0]), this.y.at(seen[0])];
    for (let k = 1; k < n; k++) {
      const [x, y] = [this.x.at(unseen[k]), this.y.at(seen[k])];
      const parts = Math.floor(Math.hypot(x - u, y - v) / NEAR);
      for (let i = 1; i <= parts; i++)
        found.push([u + ((x - u) * i) / parts, v + ((y - v) * i) / parts]);
      if (parts) [u, v] = [x, y];
    }
    return found;
  }

  /** Areas that labels avoid: names of lines of equal H, and stops, where the ring often is. */
  occupied() {
    const stops = this.line.stops.map(({ gamma }) => {
      const { unseen, seen } = placeAt(this.line, gamma);
      return { x: this.x.at(unseen) - this.radius, y: this.y.at(seen), width: 2 * this.radius };
    });
    const names = this.levels().map((H) => ({ ...this.nameAt(H), width: 40 }));
    return [...stops, ...names.map(({ x, y, width }) => ({ x: x - width, y: y - 4, width }))];
  }

  /** Values of H with a line. */
  levels() {
    return ticks(0, this.most, 5).filter((value) => value > 0 && value < this.most);
  }

  /** Return the right end of the name of a line of equal H. @param {number} H */
  nameAt(H) {
    const { most } = this;
    return { x: this.frame.right - 3, y: this.y.at((H * most) / (2 * most - H)) - 4 };
  }

  wishes() {
    const { head, line } = this;
    const stops = (this.named ? line.stops : []).map(({ name, gamma, look }) => {
      const { unseen, seen } = placeAt(line, gamma);
      const isNarrow = this.frame.right - this.frame.left < NARROW; // "best ... (oracle)": "oracle"
      const short = isNarrow ? /\((.+)\)$/.exec(name)?.[1] : undefined;
      return this.wish(short ?? name, look, unseen, seen);
    });
    const data = / on .+$/.exec(line.name)?.[0] ?? "", { left, right } = this.frame;
    const isShared = right - left < NARROW && head.lines.every(({ name }) => name.endsWith(data));
    /** @param {Line} each */
    const short = ({ name }) => name.slice(0, isShared ? name.length - data.length : undefined);
    const others = head.lines.filter((each) => each !== line).map((each) => {
      const k = bestOf(each);
      return { ...this.wish(short(each), each.look, each.unseen[k], each.seen[k]), isCurve: true };
    });
    if (!others.length) return stops;
    // The line itself is named in its lower half, away from its stops.
    const k = line.seen.findIndex((seen) => seen < 0.4 * line.seen[0]);
    return [...stops, ...others,
      { ...this.wish(short(line), line.look, line.unseen[k], line.seen[k]), own: true, isCurve: true }];
  }

  /** @param {string} name @param {string} look @param {number} u @param {number} s */
  wish(name, look, u, s) {
    const hollow = look === "plain", width = widthOf(name) + 20;
    return { name, look, hollow, own: false, isCurve: false, x: this.x.at(u), y: this.y.at(s), width };
  }

  // --- Moving parts -----------------------------------------------------------------------------

  /** @param {Place} place */
  move({ seen, unseen }) {
    const u = this.x.at(unseen), v = this.y.at(seen), { left, bottom } = this.frame;
    change(this.arms, { d: `M${left} ${v}H${u}V${bottom}` });
    change(this.ring, { transform: `translate(${u.toFixed(2)} ${v.toFixed(2)})` });
  }

  /** Move the crosshair, or hide it if `place` is null. @param {Place | null} place */
  hover(place) {
    if (!place) return change(this.cross, { d: "" });
    const u = this.x.at(place.unseen), v = this.y.at(place.seen), { left, right } = this.frame;
    const { top, bottom } = this.frame;
    change(this.cross, { d: `M${left} ${v}H${right}M${u} ${top}V${bottom}` });
  }

  /** Return the gamma of the point of the curve nearest to a position in pixels.
   * @param {number} u @param {number} v */
  gammaAt(u, v) {
    return middleGamma(this.line, nearestPoint(this.line, this.x.value(u), this.y.value(v)));
  }

  /** @param {Place} place */
  tipAt(place) {
    return [this.x.at(place.unseen), this.y.at(place.seen)];
  }

  get alt() {
    const best = placeAt(this.line, middleGamma(this.line, bestOf(this.line)));
    return `Seen accuracy over unseen accuracy for every gamma. Oracle: no gamma gives an H above ` +
      `${percent(best.harmonic)}.`;
  }

  /** Return the end of both axes: a multiple of 10 % above all curves. @param {Head} head */
  mostOf({ lines }) {
    let most = 0.05;
    for (const { seen, unseen } of lines) most = Math.max(most, seen[0], unseen[unseen.length - 1]);
    return Math.min(1, Math.ceil(10 * most - 1e-9) / 10);
  }
}
