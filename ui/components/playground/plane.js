// @ts-check
// The seen-unseen plane, with one movable curve and the curves of all other methods in grey.

import { pointAt } from "../../../zslcore/interactive/curve.js";
import { linePath, findFreePlace } from "../../../zslcore/interactive/layout.js";
import { setAttributes, createSvg } from "../../../zslcore/interactive/svg.js";
import { TradePlot } from "../../../zslcore/interactive/trade.js";

/** @import { Frame, Ghost, Instrument } from "./wire.js" */

const RADIUS = 14; // of the handle, in pixels
const HINT = { width: 76, height: 24 };
/** Offsets of the hint from the handle, best first. @type {[number, number][]} */
const HINT_PLACES = [[-52, 34], [52, 34], [-52, 64], [52, 64], [-60, -30], [60, -30], [0, 94]];

export class Plane extends TradePlot {
  /**
   * @param {SVGSVGElement} root
   * @param {number} side
   * @param {Instrument} head
   * @param {(name: string) => void} choose takes another method
   * @param {(name: string | null, u: number, v: number) => void} pass a ghost under the pointer
   */
  constructor(root, side, head, choose, pass) {
    super(root, side, head, head.lines[0], RADIUS);
    this.frames = head.frames;
    this.hint = createSvg("g", { class: "hint", "aria-hidden": "true" },
      createSvg("rect", { x: -HINT.width / 2, y: -HINT.height / 2, ...HINT, rx: 12 }),
      createSvg("text", { x: 0, y: 5, "text-anchor": "middle" }, "drag me"));
    for (const ghost of head.ghosts) root.insertBefore(this.drawMethodCurve(ghost, choose, pass), this.first);
    root.append(this.hint);
    if (head.frames.length) root.insertBefore(this.drawTrail(), this.arms);
  }

  /** Positions of a ruler's stops, in order. */
  drawTrail() {
    const places = stopPoints(this.frames), d = linePath(places.length,
      (k) => [this.x.toPixel(places[k].unseen), this.y.toPixel(places[k].seen)]);
    return createSvg("g", { class: "trail" }, createSvg("path", { d }), ...places.map((place) =>
      createSvg("circle", { cx: this.x.toPixel(place.unseen), cy: this.y.toPixel(place.seen), r: 3 })));
  }

  /** The stop of a ruler nearest to a point on screen. @param {number} u @param {number} v */
  findNearestStop(u, v) {
    const away = stopPoints(this.frames).map(({ unseen, seen }) =>
      Math.hypot(this.x.toPixel(unseen) - u, this.y.toPixel(seen) - v));
    return away.indexOf(Math.min(...away));
  }

  /** Outline of the movable curve; other curves are drawn below it. */
  get first() {
    return this.root.querySelector(".area");
  }

  /** Largest accuracy, including other methods and stops, so that the axes stay the same for all. @override
   * @param {Instrument} head */
  findAxisEnd(head) {
    const curves = [...head.ghosts, ...head.frames.map(({ lines }) => lines[0])];
    const ends = curves.map(({ seen, unseen, n }) => Math.max(seen[0], unseen[n - 1]));
    return Math.min(1, Math.ceil(5 * Math.max(super.findAxisEnd(head), ...ends) - 1e-6) / 5);
  }

  /** Points of the curve accept clicks in a wide band. @override */
  fixedParts() {
    const parts = super.fixedParts(), curve = parts.findIndex((part) => part.matches(".curve"));
    const band = createSvg("path", { class: "near", d: this.curvePath(this.line) });
    return parts.toSpliced(curve, 0, band);
  }

  /**
   * @param {Ghost} ghost
   * @param {(name: string) => void} choose
   * @param {(name: string | null, u: number, v: number) => void} pass
   */
  drawMethodCurve(ghost, choose, pass) {
    const d = this.curvePath(ghost), { name } = ghost;
    const made = createSvg("g", { class: "other", "data-method": name },
      createSvg("path", { class: "faded", d }), createSvg("path", { class: "near", d }));
    made.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      choose(name);
    });
    made.addEventListener("pointermove", (event) => {
      event.stopPropagation();
      const box = this.root.getBoundingClientRect();
      pass(name, event.clientX - box.left, event.clientY - box.top);
    });
    made.addEventListener("pointerleave", () => pass(null, 0, 0));
    return made;
  }

  /** Show a hint near the handle until the visitor has used it. @param {boolean} whether
   * @param {import("../../../zslcore/interactive/curve.js").CurvePoint} place */
  showHint(whether, place) {
    setAttributes(this.hint, { visibility: whether ? "visible" : "hidden" });
    if (!whether) return;
    const u = this.x.toPixel(place.unseen), v = this.y.toPixel(place.seen);
    const [x, y] = findFreePlace(HINT_PLACES.map(([right, down]) => [u + right, v + down]), HINT,
      this.frame, this.coveredAreas(u, v));
    setAttributes(this.hint, { transform: `translate(${x} ${y})` });
  }

  /** Whether a position of the hint would cover the handle, names or stops. @param {number} u @param {number} v */
  coveredAreas(u, v) {
    /** @param {number} x @param {number} y @param {number} radius */
    const round = (x, y, radius) =>
      ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
    const names = [...this.root.querySelectorAll("text.label, text.faint")].map((each) =>
      /** @type {SVGTextElement} */ (each).getBBox());
    const stops = [...stopPoints(this.frames),
      ...this.line.stops.map(({ gamma }) => pointAt(this.line, gamma))].map(({ unseen, seen }) =>
      round(this.x.toPixel(unseen), this.y.toPixel(seen), 3));
    return [round(u, v, RADIUS), ...names, ...stops];
  }

  /** Mark the curve of the method under the pointer. @param {string | null} name */
  highlightMethod(name) {
    for (const each of this.root.querySelectorAll(".other"))
      each.classList.toggle("pointed", each.getAttribute("data-method") === name);
  }
}

/** Position of each stop of a ruler, at the stop's own gamma. @param {Frame[]} frames */
export function stopPoints(frames) {
  return frames.map(({ lines }) => pointAt(lines[0], lines[0].start));
}
