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
import { placeAt } from "../curve.js";
import { Flow } from "./flow.js";
import { Over } from "./over.js";
import { Tally } from "../tally.js";
import { BESIDE, Trade } from "../trade.js";
import { withArrays } from "../curves.js";

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
    /** @type {{ trade: Trade, over: Over } | null} */
    this.plots = null;
    /** @type {Flow | null} */
    this.flow = null;
    this.listen();
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {Head} head */
  show(head) {
    const same = this.receive(head, head.lines[0].start, this.chosen === 0);
    if (same && this.plots) this.ask();
    else this.build();
  }

  /** @override */
  get tells() {
    return Boolean(this.head?.tell) && this.chosen === 0;
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
    this.drawLines();
    if (!head.tell) this.places.images.open = true; // in a file of its own, nothing follows
    this.buildImages(wide ? side + 64 : width, wide ? room.width : width);
    this.paint();
    this.describe();
  }

  drawStops() {
    this.drawNamed(this.line.stops.map(({ name, gamma, look }) => ({
      title: `Go to this γ: ${name}`, value: gamma, look, hollow: look === "plain",
      words: `${name}, γ = ${threeDigits(gamma)}: H = ${percent(placeAt(this.line, gamma).harmonic)}`,
    })));
    const { separate } = /** @type {Head} */ (this.head);
    if (separate !== null && this.chosen === 0)
      this.named.prepend(`separate label spaces: H = ${percent(separate)}`);
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
    this.tally = this.flow = this.classes = null;
    if (!images || this.chosen !== 0) return;
    this.tally = new Tally(images);
    const reference = this.tally.move(line.stops[0]?.gamma ?? 0).accuracy;
    this.flow = new Flow(this.drawings.flow, left, this.tally.went, this.sides);
    this.classes = new Classes(this.canvas, right, images, reference, this.sides);
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** @override */
  paint() {
    if (!this.plots) return;
    const place = placeAt(this.line, this.value);
    this.write(place);
    this.plots.trade.move(place);
    this.plots.over.move(place);
    if (!this.tally) return;
    this.tally.move(this.value);
    this.flow?.move(this.tally.went);
    this.classes?.move(this.tally.accuracy);
  }

  /** @param {Place} place */
  write(place) {
    const [g, u, s, h] = this.places.numbers, { sides } = this;
    const { gamma, unseen, seen, harmonic } = place;
    g.textContent = `γ = ${threeDigits(gamma)}`;
    u.textContent = `${sides.unseen} u = ${percent(unseen)}`;
    s.textContent = `${sides.seen} s = ${percent(seen)}`;
    h.textContent = `H = ${percent(harmonic)}`;
    const stop = this.line.stops.find((each) => each.gamma === gamma);
    this.speak(gamma, `gamma ${threeDigits(gamma)}${stop ? `, ${stop.name}` : ""}`, place);
  }

  /** Update the texts for screen readers. @override */
  describe() {
    const { flow, tally, classes } = this;
    if (!flow || !tally || !classes) return;
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
    this.canvas.addEventListener("pointermove", (event) =>
      this.tellClass(event, this.canvas, this.line.stops[0]?.name ?? "γ = 0"));
    this.canvas.addEventListener("pointerleave", () => this.hideTip());
  }

  // --- Tooltips ---------------------------------------------------------------------------------

  /** Show or hide a crosshair in both plots, and its numbers. @param {SVGSVGElement} drawing
   * @param {Place | null} place */
  hover(drawing, place) {
    this.plots?.trade.hover(place);
    this.plots?.over.hover(place);
    if (!place || !this.plots) return this.hideTip();
    const plot = drawing === this.drawings.trade ? this.plots.trade : this.plots.over;
    this.showPlace(drawing, plot.tipAt(place), `γ = ${threeDigits(place.gamma)}`, place);
  }
}
