// @ts-check
// Interactive seen-unseen curve: one draggable gamma updates every panel.
//
// The server sends exact curves as bytes, and for every image the gamma at which its prediction
// switches from seen to unseen. The browser returns one number at the end of a drag.

import { opened } from "../bytes.js";
import { button, mounted, partOf, press } from "../dom.js";
import { Held } from "../held.js";
import { percent, threeDigits } from "../numbers.js";
import { Classes } from "../classes.js";
import { middleGamma, nextPoint, placeAt, shortGamma } from "../curve.js";
import { Flow } from "./flow.js";
import { Over } from "./over.js";
import { Tally } from "../tally.js";
import { BESIDE, Trade } from "../trade.js";
import { sidesOf, withArrays } from "../curves.js";

/** @import { Place } from "../curve.js" */
/** @import { Say } from "../held.js" */
/** @import { Head } from "../curves.js" */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Say }} component */
export default function ({ data, parentElement, setStateValue }) {
  const { head, take } = opened(data);
  return mounted(parentElement, () => new InHand(parentElement), (inHand) => {
    inHand.say = setStateValue;
    inHand.show(withArrays(head, take));
  });
}

const WIDE = 720; // least width in pixels for plots side by side
const SIDE = 440; // width in pixels of the first plot, more in a high window
const ABOVE = 470; // height in pixels of a page without this plot

