// @ts-check
// The seen-unseen plane, with one movable curve and the curves of all other methods in grey.

import { pointAt } from "../../../zslcore/interactive/curve.js";
import { pointerOn } from "../../../zslcore/interactive/dom.js";
import { findFreePlace, linePath } from "../../../zslcore/interactive/layout.js";
import { createSvg, setAttributes } from "../../../zslcore/interactive/svg.js";
import { TradePlot } from "../../../zslcore/interactive/trade.js";

/** @import { CurvePoint } from "../../../zslcore/interactive/curve.js" */
/** @import { Frame, Ghost, Instrument } from "./wire.js" */

const RADIUS = 14; // radius of the handle, in pixels
const STOP_RADIUS = 3;
const HINT = { width: 76, height: 24 };
/** Offsets of the hint from the handle, best first. @type {[number, number][]} */
const HINT_PLACES = [[-52, 34], [52, 34], [-52, 64], [52, 64], [-60, -30], [60, -30], [0, 94]];

export class Plane extends TradePlot {
  /**
   * @param {SVGSVGElement} root
   * @param {number} side
   * @param {Instrument} head
   * @param {(name: string) => void} onChoose called with another method
   * @param {(name: string | null, x: number, y: number) => void} onHover called with the method under the pointer
   */
  constructor(root, side, head, onChoose, onHover) {
    super(root, side, head, head.lines[0], RADIUS);
    this.stops = stopPoints(head.frames);
    this.hint = createSvg("g", { class: "hint", "aria-hidden": "true" },
      createSvg("rect", { x: -HINT.width / 2, y: -HINT.height / 2, ...HINT, rx: 12 }),
      createSvg("text", { x: 0, y: 5, "text-anchor": "middle" }, "drag me"));
    const curve = root.querySelector(".area"); // other curves are drawn below it
    for (const ghost of head.ghosts) root.insertBefore(this.drawMethodCurve(ghost, onChoose, onHover), curve);
    root.append(this.hint);
    if (this.stops.length) root.insertBefore(this.drawTrail(), this.arms);
  }

  /** Draw the points of a ruler's stops, in order. */
  drawTrail() {
    const places = this.stops.map((stop) => this.pixelsOf(stop));
    return createSvg("g", { class: "trail" },
      createSvg("path", { d: linePath(places.length, (k) => places[k]) }),
      ...places.map(([cx, cy]) => createSvg("circle", { cx, cy, r: STOP_RADIUS })));
  }

  /** Return the stop of a ruler nearest to a position in pixels. @param {number} x @param {number} y */
  findNearestStop(x, y) {
    const distances = this.stops.map((stop) => {
      const [u, v] = this.pixelsOf(stop);
      return Math.hypot(u - x, v - y);
    });
    return distances.indexOf(Math.min(...distances));
  }

  /** Return the end of the axes, large enough for all methods and stops, so that it stays the same. @override
   * @param {Instrument} head */
  findAxisEnd(head) {
    const curves = [...head.ghosts, ...head.frames.map(({ lines }) => lines[0])];
    const ends = curves.map(({ seen, unseen, n }) => Math.max(seen[0], unseen[n - 1]));
    return Math.min(1, Math.ceil(5 * Math.max(super.findAxisEnd(head), ...ends) - 1e-6) / 5);
  }

  /** @override @param {Instrument} head */
  curvesBehind(head) {
    return [...super.curvesBehind(head), ...head.ghosts];
  }

  /** Add an invisible wide band along the curve, so that clicks near the curve count. @override */
  drawFixedParts() {
    const parts = super.drawFixedParts(), curve = parts.findIndex((part) => part.matches(".curve"));
    const band = createSvg("path", { class: "near", d: this.curvePath(this.line) });
    return parts.toSpliced(curve, 0, band);
  }

  /**
   * @param {Ghost} ghost
   * @param {(name: string) => void} onChoose
   * @param {(name: string | null, x: number, y: number) => void} onHover
   */
  drawMethodCurve(ghost, onChoose, onHover) {
    const d = this.curvePath(ghost), { name } = ghost;
    const group = createSvg("g", { class: "other", "data-method": name },
      createSvg("path", { class: "faded", d }), createSvg("path", { class: "near", d }));
    group.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      onChoose(name);
    });
    group.addEventListener("pointermove", (event) => {
      event.stopPropagation();
      onHover(name, ...pointerOn(event, this.root));
    });
    group.addEventListener("pointerleave", () => onHover(null, 0, 0));
    return group;
  }

  /** Show a hint near the handle until the visitor has used it. @param {boolean} isVisible
   * @param {CurvePoint} point */
  showHint(isVisible, point) {
    setAttributes(this.hint, { visibility: isVisible ? "visible" : "hidden" });
    if (!isVisible) return;
    const [u, v] = this.pixelsOf(point);
    const [x, y] = findFreePlace(HINT_PLACES.map(([right, down]) => [u + right, v + down]), HINT,
      this.frame, this.findCoveredBoxes(point));
    setAttributes(this.hint, { transform: `translate(${x} ${y})` });
  }

  /** Return the boxes of the handle, names and stops. @param {CurvePoint} handle */
  findCoveredBoxes(handle) {
    /** @param {CurvePoint} point @param {number} radius */
    const boxAround = (point, radius) => {
      const [x, y] = this.pixelsOf(point);
      return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
    };
    /** @type {NodeListOf<SVGTextElement>} */
    const names = this.root.querySelectorAll("text.label, text.faint");
    const stops = [...this.stops, ...this.line.stops.map(({ gamma }) => pointAt(this.line, gamma))];
    return [boxAround(handle, RADIUS), ...[...names].map((name) => name.getBBox()),
      ...stops.map((stop) => boxAround(stop, STOP_RADIUS))];
  }

  /** Highlight the curve of a method. @param {string | null} name */
  highlightMethod(name) {
    for (const group of this.root.querySelectorAll(".other"))
      group.classList.toggle("pointed", group.getAttribute("data-method") === name);
  }
}

/** Return the point of each stop of a ruler, at the stop's own gamma. @param {Frame[]} frames */
export function stopPoints(frames) {
  return frames.map(({ lines }) => pointAt(lines[0], lines[0].start));
}
