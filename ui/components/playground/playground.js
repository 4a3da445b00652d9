// @ts-check
// The instrument of the first page: one ruler moves the curve's handle, the wall of images, the bars
// of classes and one sentence. It sets gamma, or it has stops with their own predictions: values of
// lambda or numbers of unlabelled images. Choices and released positions are sent to the server.

import { ClassBars } from "../../../zslcore/interactive/classes.js";
import { pointAt } from "../../../zslcore/interactive/curve.js";
import { mountFigure, findElement } from "../../../zslcore/interactive/dom.js";
import { CurveFigure, prefersReducedMotion } from "../../../zslcore/interactive/curve_figure.js";
import { formatCount, formatPercent, formatNumber, keepTogether } from "../../../zslcore/interactive/numbers.js";
import { symbolPath } from "../../../zslcore/interactive/symbols.js";
import { createSvg } from "../../../zslcore/interactive/svg.js";
import { Tally } from "../../../zslcore/interactive/tally.js";
import { EXTRA_WIDTH } from "../../../zslcore/interactive/trade.js";
import { ImageCard, describeImage } from "./image_card.js";
import { Plane, stopPoints } from "./plane.js";
import { ChoiceRail } from "./rail.js";
import { describeTrade, describeStop, labelValue } from "./sentence.js";
import { Wall } from "./wall.js";
import { readInstrument } from "./wire.js";

/** @import { CurvePoint } from "../../../zslcore/interactive/curve.js" */
/** @import { Send } from "../../../zslcore/interactive/curve_figure.js" */
/** @import { Choice, Instrument } from "./wire.js" */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  return mountFigure(parentElement, () => new Playground(parentElement), (playground) => {
    playground.send = setStateValue;
    playground.show(readInstrument(data));
  });
}

const WIDE = 960; // minimum width in pixels for rail, curve and wall side by side
const MEDIUM = 600; // minimum width in pixels for curve and wall side by side
const LOWEST = 440; // minimum height of the wide form, in pixels
const FIXED_HEIGHT = 158; // pixels of height of sentence, numbers and ruler
const FIXED_BESIDE = 242; // the same in a window of medium width, below the choices
const KINDS = 54; // pixels of height of the choice and explanation of the ruler
const LEAST_BESIDE = 320; // minimum height of curve and wall in a window of medium width
const RAIL_WIDTH = 288; // pixels of width of the rail and its gap
const LEAST_WALL = 290; // minimum width of the wall next to the plane, in pixels
const TALL_SHARE = 0.6; // the plane's share of the stage in a tall window
const BARS = 86; // pixels of height of the classes' bars
const HEADS = 56; // pixels of height of the two lines above the wall, with their gaps
const SWEEP = 6000; // milliseconds from one end of the ruler to the other
const PLAYED = "zsl-played"; // key in the browser's storage: the ruler has been demonstrated
/** Explanation of each ruler. */
const EXPLANATIONS = { gamma: "γ is subtracted from the scores of all seen classes.",
  lambda: "λ is how strongly the method is regularised; γ is validated at each λ.",
  images: "Number of test images used in training, without their labels." };
const GUTTER = 24;

