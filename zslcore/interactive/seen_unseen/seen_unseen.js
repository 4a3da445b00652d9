// @ts-check
// Interactive seen-unseen curve: one draggable gamma updates every panel.
//
// The server sends exact curves as bytes, and for every image the gamma at which its prediction
// switches from seen to unseen. The browser returns one number at the end of a drag.

import { readPacked } from "../bytes.js";
import { ClassBars } from "../classes.js";
import { pointAt } from "../curve.js";
import { CurveFigure } from "../curve_figure.js";
import { readCurves } from "../curves.js";
import { createButton, findElement, setPressed } from "../dom.js";
import { mountFigure } from "../figure.js";
import { formatNumber, formatPercent } from "../numbers.js";
import { Tally } from "../tally.js";
import { EXTRA_WIDTH, TradePlot } from "../trade.js";
import { Flow } from "./flow.js";
import { GammaPlot } from "./gamma_plot.js";

/** @import { CurvePoint } from "../curve.js" */
/** @import { Component } from "../figure.js" */
/** @import { Head } from "../curves.js" */

/** @param {Component} component */
export default function (component) {
  return mountFigure(component, SeenUnseen, (bytes) => {
    const { head, readArray } = readPacked(bytes);
    return readCurves(head, readArray);
  });
}

const WIDE = 720; // least width in pixels for plots side by side
const SIDE = 440; // width in pixels of the first plot, more in a high window
const ABOVE = 434; // height in pixels of the other parts of a page

