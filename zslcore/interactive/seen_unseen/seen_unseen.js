// @ts-check
// Interactive seen-unseen curve: one draggable gamma updates every panel.
//
// The server sends exact curves as bytes, and for every image the gamma at which its prediction
// switches from seen to unseen. The browser returns one number at the end of a drag.

import { readPacked } from "../bytes.js";
import { createButton, mountFigure, findElement, setPressed } from "../dom.js";
import { CurveFigure } from "../curve_figure.js";
import { formatPercent, formatNumber } from "../numbers.js";
import { ClassBars } from "../classes.js";
import { pointAt } from "../curve.js";
import { Flow } from "./flow.js";
import { GammaPlot } from "./gamma_plot.js";
import { Tally } from "../tally.js";
import { EXTRA_WIDTH, TradePlot } from "../trade.js";
import { readCurves } from "../curves.js";

/** @import { CurvePoint } from "../curve.js" */
/** @import { Send } from "../curve_figure.js" */
/** @import { Head } from "../curves.js" */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  const { head, readArray } = readPacked(data);
  return mountFigure(parentElement, () => new SeenUnseen(parentElement), (inHand) => {
    inHand.send = setStateValue;
    inHand.show(readCurves(head, readArray));
  });
}

const WIDE = 720; // least width in pixels for plots side by side
const SIDE = 440; // width in pixels of the first plot, more in a high window
const ABOVE = 434; // height in pixels of a page without this plot