/** @extends {CurveFigure<Instrument>} */
export class Playground extends CurveFigure {
  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, "gamma");
    this.drawing = findElement(parent, ".trade > svg", SVGSVGElement);
    this.canvases = { wall: findElement(parent, ".wall > canvas", HTMLCanvasElement),
      classes: findElement(parent, ".classes > canvas", HTMLCanvasElement) };
    /** @param {string} name */
    const place = (name) => findElement(parent, name, HTMLElement);
    this.elements = { sentence: place(".sentence"), numbers: [".u", ".s", ".h", ".at"].map(place),
      gamma: place(".g"), sides: [".left", ".right"].map(place), stage: place(".stage"),
      pending: place(".pending"), trade: place(".trade"), marks: place(".marks"),
      note: place(".note"), track: place(".track"), what: place(".what"),
      play: place(".play"), summary: place(".choices > summary") };
    this.choices = findElement(parent, ".choices", HTMLDetailsElement);
    this.rulerInputs = [...place(".kinds").querySelectorAll("input")];
    this.select = findElement(parent, "select", HTMLSelectElement);
    this.runButton = findElement(parent, ".pending button", HTMLButtonElement);
    this.rail = new ChoiceRail(place(".rail"), (change) => this.sendChoice(change),
      () => this.send("bring", performance.now()));
    this.wall = new Wall(this.canvases.wall, prefersReducedMotion);
    this.imageCard = new ImageCard(place(".opened"), (way) => this.openNeighbour(way), () => this.closeImage());
    /** @type {Plane | null} */
    this.plane = null;
    /** @type {number | null} the only class on the wall; null for all classes */
    this.shownClass = null;
    this.wasMoved = false;
    this.playing = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.demoTimer = undefined;
    /** @type {Partial<Choice>} choices that are not shown yet */
    this.pendingChoice = {};
    /** @type {boolean | null} whether the choices are folded into a line */
    this.isFolded = null;
    this.height = 0;
    /** @type {boolean | null} whether the height is that of the wide form */
    this.isWide = null;
    this.side = 0;
    this.onWindowResize = () => this.fitHeight();
    window.addEventListener("resize", this.onWindowResize);
    this.listen();
  }

  /** @override */
  close() {
    super.close();
    window.removeEventListener("resize", this.onWindowResize);
    clearTimeout(this.demoTimer);
    this.wall.close();
  }

  // --- Display ----------------------------------------------------------------------------------

  /** @param {Instrument} head */
  show(head) {
    const before = this.head;
    const steps = head.frames.length > 0;
    this.valueName = steps ? "place" : "gamma";
    const same = this.updateData(head, steps ? head.ruler.start : head.lines[0].start, true);
    if (!same) this.stopPlayback();
    this.switchStop();
    this.showRuler(head.ruler, steps);
    if (before?.wall !== head.wall) this.resetForDataSet(head);
    if (JSON.stringify(before?.rail.chosen) !== JSON.stringify(head.rail.chosen)) this.pendingChoice = {};
    this.rail.show(head.rail);
    this.showPending(head.pending);
    this.showClass(head.images.classes.indexOf(head.only));
    if (same && this.plane && before?.ghosts.length === head.ghosts.length &&
      before.only === head.only) this.requestDraw();
    else this.draw();
    if (!before) this.demonstrateOnce(head);
  }

  /** Limit the wall to a class, -1 for all classes. @param {number} c */
  showClass(c) {
    this.shownClass = c < 0 ? null : c;
    this.select.value = c < 0 ? "" : String(c);
  }

  /** On a first visit, move the ruler once to show its effect. @param {Instrument} head */
  demonstrateOnce(head) {
    if (prefersReducedMotion() || this.hasStops || head.pending?.covers || this.value !== 0) return;
    try {
      if (localStorage.getItem(PLAYED)) return;
      localStorage.setItem(PLAYED, "1");
    } catch {
      return; // without storage this would repeat on each visit
    }
    this.demoTimer = setTimeout(() => this.play(), 1200);
  }

  /** Move the ruler from end to end, and back to its position. */
  play() {
    if (!this.head || this.playing) return;
    const back = this.value;
    this.playing = true;
    this.elements.play.setAttribute("aria-label", "Pause");
    this.animateValue(Number(this.slider.min), Number(this.slider.max), SWEEP, () => {
      this.glideTo(back);
      this.stopPlayback(false);
    });
  }

  /** Stop the playback. @param {boolean} stops whether the ruler keeps its position */
  stopPlayback(stops = true) {
    clearTimeout(this.demoTimer);
    if (!this.playing) return;
    this.playing = false;
    if (stops) cancelAnimationFrame(this.animation);
    this.elements.play.setAttribute("aria-label", "Play");
  }

  /** Show why there are no predictions, and the button that computes them. @param {Instrument["pending"]} pending */
  showPending(pending) {
    this.elements.pending.hidden = !pending;
    this.root.classList.toggle("waiting", Boolean(pending?.covers));
    findElement(this.elements.pending, "p", HTMLElement).textContent = pending?.words ?? "";
    const command = findElement(this.elements.pending, "code", HTMLElement);
    command.textContent = pending?.command ?? "";
    command.hidden = !pending?.command;
    this.runButton.textContent = pending?.button ?? "";
    this.runButton.hidden = !pending?.button;
  }

  /** Reset the choices of the previous data set. @param {Instrument} head */
  resetForDataSet({ images, noun }) {
    this.closeImage();
    const all = new Option(`all ${noun[1]}`, "");
    this.select.replaceChildren(all, ...images.classes.map((name, c) =>
      new Option(`${images.seen[c] ? "●" : "◆"} ${name}`, String(c))));
  }

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

  /** Switch curve, images and predictions to the stop; return whether they changed. */
  switchStop() {
    const head = /** @type {Instrument} */ (this.head), frame = head.frames[this.stopIndex];
    if (!frame || frame.images === head.images) return false;
    const { lines, images, answers, alt } = frame;
    Object.assign(head, { lines, images, answers, alt });
    return true;
  }

  /** Show the meaning of the ruler, or why it cannot move. @param {Instrument["ruler"]} ruler
   * @param {boolean} steps */
  showRuler({ kind, note, spoken }, steps) {
    for (const each of this.rulerInputs) each.checked = each.value === kind;
    const still = kind !== "gamma" && !steps;
    this.elements.what.textContent = EXPLANATIONS[kind];
    this.elements.note.textContent = note;
    this.elements.note.hidden = !still;
    this.root.classList.toggle("still", still);
    this.slider.setAttribute("aria-label", steps ? labelValue(spoken, "").trim()
      : "Gamma, subtracted from the scores of seen classes");
  }

  /** @override @param {Instrument} head */
  applyTheme(head) {
    super.applyTheme(head);
    this.wall.applyTheme();
  }

  /** Fit the form to the height of the window, without scrolling, unless the window is narrow. */
  fitHeight() {
    if (!this.head || !this.width) return;
    const wide = this.width >= WIDE;
    const top = this.root.getBoundingClientRect().top + findScrollOffset(this.root);
    const room = innerHeight - top - this.head.below;
    const fixed = FIXED_BESIDE - (this.rulerInputs[0].offsetParent ? 0 : KINDS);
    const tall = Math.floor(wide ? Math.max(LOWEST, Math.min(room, greatestHeight(this.width)))
      : Math.max(LEAST_BESIDE, Math.min(room - fixed - this.choices.offsetHeight, heightBeside(this.width, 1.6))));
    if (tall === this.height && wide === this.isWide && this.plane) return;
    Object.assign(this, { height: tall, isWide: wide });
    this.root.style.height = wide ? `${tall}px` : "";
    this.draw();
  }

  /** @override */
  draw() {
    const { head, width } = this;
    if (!head || !width) return;
    if (this.isWide !== width >= WIDE) return this.fitHeight();
    this.root.classList.add("ready");
    this.root.classList.toggle("wide", width >= WIDE);
    this.root.classList.toggle("narrow", width < MEDIUM);
    const { dataset, method } = head.rail.chosen;
    this.elements.summary.textContent =
      `${findTitle(head.rail, dataset)} · ${method}`;
    if (this.isFolded !== width < WIDE) this.choices.open = width >= WIDE;
    this.isFolded = width < WIDE;
    const longest = [...head.ruler.words].sort((a, b) => b.length - a.length)[0] ?? "";
    this.elements.gamma.style.minWidth = "";
    this.elements.gamma.textContent = labelValue(head.ruler.symbol, longest);
    this.elements.gamma.style.minWidth = `${this.elements.gamma.offsetWidth}px`;
    this.writeNumbers(this.pointOf(this.value));
    this.drawStops();
    const room = this.measureStage(width);
    this.drawPlane(head, room.side);
    const track = { left: 8, right: this.elements.track.clientWidth - 8 };
    if (this.hasStops) this.alignSlider(track, [0, head.frames.length - 1], 1);
    else this.alignSlider(track, this.line.limits, "any");
    this.drawTrackMarks(track);
    this.tally = new Tally(head.images);
    const { images, lines } = head.frames[head.ruler.reference] ?? head;
    const first = new Tally(images).moveTo(this.hasStops ? lines[0].start : 0);
    const plain = Float64Array.from(first.accuracy);
    this.classes = new ClassBars(this.canvases.classes, room.wall, head.images, plain, this.sides, BARS);
    this.layOutWall(room.wall, room.tall);
    this.drawValue();
    this.updateDescriptions();
  }

  /** Arrange the wall, and say whether images are left out.
   * @param {number} width @param {number} height */
  layOutWall(width, height) {
    const head = /** @type {Instrument} */ (this.head);
    this.wall.layOut(head, width, height, this.shownClass);
    const every = this.wall.slots?.every ?? 1;
    this.select.options[0].text = `all ${head.noun[1]}${every > 1 ? `, 1 in ${every}` : ""}`;
    this.select.title = every > 1 ? `1 in ${every} images is shown; choose a class to see more` : "";
  }

  /** @param {Instrument} head @param {number} side */
  drawPlane(head, side) {
    this.side = side;
    this.plane = new Plane(this.drawing, side, head, (method) => this.sendChoice({ method }),
      (name, u, v) => this.showOtherMethod(name, u, v));
  }

  /** Side of the plane, width and height of the wall. @param {number} width */
  measureStage(width) {
    const wide = width >= WIDE, stage = this.elements.stage.clientWidth;
    if (width < MEDIUM) return { side: width - EXTRA_WIDTH - 2, wall: width, tall: 340 };
    const free = wide ? this.elements.trade.clientHeight : this.height;
    const share = !wide ? 0.5 : free > 0.62 * stage ? TALL_SHARE : 0.48;
    const most = Math.min(share * stage, stage - GUTTER - LEAST_WALL) - EXTRA_WIDTH;
    const side = Math.max(200, Math.min(free - 54, most));
    return { side, wall: Math.floor(stage - side - EXTRA_WIDTH - GUTTER), tall: free - BARS - HEADS };
  }

  /** The place at the validated gamma, if there is one. */
  get validatedPoint() {
    const stop = this.line.stops.find(({ look }) => look === "validated");
    return stop && pointAt(this.line, stop.gamma);
  }

  /** The position to which classes are compared. */
  get referenceName() {
    const { ruler } = /** @type {Instrument} */ (this.head);
    return this.hasStops ? labelValue(ruler.symbol, ruler.words[ruler.reference]) : "γ 0";
  }

  /** Places of the ruler that have a name. */
  get namedValues() {
    const { ruler } = /** @type {Instrument} */ (this.head);
    if (this.hasStops) return ruler.named.map(({ name, place, look }) =>
      ({ name, value: place, look, words: labelValue(ruler.symbol, ruler.words[place]) }));
    return this.line.stops.map(({ name, gamma, look }) =>
      ({ name, value: gamma, look, words: `γ ${formatNumber(gamma)}` }));
  }

  drawStops() {
    this.drawStopButtons(this.namedValues.map(({ name, value, look, words }) => ({
      title: `Go to ${words}: ${name}`, words: name, value, look, hollow: look === "plain" })));
  }

  /** The symbol of each named place above the ruler, and a tooth at each stop.
   * @param {{ left: number, right: number }} track */
  drawTrackMarks({ left, right }) {
    const { looks, frames } = /** @type {Instrument} */ (this.head);
    const low = Number(this.slider.min), high = Number(this.slider.max);
    /** @param {number} value */
    const at = (value) => left + ((value - low) / (high - low)) * (right - left);
    const isNear = this.namedValues.map(({ value }, k) => this.namedValues.slice(0, k).some((other) =>
      Math.abs(at(value) - at(other.value)) < 11));
    /** @param {number} value @param {SVGElement} what */
    const put = (value, what) => {
      const made = createSvg("svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }, what);
      made.style.left = `${at(value)}px`;
      return made;
    };
    this.elements.marks.replaceChildren(
      ...frames.map((_, k) => put(k, createSvg("path", { class: "tooth", d: "M0 3V6" }))),
      ...this.namedValues.map(({ value, look }, k) => {
        const made = put(value, createSvg("path", { class: look === "plain" ? "hollow" : "dot",
          d: symbolPath(looks[look].symbol, 0, 0, 4.5), style: `--ink: var(--${look})` }));
        if (isNear[k]) made.style.top = "19px"; // below the ruler, where it touches another
        return made;
      }));
  }

  // --- Movement ---------------------------------------------------------------------------------

  /** @override */
  drawValue() {
    const { head } = this;
    if (!head || !this.plane || !this.tally || !this.classes) return;
    if (this.switchStop()) {
      this.drawPlane(head, this.side);
      this.tally = new Tally(head.images);
      this.wall.createSlots(head);
    }
    const { gamma, plane, tally } = this, place = pointAt(this.line, gamma);
    const first = this.hasStops ? head.ruler.reference : 0;
    if (!this.playing && this.value !== first) this.wasMoved = true;
    this.writeNumbers(place);
    plane.moveTo(place);
    plane.showHint(!this.wasMoved, place);
    this.classes.update(tally.moveTo(gamma).accuracy);
    this.wall.moveTo(tally.switched);
    this.writeCounts(head, tally.switched);
    if (this.imageCard.image >= 0) this.imageCard.show(head, this.imageCard.image, gamma);
  }

  /** Position of a value of the ruler on the plane. @param {number} value */
  pointOf(value) {
    const frame = this.head?.frames[Math.round(value)], [line] = frame?.lines ?? [this.line];
    return pointAt(line, frame ? line.start : value);
  }

  /** @param {CurvePoint} place */
  writeNumbers(place) {
    const { gamma } = place;
    const head = /** @type {Instrument} */ (this.head), { noun, ruler, frames } = head;
    const word = ruler.words[this.stopIndex];
    this.writeAccuracies(place);
    const trade = describeTrade(place, pointAt(this.line, 0), noun[1], this.validatedPoint);
    const words = this.hasStops ? describeStop(ruler, stopPoints(frames), this.stopIndex, noun[1])
      : `${trade.gamma} ${trade.words}`.trim();
    this.elements.sentence.textContent = keepTogether(words);
    this.elements.gamma.textContent = this.hasStops ? labelValue(ruler.symbol, word)
      : `γ = ${formatNumber(gamma)}`;
    const here = this.hasStops ? this.stopIndex : gamma;
    const name = this.namedValues.filter(({ value }) => value === here).map((each) => each.name).join(", ");
    const spoken = this.hasStops ? labelValue(ruler.spoken, word) : `gamma ${formatNumber(gamma)}`;
    this.updateSlider(here, `${spoken}${name ? `, ${name}` : ""}`, place);
  }

  /** Write u, s and H, spelled out where there is room. @param {CurvePoint} place */
  writeAccuracies({ gamma, unseen, seen, harmonic }) {
    const [u, s, h, at] = this.elements.numbers, { method } = /** @type {Instrument} */ (this.head).rail.chosen;
    const hasRoom = this.elements.pending.hidden, spelled = hasRoom && this.width >= MEDIUM;
    const isHidden = this.choices.offsetHeight === 0, accuracy = spelled && this.isWide ? "accuracy " : "";
    u.textContent = `◆ ${hasRoom ? `unseen ${accuracy}` : ""}u ${formatPercent(unseen)}`;
    s.textContent = `● ${hasRoom ? `seen ${accuracy}` : ""}s ${formatPercent(seen)}`;
    h.textContent = `${spelled && !(isHidden && this.hasStops) ? "harmonic mean " : ""}H ${formatPercent(harmonic)}`;
    at.textContent = [isHidden && spelled && findMethodTitle(this.head, method),
      this.hasStops && `γ ${formatNumber(gamma)}, validated`].filter(Boolean).join(", ");
  }

  /** @param {Instrument} head @param {number} changed */
  writeCounts({ images }, changed) {
    const [left, right] = this.elements.sides, as = this.wall.width < 400 ? "as" : "predicted as";
    left.textContent = `${formatCount(images.n - changed)} ${as} seen`;
    right.textContent = `${formatCount(changed)} ${as} unseen`;
  }

  /** Describe the canvases for screen readers. @override */
  updateDescriptions() {
    const { head, tally, classes } = this;
    if (!head || !tally || !classes) return;
    this.drawing.setAttribute("aria-label", `${head.alt} ${this.plane?.alt ?? ""}`);
    const [a, b, c, d, e, f] = tally.outcomes;
    this.canvases.wall.setAttribute("aria-label", `${formatCount(head.images.n)} test images. ` +
      `Of ${formatCount(a + b + c)} images of unseen ${head.noun[1]}, ${formatCount(a)} are right ` +
      `and ${formatCount(c)} are predicted as seen; of ${formatCount(d + e + f)} images of seen ` +
      `${head.noun[1]}, ${formatCount(d)} are right and ${formatCount(f)} are predicted as unseen.`);
    this.canvases.classes.setAttribute("aria-label", classes.alt);
  }

  // --- Actions of the visitor -------------------------------------------------------------------

  listen() {
    const { wall, classes } = this.canvases;
    this.listenToPlot(this.drawing,
      (u, v) => (this.hasStops ? this.plane?.findNearestStop(u, v) : this.plane?.gammaAt(u, v)),
      (value) => this.showHover(value));
    const { play } = this.elements;
    play.hidden = prefersReducedMotion();
    play.addEventListener("click", () => {
      if (!this.playing) return this.play();
      this.stopPlayback();
      this.scheduleSend(0);
    });
    for (const touch of ["pointerdown", "keydown"])
      this.root.addEventListener(touch, (event) => {
        if (!event.composedPath().includes(play)) this.stopPlayback();
      }, true);
    for (const each of this.rulerInputs) each.addEventListener("change", () => this.send("ruler", each.value));
    // The time makes the values of Run and Cancel differ: an equal value would send no event.
    this.runButton.addEventListener("click", () => this.send("run", performance.now()));
    this.select.addEventListener("change", () =>
      this.filterClass(this.select.value === "" ? null : Number(this.select.value)));
    wall.addEventListener("pointermove", ({ offsetX, offsetY }) => this.showImageTooltip(offsetX, offsetY));
    wall.addEventListener("pointerleave", () => this.hideTooltip());
    wall.addEventListener("click", ({ offsetX, offsetY }) =>
      this.openImage(this.wall.imageAt(offsetX, offsetY)));
    classes.addEventListener("pointermove", (event) =>
      this.showClassTooltip(event, classes, this.referenceName, ". Click to show only its images"));
    classes.addEventListener("pointerleave", () => this.hideTooltip());
    classes.addEventListener("click", ({ offsetX }) => {
      const c = this.classes?.classAt(offsetX) ?? null;
      this.filterClass(c === this.shownClass ? null : c);
    });
  }

  /** Send a choice, together with earlier choices that are not shown yet. @param {Partial<Choice>} change */
  sendChoice(change) {
    this.pendingChoice = { ...this.pendingChoice, ...change };
    this.send("choice", { ...this.pendingChoice, at: performance.now() }); // a repeated choice counts, too
  }

  /** Show the images of one class alone, or of all. @param {number | null} only */
  filterClass(only) {
    if (!this.head) return;
    this.shownClass = only;
    this.select.value = only === null ? "" : String(only);
    this.layOutWall(this.wall.width, this.wall.height);
    this.requestDraw();
    this.send("only", only === null ? "" : this.head.images.classes[only]);
  }

  /** Show an image large. @param {number} k in the order of changes */
  openImage(k) {
    if (!this.head || k < 0 || k >= this.head.images.n) return this.closeImage();
    this.hideTooltip();
    this.imageCard.show(this.head, this.head.answers.order[k], this.gamma);
  }

  /** Show the neighbour of the image that is shown large. @param {1 | -1} way */
  openNeighbour(way) {
    this.openImage((this.head?.answers.order.indexOf(this.imageCard.image) ?? -1) + way);
  }

  closeImage() {
    this.imageCard.hide();
  }

  // --- Hover ------------------------------------------------------------------------------------

  /** @param {number | null} value */
  showHover(value) {
    const place = value === null ? null : this.pointOf(value);
    this.plane?.showCrosshair(place);
    this.plane?.highlightMethod(null);
    if (!place || !this.plane) return this.hideTooltip();
    const { ruler } = /** @type {Instrument} */ (this.head);
    const named = this.hasStops ? labelValue(ruler.symbol, ruler.words[Number(value)])
      : `γ = ${formatNumber(place.gamma)}`;
    this.showPointTooltip(this.drawing, this.plane.tooltipPlace(place), named, place);
  }

  /** Name the other curve under the pointer. @param {string | null} name @param {number} u
   * @param {number} v */
  showOtherMethod(name, u, v) {
    if (this.dragging) return;
    this.plane?.showCrosshair(null);
    this.plane?.highlightMethod(name);
    if (name) this.showTooltip(this.drawing, u, v, `${findMethodTitle(this.head, name)}: click to choose it`);
    else this.hideTooltip();
  }

  /** @param {number} u @param {number} v */
  showImageTooltip(u, v) {
    const k = this.wall.imageAt(u, v);
    this.canvases.wall.style.cursor = k < 0 ? "" : "pointer";
    if (k < 0 || !this.head) return this.hideTooltip();
    const { title, answer } = describeImage(this.head, k, this.gamma);
    this.showTooltip(this.canvases.wall, u, v, `${title}. ${answer}`);
  }
}

/** Height above which plane and wall do not fit into the window together. @param {number} width */
function greatestHeight(width) {
  return FIXED_HEIGHT + heightBeside(width - RAIL_WIDTH, 1.35);
}

/** Height of the wall next to the largest plane. @param {number} width of both
 * @param {number} factor of the plane's height */
function heightBeside(width, factor) {
  return 54 + factor * (TALL_SHARE * width - EXTRA_WIDTH);
}

/** @param {Instrument["rail"]} rail @param {string} dataset */
function findTitle({ tiles, simulated }, dataset) {
  return [...tiles, ...simulated].find(({ key }) => key === dataset)?.title ?? dataset;
}

/** Name of a method in tables. @param {Instrument | null} head @param {string} name */
function findMethodTitle(head, name) {
  const chips = Object.values(head?.rail.families ?? {}).flat();
  return chips.find((chip) => chip.name === name)?.words ?? name;
}

/** Scroll offset of the container of an element. @param {Element} element */
function findScrollOffset(element) {
  let by = 0;
  const host = element.getRootNode();
  for (let each = host instanceof ShadowRoot ? host.host : element.parentElement; each;
    each = each.parentElement) by += each.scrollTop;
  return by;
}
