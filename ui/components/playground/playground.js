// @ts-check
// The instrument of the first page: one ruler moves the curve's handle, the wall of images, the bars
// of classes and one sentence. It sets gamma, or it has stops with their own predictions: values of
// lambda or numbers of unlabelled images. Choices and released positions are sent to the server.

import { ClassBars } from "../../../zslcore/interactive/classes.js";
import { pointAt } from "../../../zslcore/interactive/curve.js";
import { CurveFigure, GLIDE_TIME, prefersReducedMotion } from "../../../zslcore/interactive/curve_figure.js";
import { findElement, nameDrawing } from "../../../zslcore/interactive/dom.js";
import { mountFigure } from "../../../zslcore/interactive/figure.js";
import { createIcon, createSymbol } from "../../../zslcore/interactive/looks.js";
import { formatCount, formatNumber, formatPercent, keepTogether } from "../../../zslcore/interactive/numbers.js";
import { createSvg } from "../../../zslcore/interactive/svg.js";
import { Tally } from "../../../zslcore/interactive/tally.js";
import { EXTRA_WIDTH } from "../../../zslcore/interactive/trade.js";
import { ImageCard, describeImage } from "./image_card.js";
import { Plane, stopPoints } from "./plane.js";
import { ChoiceRail } from "./rail.js";
import { describeStop, describeTrade, labelValue } from "./sentence.js";
import { Wall } from "./wall.js";
import { readInstrument } from "./wire.js";

/** @import { CurvePoint } from "../../../zslcore/interactive/curve.js" */
/** @import { Component } from "../../../zslcore/interactive/figure.js" */
/** @import { Choice, Instrument } from "./wire.js" */

/** @typedef {{ name: string, value: number, look: string, text: string }} NamedValue of the ruler */

/** @param {Component} component */
export default function (component) {
  return mountFigure(component, Playground, readInstrument);
}

const WIDE = 960; // minimum width in pixels for rail, curve and wall side by side
const MEDIUM = 600; // minimum width in pixels for curve and wall side by side
const LEAST_HEIGHT = 440; // minimum height of the wide form, in pixels
const FIXED_HEIGHT = 158; // height of sentence, numbers and ruler, in pixels
const FIXED_BESIDE = 276; // height of the same parts in a window of medium width, in pixels
const RULER_KINDS = 54; // height of the choice and explanation of the ruler, in pixels
const SENTENCE = 28; // height of the sentence, in pixels
const BROAD = 48; // pixels saved in a broad form, where stops and menu share lines with other parts
const LEAST_BESIDE = 320; // minimum height of curve and wall in a window of medium width, in pixels
const RAIL_WIDTH = 288; // width of the rail and its gap, in pixels
const LEAST_WALL = 340; // minimum width of the wall next to the plane, in pixels
const PLANE_MARGIN = 54; // height of the plane's axis and margins, in pixels
const LARGEST_SHARE = 0.6; // largest share of the plane in the width of curve and wall
const BARS = 86; // height of the bars of classes, in pixels
const HEADS = 56; // height of the two lines above the wall with their gaps, in pixels
const GUTTER = 24;
const TRACK_MARGIN = 8; // pixels between the ends of the track and of the ruler
const SWEEP_TIME = 6000; // milliseconds from one end of the ruler to the other
const DEMO_DELAY = 4000; // milliseconds until the ruler is demonstrated
const DEMO_KEY = "zsl-played"; // key in the browser's storage: the ruler has been demonstrated
const EXPLANATIONS = {
  gamma: "γ is subtracted from the scores of all seen classes.",
  lambda: "λ is the strength of the regularisation; γ is validated at each λ.",
  images: "Number of test images used in training, without their labels.",
};

