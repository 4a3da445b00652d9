// @ts-check
// The instrument of the first page: one ruler moves the curve's handle, the wall of images, the bars
// of classes and one sentence. It sets gamma, or it has stops with their own predictions: values of
// lambda or numbers of unlabelled images. Choices and released positions are sent to the server.

import { Classes } from "../../../zslcore/interactive/classes.js";
import { placeAt } from "../../../zslcore/interactive/curve.js";
import { mounted, partOf } from "../../../zslcore/interactive/dom.js";
import { Held, stillness } from "../../../zslcore/interactive/held.js";
import { counted, percent, threeDigits, together } from "../../../zslcore/interactive/numbers.js";
import { path } from "../../../zslcore/interactive/symbols.js";
import { shape } from "../../../zslcore/interactive/svg.js";
import { Tally } from "../../../zslcore/interactive/tally.js";
import { BESIDE } from "../../../zslcore/interactive/trade.js";
import { Opened, wordsOf } from "./opened.js";
import { Plane, placesOf } from "./plane.js";
import { Choices } from "./rail.js";
import { tradeOf, tradeOfStop, valued } from "./sentence.js";
import { Wall } from "./wall.js";
import { unpack } from "./wire.js";

/** @import { Place } from "../../../zslcore/interactive/curve.js" */
/** @import { Say } from "../../../zslcore/interactive/held.js" */
/** @import { Choice, Instrument } from "./wire.js" */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Say }} component */
export default function ({ data, parentElement, setStateValue }) {
  return mounted(parentElement, () => new Playground(parentElement), (playground) => {
    playground.say = setStateValue;
    playground.show(unpack(data));
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
const WHAT = { gamma: "γ is subtracted from the scores of all seen classes.",
  lambda: "λ is how strongly the method is regularised; γ is validated at each λ.",
  images: "Number of test images used in training, without their labels." };
const GUTTER = 24;

/** @extends {Held<Instrument>} */
export class Playground extends Held {
  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, "gamma");
    this.drawing = partOf(parent, ".trade > svg", SVGSVGElement);
    this.canvases = { wall: partOf(parent, ".wall > canvas", HTMLCanvasElement),
      classes: partOf(parent, ".classes > canvas", HTMLCanvasElement) };
    /** @param {string} name */
    const place = (name) => partOf(parent, name, HTMLElement);
    this.places = { sentence: place(".sentence"), numbers: [".u", ".s", ".h", ".at"].map(place),
      gamma: place(".g"), sides: [".left", ".right"].map(place), stage: place(".stage"),
      pending: place(".pending"), trade: place(".trade"), marks: place(".marks"),
      note: place(".note"), track: place(".track"), what: place(".what"),
      play: place(".play"), summary: place(".choices > summary") };
    this.choices = partOf(parent, ".choices", HTMLDetailsElement);
    this.kinds = [...place(".kinds").querySelectorAll("input")];
    this.select = partOf(parent, "select", HTMLSelectElement);
    this.runs = partOf(parent, ".pending button", HTMLButtonElement);
    this.rail = new Choices(place(".rail"), (change) => this.choose(change),
      () => this.say("bring", performance.now()));
    this.wall = new Wall(this.canvases.wall, stillness);
    this.opened = new Opened(place(".opened"), (way) => this.openBeside(way), () => this.shut());
    /** @type {Plane | null} */
    this.plane = null;
    /** @type {number | null} the only class on the wall; null for all classes */
    this.only = null;
    this.touched = false;
    this.playing = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.soon = undefined;
    /** @type {Partial<Choice>} choices that are not shown yet */
    this.asked = {};
    /** @type {boolean | null} whether the choices are folded into a line */
    this.folded = null;
    this.tall = 0;
    /** @type {boolean | null} whether the height is that of the wide form */
    this.wide = null;
    this.side = 0;
    this.onResize = () => this.fitHeight();
    window.addEventListener("resize", this.onResize);
    this.listen();
  }

  /** @override */
  close() {
    super.close();
    window.removeEventListener("resize", this.onResize);
    clearTimeout(this.soon);
    this.wall.close();
  }

  // --- Display ----------------------------------------------------------------------------------

  /** @param {Instrument} head */
  show(head) {
    const before = this.head;
    const steps = head.frames.length > 0;
    this.name = steps ? "place" : "gamma";
    const same = this.receive(head, steps ? head.ruler.start : head.lines[0].start, true);
    if (!same) this.rest();
    this.turn();
    this.ruled(head.ruler, steps);
    if (before?.wall !== head.wall) this.forget(head);
    if (JSON.stringify(before?.rail.chosen) !== JSON.stringify(head.rail.chosen)) this.asked = {};
    this.rail.show(head.rail);
    this.wait(head.pending);
    this.showOnly(head.images.classes.indexOf(head.only));
    if (same && this.plane && before?.ghosts.length === head.ghosts.length &&
      before.only === head.only) this.ask();
    else this.build();
    if (!before) this.welcome(head);
  }

  /** Limit the wall to a class, -1 for all classes. @param {number} c */
  showOnly(c) {
    this.only = c < 0 ? null : c;
    this.select.value = c < 0 ? "" : String(c);
  }

  /** On a first visit, move the ruler once to show its effect. @param {Instrument} head */
  welcome(head) {
    if (stillness() || this.steps || head.pending?.covers || this.value !== 0) return;
    try {
      if (localStorage.getItem(PLAYED)) return;
      localStorage.setItem(PLAYED, "1");
    } catch {
      return; // without storage this would repeat on each visit
    }
    this.soon = setTimeout(() => this.play(), 1200);
  }

  /** Move the ruler from end to end, and back to its position. */
  play() {
    if (!this.head || this.playing) return;
    const back = this.value;
    this.playing = true;
    this.places.play.setAttribute("aria-label", "Pause");
    this.travel(Number(this.range.min), Number(this.range.max), SWEEP, () => {
      this.glide(back);
      this.rest(false);
    });
  }

  /** Stop the playback. @param {boolean} stops whether the ruler keeps its position */
  rest(stops = true) {
    clearTimeout(this.soon);
    if (!this.playing) return;
    this.playing = false;
    if (stops) cancelAnimationFrame(this.gliding);
    this.places.play.setAttribute("aria-label", "Play");
  }

  /** Show why there are no predictions, and the button that computes them. @param {Instrument["pending"]} pending */
  wait(pending) {
    this.places.pending.hidden = !pending;
    this.root.classList.toggle("waiting", Boolean(pending?.covers));
    partOf(this.places.pending, "p", HTMLElement).textContent = pending?.words ?? "";
    const command = partOf(this.places.pending, "code", HTMLElement);
    command.textContent = pending?.command ?? "";
    command.hidden = !pending?.command;
    this.runs.textContent = pending?.button ?? "";
    this.runs.hidden = !pending?.button;
  }

  /** Reset the choices of the previous data set. @param {Instrument} head */
  forget({ images, noun }) {
    this.shut();
    const all = new Option(`all ${noun[1]}`, "");
    this.select.replaceChildren(all, ...images.classes.map((name, c) =>
      new Option(`${images.seen[c] ? "●" : "◆"} ${name}`, String(c))));
  }

  /** Whether the ruler goes from stop to stop. @override */
  get steps() {
    return Boolean(this.head?.frames.length);
  }

  /** The stop where the ruler is. */
  get stop() {
    return Math.round(this.value);
  }

  /** The gamma of the wall: the ruler's, or the gamma of its stop. */
  get gamma() {
    return this.steps ? this.line.start : this.value;
  }

  /** A gamma rounded to the needed digits, or a stop. @override @param {number} value */
  meant(value) {
    return this.steps ? Math.round(value) : super.meant(value);
  }

  /** Switch curve, images and predictions to the stop; return whether they changed. */
  turn() {
    const head = /** @type {Instrument} */ (this.head), frame = head.frames[this.stop];
    if (!frame || frame.images === head.images) return false;
    const { lines, images, answers, alt } = frame;
    Object.assign(head, { lines, images, answers, alt });
    return true;
  }

  /** Show the meaning of the ruler, or why it cannot move. @param {Instrument["ruler"]} ruler
   * @param {boolean} steps */
  ruled({ kind, note, spoken }, steps) {
    for (const each of this.kinds) each.checked = each.value === kind;
    const still = kind !== "gamma" && !steps;
    this.places.what.textContent = WHAT[kind];
    this.places.note.textContent = note;
    this.places.note.hidden = !still;
    this.root.classList.toggle("still", still);
    this.range.setAttribute("aria-label", steps ? valued(spoken, "").trim()
      : "Gamma, subtracted from the scores of seen classes");
  }

  /** @override @param {Instrument} head */
  recolor(head) {
    super.recolor(head);
    this.wall.recolor();
  }

  /** Fit the form to the height of the window, without scrolling, unless the window is narrow. */
  fitHeight() {
    if (!this.head || !this.width) return;
    const wide = this.width >= WIDE;
    const top = this.root.getBoundingClientRect().top + scrolledBy(this.root);
    const room = innerHeight - top - this.head.below;
    const fixed = FIXED_BESIDE - (this.kinds[0].offsetParent ? 0 : KINDS);
    const tall = Math.floor(wide ? Math.max(LOWEST, Math.min(room, mostTall(this.width)))
      : Math.max(LEAST_BESIDE, Math.min(room - fixed - this.choices.offsetHeight, tallBeside(this.width, 1.6))));
    if (tall === this.tall && wide === this.wide && this.plane) return;
    Object.assign(this, { tall, wide });
    this.root.style.height = wide ? `${tall}px` : "";
    this.build();
  }

  /** @override */
  build() {
    const { head, width } = this;
    if (!head || !width) return;
    if (this.wide !== width >= WIDE) return this.fitHeight();
    this.root.classList.add("ready");
    this.root.classList.toggle("wide", width >= WIDE);
    this.root.classList.toggle("narrow", width < MEDIUM);
    const { dataset, method } = head.rail.chosen;
    this.places.summary.textContent =
      `${titleOf(head.rail, dataset)} · ${method}`;
    if (this.folded !== width < WIDE) this.choices.open = width >= WIDE;
    this.folded = width < WIDE;
    const longest = [...head.ruler.words].sort((a, b) => b.length - a.length)[0] ?? "";
    this.places.gamma.style.minWidth = "";
    this.places.gamma.textContent = valued(head.ruler.symbol, longest);
    this.places.gamma.style.minWidth = `${this.places.gamma.offsetWidth}px`;
    this.write(this.placeOf(this.value));
    this.drawStops();
    const room = this.measured(width);
    this.drawPlane(head, room.side);
    const track = { left: 8, right: this.places.track.clientWidth - 8 };
    if (this.steps) this.layRange(track, [0, head.frames.length - 1], 1);
    else this.layRange(track, this.line.limits, "any");
    this.mark(track);
    this.tally = new Tally(head.images);
    const { images, lines } = head.frames[head.ruler.reference] ?? head;
    const first = new Tally(images).move(this.steps ? lines[0].start : 0);
    const plain = Float64Array.from(first.accuracy);
    this.classes = new Classes(this.canvases.classes, room.wall, head.images, plain, this.sides, BARS);
    this.wall.lay(head, room.wall, room.tall, this.only);
    this.paint();
    this.describe();
  }

  /** @param {Instrument} head @param {number} side */
  drawPlane(head, side) {
    this.side = side;
    this.plane = new Plane(this.drawing, side, head, (method) => this.choose({ method }),
      (name, u, v) => this.nameGhost(name, u, v));
  }

  /** Side of the plane, width and height of the wall. @param {number} width */
  measured(width) {
    const wide = width >= WIDE, stage = this.places.stage.clientWidth;
    if (width < MEDIUM) return { side: width - BESIDE - 2, wall: width, tall: 340 };
    const free = wide ? this.places.trade.clientHeight : this.tall;
    const share = !wide ? 0.5 : free > 0.62 * stage ? TALL_SHARE : 0.48;
    const most = Math.min(share * stage, stage - GUTTER - LEAST_WALL) - BESIDE;
    const side = Math.max(200, Math.min(free - 54, most));
    return { side, wall: Math.floor(stage - side - BESIDE - GUTTER), tall: free - BARS - HEADS };
  }

  /** The place at the validated gamma, if there is one. */
  get validated() {
    const stop = this.line.stops.find(({ look }) => look === "validated");
    return stop && placeAt(this.line, stop.gamma);
  }

  /** The position to which classes are compared. */
  get first() {
    const { ruler } = /** @type {Instrument} */ (this.head);
    return this.steps ? valued(ruler.symbol, ruler.words[ruler.reference]) : "γ 0";
  }

  /** Places of the ruler that have a name. */
  get marked() {
    const { ruler } = /** @type {Instrument} */ (this.head);
    if (this.steps) return ruler.named.map(({ name, place, look }) =>
      ({ name, value: place, look, words: valued(ruler.symbol, ruler.words[place]) }));
    return this.line.stops.map(({ name, gamma, look }) =>
      ({ name, value: gamma, look, words: `γ ${threeDigits(gamma)}` }));
  }

  drawStops() {
    this.drawNamed(this.marked.map(({ name, value, look, words }) => ({
      title: `Go to ${words}: ${name}`, words: name, value, look, hollow: look === "plain" })));
  }

  /** The symbol of each named place above the ruler, and a tooth at each stop.
   * @param {{ left: number, right: number }} track */
  mark({ left, right }) {
    const { looks, frames } = /** @type {Instrument} */ (this.head);
    const low = Number(this.range.min), high = Number(this.range.max);
    /** @param {number} value */
    const at = (value) => left + ((value - low) / (high - low)) * (right - left);
    const isNear = this.marked.map(({ value }, k) => this.marked.slice(0, k).some((other) =>
      Math.abs(at(value) - at(other.value)) < 11));
    /** @param {number} value @param {SVGElement} what */
    const put = (value, what) => {
      const made = shape("svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }, what);
      made.style.left = `${at(value)}px`;
      return made;
    };
    this.places.marks.replaceChildren(
      ...frames.map((_, k) => put(k, shape("path", { class: "tooth", d: "M0 3V6" }))),
      ...this.marked.map(({ value, look }, k) => {
        const made = put(value, shape("path", { class: look === "plain" ? "hollow" : "dot",
          d: path(looks[look].symbol, 0, 0, 4.5), style: `--ink: var(--${look})` }));
        if (isNear[k]) made.style.top = "19px"; // below the ruler, where it touches another
        return made;
      }));
  }

  // --- Movement ---------------------------------------------------------------------------------

  /** @override */
  paint() {
    const { head } = this;
    if (!head || !this.plane || !this.tally || !this.classes) return;
    if (this.turn()) {
      this.drawPlane(head, this.side);
      this.tally = new Tally(head.images);
      this.wall.arrange(head);
    }
    const { gamma, plane, tally } = this, place = placeAt(this.line, gamma);
    const first = this.steps ? head.ruler.reference : 0;
    if (!this.playing && this.value !== first) this.touched = true;
    this.write(place);
    plane.move(place);
    plane.invite(!this.touched, place);
    this.classes.move(tally.move(gamma).accuracy);
    this.wall.aim(tally.changed);
    this.count(head, tally.changed);
    if (this.opened.image >= 0) this.opened.show(head, this.opened.image, gamma);
  }

  /** Position of a value of the ruler on the plane. @param {number} value */
  placeOf(value) {
    const frame = this.head?.frames[Math.round(value)], [line] = frame?.lines ?? [this.line];
    return placeAt(line, frame ? line.start : value);
  }

  /** @param {Place} place */
  write(place) {
    const { gamma } = place;
    const head = /** @type {Instrument} */ (this.head), { noun, ruler, frames } = head;
    const word = ruler.words[this.stop];
    this.writeAccuracies(place);
    const trade = tradeOf(place, placeAt(this.line, 0), noun[1], this.validated);
    const words = this.steps ? tradeOfStop(ruler, placesOf(frames), this.stop, noun[1])
      : `${trade.gamma} ${trade.words}`.trim();
    this.places.sentence.textContent = together(words);
    this.places.gamma.textContent = this.steps ? valued(ruler.symbol, word)
      : `γ = ${threeDigits(gamma)}`;
    const here = this.steps ? this.stop : gamma;
    const name = this.marked.filter(({ value }) => value === here).map((each) => each.name).join(", ");
    const spoken = this.steps ? valued(ruler.spoken, word) : `gamma ${threeDigits(gamma)}`;
    this.speak(here, `${spoken}${name ? `, ${name}` : ""}`, place);
  }

  /** Write u, s and H, spelled out where there is room. @param {Place} place */
  writeAccuracies({ gamma, unseen, seen, harmonic }) {
    const [u, s, h, at] = this.places.numbers, { method } = /** @type {Instrument} */ (this.head).rail.chosen;
    const hasRoom = this.places.pending.hidden, spelled = hasRoom && this.width >= MEDIUM;
    const isHidden = this.choices.offsetHeight === 0, accuracy = spelled && this.wide ? "accuracy " : "";
    u.textContent = `◆ ${hasRoom ? `unseen ${accuracy}` : ""}u ${percent(unseen)}`;
    s.textContent = `● ${hasRoom ? `seen ${accuracy}` : ""}s ${percent(seen)}`;
    h.textContent = `${spelled && !(isHidden && this.steps) ? "harmonic mean " : ""}H ${percent(harmonic)}`;
    at.textContent = [isHidden && spelled && method,
      this.steps && `γ ${threeDigits(gamma)}, validated`].filter(Boolean).join(", ");
  }

  /** @param {Instrument} head @param {number} changed */
  count({ images }, changed) {
    const [left, right] = this.places.sides, as = this.wall.width < 400 ? "as" : "predicted as";
    left.textContent = `${counted(images.n - changed)} ${as} seen`;
    right.textContent = `${counted(changed)} ${as} unseen`;
  }

  /** Describe the canvases for screen readers. @override */
  describe() {
    const { head, tally, classes } = this;
    if (!head || !tally || !classes) return;
    this.drawing.setAttribute("aria-label", `${head.alt} ${this.plane?.alt ?? ""}`);
    const [a, b, c, d, e, f] = tally.went;
    this.canvases.wall.setAttribute("aria-label", `${counted(head.images.n)} test images. ` +
      `Of ${counted(a + b + c)} of unseen ${head.noun[1]} ${counted(a)} are right and ` +
      `${counted(c)} are predicted as a seen one; of ${counted(d + e + f)} of seen ` +
      `${head.noun[1]} ${counted(d)} are right and ${counted(f)} are predicted as an unseen one.`);
    this.canvases.classes.setAttribute("aria-label", classes.alt);
  }

  // --- Actions of the visitor -------------------------------------------------------------------

  listen() {
    const { wall, classes } = this.canvases;
    this.follow(this.drawing,
      (u, v) => (this.steps ? this.plane?.stopAt(u, v) : this.plane?.gammaAt(u, v)),
      (value) => this.hover(value));
    const { play } = this.places;
    play.hidden = stillness();
    play.addEventListener("click", () => {
      if (!this.playing) return this.play();
      this.rest();
      this.settle(0);
    });
    for (const touch of ["pointerdown", "keydown"])
      this.root.addEventListener(touch, (event) => {
        if (!event.composedPath().includes(play)) this.rest();
      }, true);
    for (const each of this.kinds) each.addEventListener("change", () => this.say("ruler", each.value));
    // The time makes the values of Run and Cancel differ: an equal value would send no event.
    this.runs.addEventListener("click", () => this.say("run", performance.now()));
    this.select.addEventListener("change", () =>
      this.filter(this.select.value === "" ? null : Number(this.select.value)));
    wall.addEventListener("pointermove", ({ offsetX, offsetY }) => this.tell(offsetX, offsetY));
    wall.addEventListener("pointerleave", () => this.hideTip());
    wall.addEventListener("click", ({ offsetX, offsetY }) =>
      this.open(this.wall.imageAt(offsetX, offsetY)));
    classes.addEventListener("pointermove", (event) =>
      this.tellClass(event, classes, this.first, ". Click: show its images only"));
    classes.addEventListener("pointerleave", () => this.hideTip());
    classes.addEventListener("click", ({ offsetX }) => {
      const c = this.classes?.classAt(offsetX) ?? null;
      this.filter(c === this.only ? null : c);
    });
  }

  /** Send a choice, together with earlier choices that are not shown yet. @param {Partial<Choice>} change */
  choose(change) {
    this.asked = { ...this.asked, ...change };
    this.say("choice", { ...this.asked, at: performance.now() }); // a repeated choice counts, too
  }

  /** Show the images of one class alone, or of all. @param {number | null} only */
  filter(only) {
    if (!this.head) return;
    this.only = only;
    this.select.value = only === null ? "" : String(only);
    this.wall.lay(this.head, this.wall.width, this.wall.height, only);
    this.ask();
    this.say("only", only === null ? "" : this.head.images.classes[only]);
  }

  /** Show an image large. @param {number} k in the order of changes */
  open(k) {
    if (!this.head || k < 0 || k >= this.head.images.n) return this.shut();
    this.hideTip();
    this.opened.show(this.head, this.head.answers.order[k], this.gamma);
  }

  /** Show the neighbour of the image that is shown large. @param {1 | -1} way */
  openBeside(way) {
    this.open((this.head?.answers.order.indexOf(this.opened.image) ?? -1) + way);
  }

  shut() {
    this.opened.hide();
  }

  // --- Hover ------------------------------------------------------------------------------------

  /** @param {number | null} value */
  hover(value) {
    const place = value === null ? null : this.placeOf(value);
    this.plane?.hover(place);
    this.plane?.point(null);
    if (!place || !this.plane) return this.hideTip();
    const { ruler } = /** @type {Instrument} */ (this.head);
    const named = this.steps ? valued(ruler.symbol, ruler.words[Number(value)])
      : `γ = ${threeDigits(place.gamma)}`;
    this.showPlace(this.drawing, this.plane.tipAt(place), named, place);
  }

  /** Name the other curve under the pointer. @param {string | null} name @param {number} u
   * @param {number} v */
  nameGhost(name, u, v) {
    if (this.dragging) return;
    this.plane?.hover(null);
    this.plane?.point(name);
    if (name) this.showTip(this.drawing, u, v, `${name}: click to choose it`);
    else this.hideTip();
  }

  /** @param {number} u @param {number} v */
  tell(u, v) {
    const k = this.wall.imageAt(u, v);
    this.canvases.wall.style.cursor = k < 0 ? "" : "pointer";
    if (k < 0 || !this.head) return this.hideTip();
    const { title, answer } = wordsOf(this.head, k, this.gamma);
    this.showTip(this.canvases.wall, u, v, `${title}. ${answer}`);
  }
}

/** Height above which plane and wall do not fit into the window together. @param {number} width */
function mostTall(width) {
  return FIXED_HEIGHT + tallBeside(width - RAIL_WIDTH, 1.35);
}

/** Height of the wall next to the largest plane. @param {number} width of both
 * @param {number} factor of the plane's height */
function tallBeside(width, factor) {
  return 54 + factor * (TALL_SHARE * width - BESIDE);
}

/** @param {Instrument["rail"]} rail @param {string} dataset */
function titleOf({ tiles, simulated }, dataset) {
  return [...tiles, ...simulated].find(({ key }) => key === dataset)?.title ?? dataset;
}

/** Scroll offset of the container of an element. @param {Element} element */
function scrolledBy(element) {
  let by = 0;
  const host = element.getRootNode();
  for (let each = host instanceof ShadowRoot ? host.host : element.parentElement; each;
    each = each.parentElement) by += each.scrollTop;
  return by;
}