/** @extends {Held<Head>} */
export class InHand extends Held {
  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, "gamma");
    /** @type {(name: string) => SVGSVGElement} */
    const drawing = (name) => partOf(parent, `.${name} > svg`, SVGSVGElement);
    this.drawings = { trade: drawing("trade"), over: drawing("over"), flow: drawing("flow") };
    this.canvas = partOf(parent, "canvas", HTMLCanvasElement);
    /** @param {string} name */
    const place = (name) => partOf(parent, `.${name}`, HTMLElement);
    this.places = { lines: place("lines"), images: partOf(parent, ".images", HTMLDetailsElement),
      numbers: ["g", "u", "s", "h"].map(place) };
    this.chosen = 0;
    /** @type {{ trade: Trade, over: Over } | null} */
    this.plots = null;
    /** @type {{ tally: Tally, flow: Flow, classes: Classes } | null} */
    this.images = null;
    this.listen();
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {Head} head */
  show(head) {
    const same = this.receive(head, head.lines[0].start, this.chosen === 0);
    if (!same) this.chosen = 0;
    if (same && this.plots) this.ask();
    else this.build();
  }

  get line() {
    return /** @type {Head} */ (this.head).lines[this.chosen];
  }

  get sides() {
    return sidesOf(/** @type {Head} */ (this.head));
  }

  /** @override */
  get tells() {
    return Boolean(this.head?.tell) && this.chosen === 0;
  }

  /** Return the gamma with the fewest digits for the same point. @override @param {number} gamma */
  meant(gamma) {
    return shortGamma(this.line, gamma);
  }

  /** @override @param {Head} head */
  recolor(head) {
    super.recolor(head);
    this.images?.classes.recolor();
  }

  /** @override */
  build() {
    const { head, width, line } = this;
    if (!head || !width) return;
    const wide = width >= WIDE, most = wide ? Math.max(SIDE, Math.min(innerHeight - ABOVE, 640)) : SIDE;
    const side = Math.min(wide ? 0.42 * width : width, most) - BESIDE;
    this.root.classList.toggle("narrow", !wide);
    this.root.classList.add("laid");
    const trade = new Trade(this.drawings.trade, side, head, line, undefined, false);
    const room = { width: wide ? width - side - BESIDE - 20 : width, height: wide ? side + 52 : 300 };
    const over = new Over(this.drawings.over, room, head, line, trade.most);
    this.plots = { trade, over };
    this.drawings.trade.setAttribute("aria-label", `${head.alt} ${trade.alt}`);
    this.range.setAttribute("aria-label",
      `Gamma, subtracted from the scores of ${this.sides.seen} classes`);
    this.layRange(over.frame, line.limits, "any");
    this.drawStops();
    this.named.style.marginLeft = wide ? this.range.style.marginLeft : "";
    this.drawLines();
    if (!head.tell) this.places.images.open = true; // in a file of its own, nothing follows
    this.buildImages(wide ? side + 64 : width, wide ? room.width : width);
    this.paint();
    this.describe();
  }

  drawStops() {
    this.drawNamed(this.line.stops.map(({ name, gamma, look }) => ({
      title: `Go to this γ: ${name}`, words: `${name}, γ = ${threeDigits(gamma)}`, value: gamma,
      look, hollow: look === "plain" })));
  }

  drawLines() {
    const { lines, choose } = /** @type {Head} */ (this.head);
    this.places.lines.hidden = !choose || lines.length < 2;
    this.places.lines.replaceChildren(...lines.map(({ name }, i) => {
      const made = button("Drag this curve", () => this.take(i), name);
      press(made, i === this.chosen);
      return made;
    }));
  }

  /** Select another curve to drag, without sending it to the server. @param {number} which */
  take(which) {
    this.chosen = which;
    this.value = this.line.start;
    this.build();
    [...this.places.lines.children].forEach((each, i) => {
      if (i === which && each instanceof HTMLElement) each.focus();
    });
  }

  /** @param {number} left @param {number} right widths of both columns */
  buildImages(left, right) {
    const { images } = /** @type {Head} */ (this.head), { line } = this;
    this.places.images.hidden = !images || this.chosen !== 0;
    this.images = null;
    if (!images || this.chosen !== 0) return;
    const tally = new Tally(images);
    const reference = tally.move(line.stops[0]?.gamma ?? 0).accuracy;
    this.images = {
      tally,
      flow: new Flow(this.drawings.flow, left, tally.went, this.sides),
      classes: new Classes(this.canvas, right, images, reference, this.sides),
    };
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** @override */
  paint() {
    if (!this.plots) return;
    const place = placeAt(this.line, this.value);
    this.write(place);
    this.plots.trade.move(place);
    this.plots.over.move(place);
    if (!this.images) return;
    const { tally, flow, classes } = this.images;
    tally.move(this.value);
    flow.move(tally.went);
    classes.move(tally.accuracy);
  }

  /** @param {Place} place */
  write({ gamma, unseen, seen, harmonic }) {
    const [g, u, s, h] = this.places.numbers, { sides } = this;
    g.textContent = `γ = ${threeDigits(gamma)}`;
    u.textContent = `${sides.unseen} u = ${percent(unseen)}`;
    s.textContent = `${sides.seen} s = ${percent(seen)}`;
    h.textContent = `H = ${percent(harmonic)}`;
    const stop = this.line.stops.find((each) => each.gamma === gamma);
    this.range.value = String(gamma);
    this.range.setAttribute("aria-valuetext", `gamma ${threeDigits(gamma)}` +
      `${stop ? `, ${stop.name}` : ""}: ${sides.unseen} accuracy ${percent(unseen)}, ` +
      `${sides.seen} accuracy ${percent(seen)}, harmonic mean ${percent(harmonic)}`);
  }

  /** Update the texts for screen readers. @override */
  describe() {
    if (!this.images) return;
    const { flow, tally, classes } = this.images;
    this.drawings.flow.setAttribute("aria-label", flow.altOf(tally.went));
    this.canvas.setAttribute("aria-label", classes.alt);
  }

  // --- Input ------------------------------------------------------------------------------------

  listen() {
    const { trade, over } = this.drawings;
    /** @param {SVGSVGElement} drawing @returns {(gamma: number | null) => void} */
    const pass = (drawing) => (gamma) =>
      this.hover(drawing, gamma === null ? null : placeAt(this.line, gamma));
    this.follow(trade, (u, v) => this.plots?.trade.gammaAt(u, v), pass(trade));
    this.follow(over, (u) => this.plots && this.meant(this.plots.over.gammaAt(u)), pass(over));
    this.range.addEventListener("keydown", (event) => this.step(event));
    this.canvas.addEventListener("pointermove", (event) => this.tellClass(event));
    this.canvas.addEventListener("pointerleave", () => this.hideTip());
  }

  /** Move to the next breakpoint on an arrow key with Shift. @param {KeyboardEvent} event */
  step(event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!event.shiftKey || !way) return;
    event.preventDefault();
    const k = nextPoint(this.line, this.value, way > 0 ? 1 : -1);
    if (k !== null) this.stepTo(middleGamma(this.line, k));
  }

  // --- Tooltips ---------------------------------------------------------------------------------

  /** Show or hide a crosshair in both plots, and its numbers. @param {SVGSVGElement} drawing
   * @param {Place | null} place */
  hover(drawing, place) {
    this.plots?.trade.hover(place);
    this.plots?.over.hover(place);
    if (!place || !this.plots) return this.hideTip();
    const plot = drawing === this.drawings.trade ? this.plots.trade : this.plots.over;
    const [u, v] = plot.tipAt(place), { gamma, unseen, seen, harmonic } = place;
    this.showTip(drawing, u, v, `γ = ${threeDigits(gamma)}: u ${percent(unseen)}, ` +
      `s ${percent(seen)}, H ${percent(harmonic)}`);
  }

  /** @param {PointerEvent} event */
  tellClass({ offsetX, offsetY }) {
    const c = this.images?.classes.classAt(offsetX);
    if (!this.images || c === null || c === undefined) return this.hideTip();
    const { classes, tally } = this.images;
    const words = classes.wordsOf(c, tally.accuracy, this.line.stops[0]?.name ?? "γ = 0");
    this.showTip(this.canvas, offsetX, offsetY, words);
  }
}