/** @extends {CurveFigure<Head>} */
class SeenUnseen extends CurveFigure {
  /** @type {{ trade: TradePlot, gamma: GammaPlot } | null} */
  plots = null;
  /** @type {Flow | null} */
  flow = null;

  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent);
    /** @param {string} name */
    const findDrawing = (name) => findElement(parent, `.${name} > svg`, SVGSVGElement);
    this.drawings = { trade: findDrawing("trade"), gamma: findDrawing("over"), flow: findDrawing("flow") };
    this.canvas = findElement(parent, "canvas", HTMLCanvasElement);
    this.lineList = findElement(parent, ".lines", HTMLElement);
    this.imageDetails = findElement(parent, ".images", HTMLDetailsElement);
    this.numbers = ["g", "u", "s", "h"].map((name) => findElement(parent, `.${name}`, HTMLElement));
    const { trade, gamma } = this.drawings;
    this.listenToPlot(trade, (x, y) => this.plots?.trade.gammaAt(x, y),
      (value) => this.showHover(trade, value));
    this.listenToPlot(gamma, (x) => this.plots && this.roundValue(this.plots.gamma.gammaAt(x)),
      (value) => this.showHover(gamma, value));
    this.listenToBars(this.canvas, () => this.line.stops[0]?.name ?? "γ = 0");
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {Head} head */
  show(head) {
    const isSame = this.updateData(head, head.lines[0].start, this.lineIndex === 0);
    if (isSame && this.plots) this.requestDraw();
    else this.draw();
  }

  /** @override */
  get sendsValue() {
    return this.head.sendsValue && this.lineIndex === 0;
  }

  /** @override */
  draw() {
    const { head, width, line } = this;
    if (!head || !width) return;
    const isWide = width >= WIDE;
    const most = isWide ? Math.max(SIDE, Math.min(innerHeight - ABOVE, 640)) : SIDE;
    const side = Math.min(isWide ? 0.46 * width : width, most) - EXTRA_WIDTH;
    const right = isWide ? width - side - EXTRA_WIDTH - 20 : width; // width of the second column
    this.root.classList.toggle("narrow", !isWide);
    this.root.classList.add("laid");
    const trade = new TradePlot(this.drawings.trade, side, head, line, undefined, false);
    const size = { width: right, height: isWide ? side + 52 : 300 };
    this.plots = { trade, gamma: new GammaPlot(this.drawings.gamma, size, head, line, trade.end) };
    this.drawings.trade.setAttribute("aria-label", `${head.alt} ${trade.alt}`);
    this.slider.setAttribute("aria-label",
      `Gamma, subtracted from the scores of ${this.sides.seen} classes`);
    this.alignSlider(this.plots.gamma.frame, line.limits, "any");
    this.drawStops();
    this.drawLineButtons();
    if (!head.sendsValue) this.imageDetails.open = true; // in a single-file page, nothing is below
    this.drawImages(isWide ? side + 64 : width, right);
    this.drawValue();
    this.updateDescriptions();
  }

  drawStops() {
    this.drawStopButtons(this.line.stops.map(({ name, gamma, look }) => ({
      title: `Go to this γ: ${name}`, value: gamma, look, text: `${name}, γ = ${formatNumber(gamma)}` })));
  }

  drawLineButtons() {
    const { lines, choose } = this.head;
    this.lineList.hidden = !choose || lines.length < 2;
    this.lineList.replaceChildren(...lines.map(({ name }, i) => {
      const button = createButton("Drag this curve", () => this.selectLine(i), name);
      setPressed(button, i === this.lineIndex);
      return button;
    }));
  }

  /** Select another curve to drag, without sending it to the server. @param {number} index */
  selectLine(index) {
    this.lineIndex = index;
    this.value = this.line.start;
    this.draw();
    this.lineList.querySelectorAll("button")[index].focus();
  }

  /** @param {number} left @param {number} right widths of both columns */
  drawImages(left, right) {
    const { head: { images }, line } = this;
    this.tally = this.flow = this.classBars = null;
    this.imageDetails.hidden = !images || this.lineIndex !== 0;
    if (!images || this.lineIndex !== 0) return;
    this.tally = new Tally(images);
    const reference = this.tally.moveTo(line.stops[0]?.gamma ?? 0).accuracy;
    this.flow = new Flow(this.drawings.flow, left, this.tally.outcomes, this.sides);
    this.classBars = new ClassBars(this.canvas, right, images, reference, this.sides);
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** @override */
  drawValue() {
    if (!this.plots) return;
    const point = pointAt(this.line, this.value);
    this.writeNumbers(point);
    this.plots.trade.moveTo(point);
    this.plots.gamma.moveTo(point);
    if (!this.tally) return;
    this.tally.moveTo(this.value);
    this.flow?.update(this.tally.outcomes);
    this.classBars?.update(this.tally.accuracy);
  }

  /** @param {CurvePoint} point */
  writeNumbers(point) {
    const { gamma, unseen, seen, harmonic } = point, { sides } = this;
    const texts = [`γ = ${formatNumber(gamma)}`, `${sides.unseen} u = ${formatPercent(unseen)}`,
      `${sides.seen} s = ${formatPercent(seen)}`, `H = ${formatPercent(harmonic)}`];
    this.numbers.forEach((element, k) => {
      element.textContent = texts[k];
    });
    const stop = this.line.stops.find((named) => named.gamma === gamma);
    this.updateSlider(gamma, `gamma ${formatNumber(gamma)}${stop ? `, ${stop.name}` : ""}`, point);
  }

  /** @override */
  updateDescriptions() {
    const { flow, tally, classBars } = this;
    if (!flow || !tally || !classBars) return;
    this.drawings.flow.setAttribute("aria-label", flow.describe(tally.outcomes));
    this.canvas.setAttribute("aria-label", classBars.alt);
  }

  /** Show a crosshair in both plots, and its numbers; null hides them. @param {SVGSVGElement} drawing
   * @param {number | null} gamma */
  showHover(drawing, gamma) {
    if (!this.plots) return;
    const point = gamma === null ? null : pointAt(this.line, gamma), { trade } = this.plots;
    trade.showCrosshair(point);
    this.plots.gamma.showCrosshair(point);
    if (!point) return this.tooltip.hide();
    const place = (drawing === this.drawings.trade ? trade : this.plots.gamma).pixelsOf(point);
    this.showPointTooltip(drawing, place, `γ = ${formatNumber(point.gamma)}`, point);
  }
}