/** @extends {CurveFigure<Head>} */
export class SeenUnseen extends CurveFigure {
  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, "gamma");
    /** @type {(name: string) => SVGSVGElement} */
    const drawing = (name) => findElement(parent, `.${name} > svg`, SVGSVGElement);
    this.drawings = { trade: drawing("trade"), over: drawing("over"), flow: drawing("flow") };
    this.canvas = findElement(parent, "canvas", HTMLCanvasElement);
    /** @param {string} name */
    const place = (name) => findElement(parent, `.${name}`, HTMLElement);
    this.elements = { lines: place("lines"), images: findElement(parent, ".images", HTMLDetailsElement),
      numbers: ["g", "u", "s", "h"].map(place) };
    /** @type {{ trade: TradePlot, over: GammaPlot } | null} */
    this.plots = null;
    /** @type {Flow | null} */
    this.flow = null;
    this.listen();
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {Head} head */
  show(head) {
    const same = this.updateData(head, head.lines[0].start, this.lineIndex === 0);
    if (same && this.plots) this.requestDraw();
    else this.draw();
  }

  /** @override */
  get sendsValue() {
    return Boolean(this.head?.tell) && this.lineIndex === 0;
  }

  /** @override */
  draw() {
    const { head, width, line } = this;
    if (!head || !width) return;
    const wide = width >= WIDE, most = wide ? Math.max(SIDE, Math.min(innerHeight - ABOVE, 640)) : SIDE;
    const side = Math.min(wide ? 0.42 * width : width, most) - EXTRA_WIDTH;
    this.root.classList.toggle("narrow", !wide);
    this.root.classList.add("laid");
    const trade = new TradePlot(this.drawings.trade, side, head, line, undefined, false);
    const room = { width: wide ? width - side - EXTRA_WIDTH - 20 : width, height: wide ? side + 52 : 300 };
    const over = new GammaPlot(this.drawings.over, room, head, line, trade.end);
    this.plots = { trade, over };
    this.drawings.trade.setAttribute("aria-label", `${head.alt} ${trade.alt}`);
    this.slider.setAttribute("aria-label",
      `Gamma, subtracted from the scores of ${this.sides.seen} classes`);
    this.alignSlider(over.frame, line.limits, "any");
    this.drawStops();
    this.drawLines();
    if (!head.tell) this.elements.images.open = true; // in a file of its own, nothing follows
    this.drawImages(wide ? side + 64 : width, wide ? room.width : width);
    this.drawValue();
    this.updateDescriptions();
  }

  drawStops() {
    this.drawStopButtons(this.line.stops.map(({ name, gamma, look }) => ({
      title: `Go to this γ: ${name}`, value: gamma, look, hollow: look === "plain",
      words: `${name}, γ = ${formatNumber(gamma)}: H = ${formatPercent(pointAt(this.line, gamma).harmonic)}`,
    })));
    const { separate } = /** @type {Head} */ (this.head);
    if (separate !== null && this.lineIndex === 0)
      this.stopList.prepend(`separate label spaces: H = ${formatPercent(separate)}`);
  }

  drawLines() {
    const { lines, choose } = /** @type {Head} */ (this.head);
    this.elements.lines.hidden = !choose || lines.length < 2;
    this.elements.lines.replaceChildren(...lines.map(({ name }, i) => {
      const made = createButton("Drag this curve", () => this.selectLine(i), name);
      setPressed(made, i === this.lineIndex);
      return made;
    }));
  }

  /** Select another curve to drag, without sending it to the server. @param {number} which */
  selectLine(which) {
    this.lineIndex = which;
    this.value = this.line.start;
    this.draw();
    [...this.elements.lines.children].forEach((each, i) => {
      if (i === which && each instanceof HTMLElement) each.focus();
    });
  }

  /** @param {number} left @param {number} right widths of both columns */
  drawImages(left, right) {
    const { images } = /** @type {Head} */ (this.head), { line } = this;
    this.elements.images.hidden = !images || this.lineIndex !== 0;
    this.tally = this.flow = this.classes = null;
    if (!images || this.lineIndex !== 0) return;
    this.tally = new Tally(images);
    const reference = this.tally.moveTo(line.stops[0]?.gamma ?? 0).accuracy;
    this.flow = new Flow(this.drawings.flow, left, this.tally.outcomes, this.sides);
    this.classes = new ClassBars(this.canvas, right, images, reference, this.sides);
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** @override */
  drawValue() {
    if (!this.plots) return;
    const place = pointAt(this.line, this.value);
    this.writeNumbers(place);
    this.plots.trade.moveTo(place);
    this.plots.over.moveTo(place);
    if (!this.tally) return;
    this.tally.moveTo(this.value);
    this.flow?.update(this.tally.outcomes);
    this.classes?.update(this.tally.accuracy);
  }

  /** @param {CurvePoint} place */
  writeNumbers(place) {
    const [g, u, s, h] = this.elements.numbers, { sides } = this;
    const { gamma, unseen, seen, harmonic } = place;
    g.textContent = `γ = ${formatNumber(gamma)}`;
    u.textContent = `${sides.unseen} u = ${formatPercent(unseen)}`;
    s.textContent = `${sides.seen} s = ${formatPercent(seen)}`;
    h.textContent = `H = ${formatPercent(harmonic)}`;
    const stop = this.line.stops.find((each) => each.gamma === gamma);
    this.updateSlider(gamma, `gamma ${formatNumber(gamma)}${stop ? `, ${stop.name}` : ""}`, place);
  }

  /** Update the texts for screen readers. @override */
  updateDescriptions() {
    const { flow, tally, classes } = this;
    if (!flow || !tally || !classes) return;
    this.drawings.flow.setAttribute("aria-label", flow.describe(tally.outcomes));
    this.canvas.setAttribute("aria-label", classes.alt);
  }

  // --- Input ------------------------------------------------------------------------------------

  listen() {
    const { trade, over } = this.drawings;
    /** @param {SVGSVGElement} drawing @returns {(gamma: number | null) => void} */
    const pass = (drawing) => (gamma) =>
      this.showHover(drawing, gamma === null ? null : pointAt(this.line, gamma));
    this.listenToPlot(trade, (u, v) => this.plots?.trade.gammaAt(u, v), pass(trade));
    this.listenToPlot(over, (u) => this.plots && this.roundValue(this.plots.over.gammaAt(u)), pass(over));
    this.canvas.addEventListener("pointermove", (event) =>
      this.showClassTooltip(event, this.canvas, this.line.stops[0]?.name ?? "γ = 0"));
    this.canvas.addEventListener("pointerleave", () => this.hideTooltip());
  }

  // --- Tooltips ---------------------------------------------------------------------------------

  /** Show or hide a crosshair in both plots, and its numbers. @param {SVGSVGElement} drawing
   * @param {CurvePoint | null} place */
  showHover(drawing, place) {
    this.plots?.trade.showCrosshair(place);
    this.plots?.over.showCrosshair(place);
    if (!place || !this.plots) return this.hideTooltip();
    const plot = drawing === this.drawings.trade ? this.plots.trade : this.plots.over;
    this.showPointTooltip(drawing, plot.tooltipPlace(place), `γ = ${formatNumber(place.gamma)}`, place);
  }
}