/** @extends {CurveFigure<Instrument>} */
class Playground extends CurveFigure {
  /** @type {Plane | null} */
  plane = null;
  /** @type {number | null} the only class on the wall; null for all classes */
  shownClass = null;
  /** whether the visitor has moved the ruler */
  wasMoved = false;
  isPlaying = false;
  demoTimer = 0;
  /** @type {Partial<Choice>} choices that are not shown yet */
  pendingChoice = {};
  /** height of the form or, in narrower windows, of curve and wall */
  height = 0;
  /** @type {boolean | null} whether the height is that of the wide form */
  isWide = null;
  /** @type {boolean | null} whether the choices are folded into a line */
  isFolded = null;
  planeSide = 0;

  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent);
    /** @param {string} selector */
    const find = (selector) => findElement(parent, selector, HTMLElement);
    /** @param {string} selector */
    const findCanvas = (selector) => findElement(parent, selector, HTMLCanvasElement);
    this.drawing = findElement(parent, ".trade > svg", SVGSVGElement);
    this.canvases = { wall: findCanvas(".wall > canvas"), bars: findCanvas(".classes > canvas") };
    this.elements = { sentence: find(".sentence"), numbers: [".u", ".s", ".h", ".at"].map(find),
      value: find(".g"), stage: find(".stage"), trade: find(".trade"),
      sides: [".left", ".right"].map(find), marks: find(".marks"), note: find(".note"),
      track: find(".track"), explanation: find(".what"), play: find(".play"),
      summary: find(".choices > summary") };
    this.pending = { panel: find(".pending"), text: find(".pending > p"), command: find(".pending > code"),
      button: find(".pending > button") };
    this.choices = findElement(parent, ".choices", HTMLDetailsElement);
    this.rulerInputs = [...find(".kinds").querySelectorAll("input")];
    this.select = findElement(parent, "select", HTMLSelectElement);
    // The time makes the values of Run, Cancel and Import differ: an equal value would send no event.
    this.rail = new ChoiceRail(find(".rail"), (change) => this.sendChoice(change),
      () => this.send("import", performance.now()));
    this.pending.button.addEventListener("click", () => this.send("run", performance.now()));
    this.wall = new Wall(this.canvases.wall, prefersReducedMotion);
    this.imageCard = new ImageCard(find(".opened"), (direction) => this.openNeighbour(direction),
      () => this.imageCard.hide());
    window.addEventListener("resize", () => this.fitHeight(), { signal: this.closing.signal });
    this.listenToRuler();
    this.listenToImages();
  }

  /** @override */
  close() {
    super.close();
    clearTimeout(this.demoTimer);
    this.wall.close();
  }

  // --- Data -------------------------------------------------------------------------------------

  /** @param {Instrument} head */
  show(head) {
    const previous = this.head, hasStops = head.frames.length > 0;
    this.valueName = hasStops ? "place" : "gamma";
    const isSame = this.updateData(head, hasStops ? head.ruler.start : head.lines[0].start, true);
    if (!isSame) this.stopPlayback();
    this.switchStop();
    this.showRuler(head.ruler);
    if (previous?.images_key !== head.images_key) this.resetForDataSet();
    if (JSON.stringify(previous?.rail.chosen) !== JSON.stringify(head.rail.chosen)) this.pendingChoice = {};
    this.rail.show(head.rail);
    this.showPending(head.pending);
    this.selectClass(head.images.classes.indexOf(head.only));
    const isDrawn = isSame && this.plane && previous.ghosts.length === head.ghosts.length &&
      previous.only === head.only;
    if (isDrawn) this.requestDraw();
    else this.draw();
    if (!previous) this.demonstrateOnce();
  }

  /** Reset the choices of the previous data set. */
  resetForDataSet() {
    const { images, noun } = this.head;
    this.imageCard.hide();
    this.select.replaceChildren(new Option(`all ${noun[1]}`, ""), ...images.classes.map((name, c) =>
      new Option(`${images.seen[c] ? "●" : "◆"} ${name}`, String(c))));
  }

  /** Show a class in the list of classes, -1 for all classes. @param {number} c */
  selectClass(c) {
    this.shownClass = c < 0 ? null : c;
    this.select.value = c < 0 ? "" : String(c);
  }

  /** Show why there are no predictions, and the button that computes them.
   * @param {Instrument["pending"]} message */
  showPending(message) {
    const { panel, text, command, button } = this.pending;
    panel.hidden = !message;
    this.root.classList.toggle("waiting", Boolean(message?.covers));
    text.textContent = message?.words ?? "";
    command.textContent = message?.command ?? "";
    command.hidden = !message?.command;
    button.textContent = message?.button ?? "";
    button.hidden = !message?.button;
  }

  /** Show the meaning of the ruler, or why it cannot move. @param {Instrument["ruler"]} ruler */
  showRuler({ kind, note, spoken }) {
    const isFixed = kind !== "gamma" && !this.hasStops;
    for (const input of this.rulerInputs) input.checked = input.value === kind;
    this.elements.explanation.textContent = EXPLANATIONS[kind];
    this.elements.note.textContent = note;
    this.elements.note.hidden = !isFixed;
    this.root.classList.toggle("still", isFixed);
    this.slider.ariaLabel = this.hasStops ? labelValue(spoken, "").trim()
      : "Gamma, subtracted from the scores of seen classes";
  }

  // --- Values of the ruler ----------------------------------------------------------------------

  /** Whether the ruler goes from stop to stop. @override */
  get hasStops() {
    return Boolean(this.head?.frames.length);
  }

  /** The stop where the ruler is. */
  get stopIndex() {
    return Math.round(this.value);
  }

  /** The gamma of the wall: the ruler's, or the gamma of its stop. */
  get gamma() {
    return this.hasStops ? this.line.start : this.value;
  }

  /** A gamma rounded to the needed digits, or a stop. @override @param {number} value */
  roundValue(value) {
    return this.hasStops ? Math.round(value) : super.roundValue(value);
  }

  /** Return the point of a value of the ruler on the plane. @param {number} value */
  pointOf(value) {
    const frame = this.head.frames[Math.round(value)];
    return frame ? stopPoints([frame])[0] : pointAt(this.line, value);
  }

  /** Return a value of the ruler with its symbol. @param {number} value */
  formatValue(value) {
    const { symbol, words } = this.head.ruler;
    return this.hasStops ? labelValue(symbol, words[value]) : `γ = ${formatNumber(value)}`;
  }

  /** Value with which classes are compared: a stop, or gamma 0. */
  get reference() {
    return this.hasStops ? this.head.ruler.reference : 0;
  }

  /** Values of the ruler that have a name. @returns {NamedValue[]} */
  get namedValues() {
    const { ruler } = this.head;
    if (this.hasStops) return ruler.named.map(({ name, place, look }) =>
      ({ name, value: place, look, text: this.formatValue(place) }));
    return this.line.stops.map(({ name, gamma, look }) =>
      ({ name, value: gamma, look, text: `γ ${formatNumber(gamma)}` }));
  }

  /** Switch curve, images and predictions to the stop; return whether they changed. */
  switchStop() {
    const { head } = this, frame = head.frames[this.stopIndex];
    if (!frame || frame.images === head.images) return false;
    const { lines, images, answers, alt } = frame;
    Object.assign(head, { lines, images, answers, alt });
    return true;
  }

  // --- Layout -----------------------------------------------------------------------------------

  /** @override */
  applyTheme() {
    super.applyTheme();
    this.wall.applyTheme();
  }

  /** Whether rail, curve and wall are side by side; without choices, there is no rail. */
  get hasRail() {
    return this.width >= WIDE && getComputedStyle(this.choices).display !== "none";
  }

  /** Fit the form to the height of the window, without scrolling, unless the window is narrow. */
  fitHeight() {
    if (!this.head || !this.width) return;
    const isWide = this.hasRail;
    const top = this.root.getBoundingClientRect().top + findScrollOffset(this.root);
    const available = innerHeight - top - this.head.below;
    const fixed = FIXED_BESIDE - (this.rulerInputs[0].offsetParent ? 0 : RULER_KINDS)
      - (this.elements.sentence.offsetParent ? 0 : SENTENCE) - (this.width < WIDE ? 0 : BROAD);
    const height = Math.floor(isWide
      ? Math.max(LEAST_HEIGHT, Math.min(available, FIXED_HEIGHT + heightBeside(this.width - RAIL_WIDTH, 1.35)))
      : Math.max(LEAST_BESIDE, Math.min(available - fixed - this.choices.offsetHeight,
        heightBeside(this.width, 1.15))));
    if (height === this.height && isWide === this.isWide && this.plane) return;
    Object.assign(this, { height, isWide });
    this.root.style.height = isWide ? `${height}px` : "";
    this.draw();
  }

  /** @override */
  draw() {
    const { head, width, hasRail: isWide } = this;
    if (!head || !width) return;
    this.root.classList.toggle("wide", isWide);
    this.root.classList.toggle("broad", width >= WIDE);
    this.root.classList.toggle("narrow", width < MEDIUM);
    const { dataset, method } = head.rail.chosen;
    this.elements.summary.textContent = `${findDatasetTitle(head.rail, dataset)} · ${method}`;
    if (this.isFolded !== !isWide) this.choices.open = isWide;
    this.isFolded = !isWide;
    if (this.isWide !== isWide) return this.fitHeight(); // measures the form that is set here
    this.root.classList.add("ready");
    this.reserveValueWidth();
    this.writeNumbers(this.pointOf(this.value));
    this.drawStopButtons(this.namedValues.map(({ name, value, look, text }) =>
      ({ title: `Go to ${text}: ${name}`, text: name, value, look })));
    const sizes = this.measureStage();
    this.drawPlane(sizes.side);
    const track = { left: TRACK_MARGIN, right: this.elements.track.clientWidth - TRACK_MARGIN };
    if (this.hasStops) this.alignSlider(track, [0, head.frames.length - 1], 1);
    else this.alignSlider(track, this.line.limits, "any");
    this.drawTrackMarks(track);
    this.tally = new Tally(head.images);
    const { images, lines } = head.frames[head.ruler.reference] ?? head;
    const { accuracy } = new Tally(images).moveTo(this.hasStops ? lines[0].start : 0);
    this.classBars = new ClassBars(this.canvases.bars, sizes.wall, head.images, accuracy, this.sides, BARS);
    this.layOutWall(sizes.wall, sizes.wallHeight);
    this.drawValue();
    this.updateDescriptions();
  }

  /** Arrange the wall, and show whether images are left out. @param {number} width @param {number} height */
  layOutWall(width, height) {
    const { noun } = this.head;
    this.wall.layOut(this.head, width, height, this.shownClass);
    const step = this.wall.slots?.step ?? 1;
    this.select.options[0].text = `all ${noun[1]}${step > 1 ? `, 1 in ${step}` : ""}`;
    this.select.title = step > 1 ? `1 in ${step} images is shown; choose a class to see more` : "";
  }

  /** Reserve the width of the longest value of the ruler, so that nothing moves with it. */
  reserveValueWidth() {
    const { value } = this.elements, { symbol, words } = this.head.ruler;
    const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
    value.style.minWidth = "";
    value.textContent = labelValue(symbol, longest);
    value.style.minWidth = `${value.offsetWidth}px`;
  }

  /** Return the side of the plane, and width and height of the wall. */
  measureStage() {
    const { width, hasRail: isWide } = this, stage = this.elements.stage.clientWidth;
    if (width < MEDIUM) return { side: width - EXTRA_WIDTH - 2, wall: width, wallHeight: 340 };
    const free = isWide ? this.elements.trade.clientHeight : this.height;
    const side = Math.max(200, Math.min(free - PLANE_MARGIN, findLargestSide(stage)));
    return { side, wall: Math.floor(stage - side - EXTRA_WIDTH - GUTTER), wallHeight: free - BARS - HEADS };
  }

  /** @param {number} side */
  drawPlane(side) {
    this.planeSide = side;
    this.plane = new Plane(this.drawing, side, this.head, (method) => this.sendChoice({ method }),
      (name, x, y) => this.showOtherMethod(name, x, y));
  }

  /** Draw the symbol of each named value above the ruler, and a tooth at each stop.
   * @param {{ left: number, right: number }} track */
  drawTrackMarks({ left, right }) {
    const { looks, frames } = this.head, named = this.namedValues;
    const low = Number(this.slider.min), high = Number(this.slider.max);
    /** @param {number} value */
    const toPixel = (value) => left + ((value - low) / (high - low)) * (right - left);
    /** @param {number} value @param {SVGElement} symbol */
    const place = (value, symbol) => {
      const icon = createIcon(6, symbol);
      icon.style.left = `${toPixel(value)}px`;
      return icon;
    };
    const teeth = frames.map((_, k) => place(k, createSvg("path", { class: "tooth", d: "M0 3V6" })));
    const symbols = named.map(({ value, look }, k) => {
      const icon = place(value, createSymbol(looks, look, 0, 0, 4.5));
      const touches = named.slice(0, k).some((other) => Math.abs(toPixel(value) - toPixel(other.value)) < 11);
      if (touches) icon.style.top = "19px"; // below the ruler
      return icon;
    });
    this.elements.marks.replaceChildren(...teeth, ...symbols);
  }

  // --- Values -----------------------------------------------------------------------------------

  /** @override */
  drawValue() {
    if (!this.plane || !this.tally || !this.classBars) return;
    const { head } = this;
    if (this.switchStop()) {
      this.drawPlane(this.planeSide);
      this.tally = new Tally(head.images);
      this.wall.createSlots(head);
    }
    const { gamma, plane, tally } = this, point = pointAt(this.line, gamma);
    if (!this.isPlaying && this.value !== this.reference) this.wasMoved = true;
    this.writeNumbers(point);
    plane.moveTo(point);
    plane.showHint(!this.wasMoved, point);
    this.classBars.update(tally.moveTo(gamma).accuracy);
    this.wall.moveTo(tally.switched);
    this.writeCounts(tally.switched);
    if (this.imageCard.image >= 0) this.imageCard.show(head, this.imageCard.image, gamma);
  }

  /** @param {CurvePoint} point */
  writeNumbers(point) {
    const { gamma } = point, { ruler, noun, frames } = this.head, value = this.hasStops ? this.stopIndex : gamma;
    this.writeAccuracies(point);
    const sentence = this.hasStops ? describeStop(ruler, stopPoints(frames), this.stopIndex, noun[1])
      : this.describeGamma(point);
    this.elements.sentence.textContent = keepTogether(sentence);
    this.elements.value.textContent = this.formatValue(value);
    const names = this.namedValues.filter((named) => named.value === value).map(({ name }) => name);
    const spoken = this.hasStops ? labelValue(ruler.spoken, ruler.words[value])
      : `gamma ${formatNumber(gamma)}`;
    this.updateSlider(value, [spoken, names.join(", ")].filter(Boolean).join(", "), point);
  }

  /** Return the trade-off at a gamma as a sentence. @param {CurvePoint} point */
  describeGamma(point) {
    const { gamma, words } = describeTrade(point, pointAt(this.line, 0), this.head.noun[1]);
    return gamma ? `${gamma} ${words}` : words[0].toUpperCase() + words.slice(1);
  }

  /** Write u, s and H, spelled out where there is room. @param {CurvePoint} point */
  writeAccuracies({ gamma, unseen, seen, harmonic }) {
    const [u, s, h, more] = this.elements.numbers, { method } = this.head.rail.chosen;
    const hasRoom = this.pending.panel.hidden, isLong = hasRoom && this.width >= MEDIUM;
    const isFolded = this.choices.offsetHeight === 0, accuracy = isLong && this.isWide ? "accuracy " : "";
    u.textContent = `◆ ${hasRoom ? `unseen ${accuracy}` : ""}u ${formatPercent(unseen)}`;
    s.textContent = `● ${hasRoom ? `seen ${accuracy}` : ""}s ${formatPercent(seen)}`;
    h.textContent = `${isLong && !(isFolded && this.hasStops) ? "harmonic mean " : ""}H ${formatPercent(harmonic)}`;
    more.textContent = [isFolded && isLong && findMethodTitle(this.head.rail, method),
      this.hasStops && `γ ${formatNumber(gamma)}, validated`].filter(Boolean).join(", ");
  }

  /** Write how many images are predicted as each side. @param {number} switched */
  writeCounts(switched) {
    const [left, right] = this.elements.sides, verb = this.wall.width < 420 ? "as" : "predicted as";
    left.textContent = `${formatCount(this.head.images.n - switched)} ${verb} seen`;
    right.textContent = `${formatCount(switched)} ${verb} unseen`;
  }

  /** Describe the drawings for screen readers. @override */
  updateDescriptions() {
    const { head: { alt, images, noun }, plane, tally, classBars } = this;
    if (!plane || !tally || !classBars) return;
    nameDrawing(this.drawing, `${alt} ${plane.alt}`);
    const [a, b, c, d, e, f] = tally.outcomes;
    nameDrawing(this.canvases.wall, `${formatCount(images.n)} test images. ` +
      `Of ${formatCount(a + b + c)} images of unseen ${noun[1]}, ${formatCount(a)} are right ` +
      `and ${formatCount(c)} are predicted as seen; of ${formatCount(d + e + f)} images of seen ` +
      `${noun[1]}, ${formatCount(d)} are right and ${formatCount(f)} are predicted as unseen.`);
    nameDrawing(this.canvases.bars, classBars.alt);
  }

  // --- Ruler ------------------------------------------------------------------------------------

  listenToRuler() {
    const { play } = this.elements;
    this.listenToPlot(this.drawing,
      (x, y) => (this.hasStops ? this.plane?.findNearestStop(x, y) : this.plane?.gammaAt(x, y)),
      (value) => this.showHover(value));
    play.hidden = prefersReducedMotion();
    play.addEventListener("click", () => {
      if (!this.isPlaying) return this.play();
      this.stopPlayback();
      this.sendValue();
    });
    for (const type of ["pointerdown", "keydown"])
      this.root.addEventListener(type, (event) => {
        if (!event.composedPath().includes(play)) this.stopPlayback();
      }, true);
    for (const input of this.rulerInputs)
      input.addEventListener("change", () => this.send("ruler", input.value));
  }

  /** On a first visit, move the ruler once to the validated gamma to show its effect. */
  demonstrateOnce() {
    if (prefersReducedMotion() || this.hasStops || this.head.pending?.covers || this.value !== 0) return;
    try {
      if (localStorage.getItem(DEMO_KEY)) return;
      localStorage.setItem(DEMO_KEY, "1");
    } catch {
      return; // without storage this would repeat on each visit
    }
    const validated = this.line.stops.find(({ look }) => look === "validated");
    const to = validated ? validated.gamma : Number(this.slider.max);
    this.demoTimer = window.setTimeout(() => this.play(this.value, to, SWEEP_TIME / 2), DEMO_DELAY);
  }

  /** Move the ruler, by default from end to end, and back to its position. */
  play(from = Number(this.slider.min), to = Number(this.slider.max), time = SWEEP_TIME) {
    if (this.isPlaying) return;
    const { value } = this;
    this.isPlaying = true;
    this.elements.play.ariaLabel = "Pause";
    this.animateValue(from, to, time, () =>
      this.animateValue(this.value, value, GLIDE_TIME, () => this.endPlayback()));
  }

  /** Stop the playback where the ruler is. */
  stopPlayback() {
    clearTimeout(this.demoTimer);
    if (this.isPlaying) cancelAnimationFrame(this.animation);
    this.endPlayback();
  }

  endPlayback() {
    this.isPlaying = false;
    this.elements.play.ariaLabel = "Play";
    this.requestDraw();
  }

  /** Show a crosshair at a value, and its numbers; null hides them. @param {number | null} value */
  showHover(value) {
    const point = value === null ? null : this.pointOf(value);
    this.plane?.showCrosshair(point);
    this.plane?.highlightMethod(null);
    if (value === null || !point || !this.plane) return this.tooltip.hide();
    const label = this.formatValue(this.hasStops ? value : point.gamma);
    this.showPointTooltip(this.drawing, this.plane.pixelsOf(point), label, point);
  }

  // --- Choices ----------------------------------------------------------------------------------

  /** Send a choice, together with earlier choices that are not shown yet. @param {Partial<Choice>} change */
  sendChoice(change) {
    this.pendingChoice = { ...this.pendingChoice, ...change };
    this.send("choice", { ...this.pendingChoice, at: performance.now() }); // a repeated choice counts, too
  }

  /** Name the curve of another method under the pointer. @param {string | null} name @param {number} x
   * @param {number} y */
  showOtherMethod(name, x, y) {
    if (this.isDragging) return;
    this.plane?.showCrosshair(null);
    this.plane?.highlightMethod(name);
    if (!name) return this.tooltip.hide();
    const title = findMethodTitle(this.head.rail, name);
    this.showTooltip(this.drawing, x, y, `${title}: click to choose it`);
  }

  // --- Images -----------------------------------------------------------------------------------

  listenToImages() {
    const { wall, bars } = this.canvases;
    this.select.addEventListener("change", () =>
      this.filterClass(this.select.value === "" ? -1 : Number(this.select.value)));
    wall.addEventListener("pointermove", ({ offsetX, offsetY }) => this.showImageTooltip(offsetX, offsetY));
    wall.addEventListener("pointerleave", () => this.tooltip.hide());
    wall.addEventListener("click", ({ offsetX, offsetY }) =>
      this.openImage(this.wall.imageAt(offsetX, offsetY)));
    const readReference = () => this.hasStops ? this.formatValue(this.reference) : "γ 0";
    this.listenToBars(bars, readReference, ". Click to show only its images");
    bars.addEventListener("click", ({ offsetX }) => {
      const c = this.classBars?.findClass(offsetX) ?? -1;
      this.filterClass(c === this.shownClass ? -1 : c);
    });
  }

  /** Show the images of one class alone, -1 for all classes. @param {number} c */
  filterClass(c) {
    this.selectClass(c);
    this.layOutWall(this.wall.width, this.wall.height);
    this.requestDraw();
    this.send("only", c < 0 ? "" : this.head.images.classes[c]);
  }

  /** Show an image large, or none if there is no such image. @param {number} k in the order of changes */
  openImage(k) {
    if (k < 0 || k >= this.head.images.n) return this.imageCard.hide();
    this.tooltip.hide();
    this.imageCard.show(this.head, this.head.answers.order[k], this.gamma);
  }

  /** Show the neighbour of the image that is shown large. @param {1 | -1} direction */
  openNeighbour(direction) {
    this.openImage(this.head.answers.order.indexOf(this.imageCard.image) + direction);
  }

  /** @param {number} x @param {number} y */
  showImageTooltip(x, y) {
    const k = this.wall.imageAt(x, y);
    this.canvases.wall.style.cursor = k < 0 ? "" : "pointer";
    if (k < 0) return this.tooltip.hide();
    const { title, answer } = describeImage(this.head, k, this.gamma);
    this.showTooltip(this.canvases.wall, x, y, `${title}. ${answer}`);
  }
}

/** Return the height of the wall next to the largest plane. @param {number} width of plane and wall
 * @param {number} factor multiplier of the plane's height */
function heightBeside(width, factor) {
  return PLANE_MARGIN + factor * findLargestSide(width);
}

/** Return the side of the largest plane. @param {number} width of plane and wall */
function findLargestSide(width) {
  return Math.min(LARGEST_SHARE * width, width - GUTTER - LEAST_WALL) - EXTRA_WIDTH;
}

/** @param {Instrument["rail"]} rail @param {string} dataset */
function findDatasetTitle({ tiles, simulated }, dataset) {
  return [...tiles, ...simulated].find(({ key }) => key === dataset)?.title ?? dataset;
}

/** Return the name of a method in tables. @param {Instrument["rail"]} rail @param {string} method */
function findMethodTitle({ families }, method) {
  return Object.values(families).flat().find(({ name }) => name === method)?.words ?? method;
}

/** Return the scroll offset of the containers of an element. @param {Element} element */
function findScrollOffset(element) {
  const root = element.getRootNode();
  let offset = 0, parent = root instanceof ShadowRoot ? root.host : element.parentElement;
  for (; parent; parent = parent.parentElement) offset += parent.scrollTop;
  return offset;
}
