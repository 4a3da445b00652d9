// @ts-check
// Base class of figures of curves with a draggable value, a gamma or a stop, which follows the pointer
// over a plot, the slider, or a click on a named value. The server receives it at the end of a drag.

import { sidesOf } from "./curves.js";
import { middleGamma, nextPoint, shortGamma } from "./curve.js";
import { isDark, rgb } from "./colors.js";
import { button, onNewPaper, partOf } from "./dom.js";
import { percent } from "./numbers.js";
import { saveAs } from "./picture.js";
import { path } from "./symbols.js";
import { shape } from "./svg.js";

/** @import { Classes } from "./classes.js" */
/** @import { Place } from "./curve.js" */
/** @import { Head } from "./curves.js" */
/** @import { Wanted } from "./picture.js" */
/** @import { Tally } from "./tally.js" */

/** @typedef {(name: string, value: unknown) => void} Say sends a value to the server */

/**
 * @typedef {object} Look look of a line, a mark or a side
 * @property {string} light colour in the light theme
 * @property {string} dark colour in the dark theme
 * @property {string} symbol
 * @property {string} dash pattern of lines, as in SVG
 */

const CALM = 350; // milliseconds after a key press until the value is sent to the server
const GLIDE = 400; // milliseconds of the motion to a named value

/** Whether the visitor wants less motion. */
export function stillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @template {Head} T data of the figure */
export class Held {
  /** @param {ParentNode} parent @param {string} name name of the value on the server */
  constructor(parent, name) {
    this.name = name;
    this.root = partOf(parent, ".whole", HTMLElement);
    this.range = partOf(parent, "input[type=range]", HTMLInputElement);
    this.tip = partOf(parent, ".tip", HTMLElement);
    this.named = partOf(parent, ".stops", HTMLElement);
    /** @type {Say} */
    this.say = () => {};
    /** @type {T | null} */
    this.head = null;
    this.chosen = 0;
    /** @type {Tally | null} */
    this.tally = null;
    /** @type {Classes | null} */
    this.classes = null;
    this.value = 0;
    /** @type {number | null} last value from the server */
    this.known = null;
    /** @type {number[]} values sent to the server, without its echo so far */
    this.sent = [];
    this.dragging = false;
    this.frame = 0;
    this.gliding = 0;
    this.width = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    /** @param {Event} event */
    this.hearSave = (event) => this.save(event);
    document.addEventListener("zsl-save", this.hearSave);
    onNewPaper(this.root, () => {
      if (this.head) this.recolor(this.head);
      this.build();
    });
    this.listenToRange();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener("zsl-save", this.hearSave);
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.gliding);
    clearTimeout(this.later);
  }

  // --- Overridden by figures --------------------------------------------------------------------

  /** Draw everything for the current width. */
  build() {}

  /** Move the moving parts to the current value. */
  paint() {}

  /** Update texts for screen readers; not in every frame, which would be too fast to follow. */
  describe() {}

  /** Whether the slider goes from stop to stop, not over all gammas. */
  get steps() {
    return false;
  }

  /** Return the value for a position of the slider, a gamma with few digits. @param {number} value */
  meant(value) {
    return shortGamma(this.line, value);
  }

  /** Whether the server receives the value at the end of a drag. */
  get tells() {
    return true;
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** The curve on which the value moves. */
  get line() {
    return /** @type {T} */ (this.head).lines[this.chosen];
  }

  get sides() {
    return sidesOf(/** @type {T} */ (this.head));
  }

  /**
   * Replace the data; return whether the key is unchanged.
   * @param {T} head
   * @param {number} start initial value, or the value on the server
   * @param {boolean} follows whether a changed value on the server moves the shown value
   */
  receive(head, start, follows) {
    const same = this.head !== null && this.head.key === head.key;
    if (!same) this.chosen = 0;
    // The echo of a sent value is ignored, since the visitor may have dragged on meanwhile.
    const echo = this.sent.indexOf(start), moved = start !== this.known && echo < 0;
    this.sent = same && !moved ? this.sent.slice(echo + 1) : [];
    this.known = start;
    this.head = head;
    if (!same || (moved && follows && !this.dragging)) this.value = start;
    this.recolor(head);
    return same;
  }

  /** Set the colours of the current theme. @param {T} head */
  recolor({ looks }) {
    const paper = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim();
    const dark = isDark(`rgb(${rgb(paper || "#fff")})`);
    this.root.style.setProperty("--paper", paper || "#fff");
    for (const [name, look] of Object.entries(looks))
      this.root.style.setProperty(`--${name}`, dark ? look.dark : look.light);
    this.classes?.recolor();
  }

  fit() {
    const width = Math.floor(this.root.getBoundingClientRect().width);
    if (width === this.width || !width) return;
    this.width = width;
    this.build();
  }

  /**
   * Align the slider, so that its thumb is below the line that it moves.
   * @param {{ left: number, right: number }} frame
   * @param {[number, number]} limits
   * @param {number | "any"} step
   */
  layRange({ left, right }, [low, high], step) {
    const thumb = 16;
    this.range.min = String(low);
    this.range.max = String(high);
    this.range.step = String(step);
    this.range.style.marginLeft = `${left - thumb / 2}px`;
    this.range.style.width = `${right - left + thumb}px`;
  }

  /**
   * Draw a button for each named value.
   * @param {{ title: string, words: string, value: number, look: string, hollow: boolean }[]} stops
   */
  drawNamed(stops) {
    const { looks } = /** @type {T} */ (this.head);
    this.named.replaceChildren(...stops.map(({ title, words, value, look, hollow }) => {
      const mark = shape("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" },
        shape("path", { class: hollow ? "hollow" : "dot", d: path(looks[look].symbol, 0, 0, 5),
          style: `--ink: var(--${look})` }));
      return button(title, () => this.glide(value), mark, words);
    }));
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** Set the value, and paint it in the next frame. @param {number} value */
  go(value) {
    this.value = value;
    this.ask();
  }

  ask() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Move smoothly to a value, or at once if the visitor prefers reduced motion.
   * @param {number} value */
  glide(value) {
    this.travel(this.value, value, stillness() ? 0 : GLIDE, () => this.settle(0));
  }

  /**
   * Move from one value to another in a time in milliseconds.
   * @param {number} from
   * @param {number} to
   * @param {number} time
   * @param {() => void} end called at the end
   */
  travel(from, to, time, end) {
    cancelAnimationFrame(this.gliding);
    const begun = performance.now();
    /** @param {number} now */
    const step = (now) => {
      const share = time ? Math.min(1, Math.max(0, now - begun) / time) : 1;
      this.go(share < 1 ? this.meant(from + (to - from) * share) : to);
      if (share < 1) this.gliding = requestAnimationFrame(step);
      else end();
    };
    step(begun);
  }

  /** Send the value to the server at the end of a drag. @param {number} wait in ms */
  settle(wait) {
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.describe();
      if (!this.tells || this.value === (this.sent.at(-1) ?? this.known)) return;
      this.sent.push(this.value);
      this.say(this.name, this.value);
    }, wait);
  }

  // --- Input ------------------------------------------------------------------------------------

  listenToRange() {
    this.range.addEventListener("keydown", (event) => this.step(event));
    this.range.addEventListener("input", () => this.go(this.meant(this.range.valueAsNumber)));
    this.range.addEventListener("pointerdown", () => {
      this.dragging = true;
    });
    this.range.addEventListener("pointerup", () => {
      this.dragging = false;
      this.settle(0);
    });
    this.range.addEventListener("change", () => {
      if (!this.dragging) this.settle(CALM);
    });
  }

  /** Move to the next breakpoint on an arrow key with Shift. @param {KeyboardEvent} event */
  step(event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!event.shiftKey || !way || this.steps) return;
    event.preventDefault();
    const k = nextPoint(this.line, this.value, way > 0 ? 1 : -1);
    if (k === null) return;
    this.go(middleGamma(this.line, k));
    this.settle(CALM); // only the last of several steps is sent
  }

  /** Set the slider, and its text for screen readers. @param {number} value @param {string} words
   * @param {Place} place */
  speak(value, words, { unseen, seen, harmonic }) {
    this.range.value = String(value);
    this.range.setAttribute("aria-valuetext", `${words}: ${this.sides.unseen} accuracy ` +
      `${percent(unseen)}, ${this.sides.seen} accuracy ${percent(seen)}, ` +
      `harmonic mean ${percent(harmonic)}`);
  }

  /**
   * Let a pointer drag the value over a drawing, and report the value below a hovering pointer.
   * @param {SVGSVGElement} drawing
   * @param {(u: number, v: number) => number | null | undefined} valueAt
   * @param {(value: number | null) => void} pass
   */
  follow(drawing, valueAt, pass) {
    /** @param {PointerEvent} event */
    const valueOf = ({ clientX, clientY }) => {
      const box = drawing.getBoundingClientRect();
      return valueAt(clientX - box.left, clientY - box.top);
    };
    /** @param {PointerEvent} event */
    const drag = (event) => {
      const value = valueOf(event);
      if (this.dragging && typeof value === "number") this.go(value);
      else if (typeof value === "number") pass(value);
    };
    const end = () => {
      if (this.dragging) this.settle(0);
      this.dragging = false;
    };
    drawing.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      drawing.setPointerCapture(event.pointerId);
      cancelAnimationFrame(this.gliding);
      this.dragging = true;
      pass(null);
      drag(event);
    });
    drawing.addEventListener("pointermove", drag);
    drawing.addEventListener("pointerup", end);
    drawing.addEventListener("pointercancel", end);
    drawing.addEventListener("pointerleave", () => pass(null));
  }

  /** Save a picture if a menu of the page requests this figure. @param {Event} event */
  save(event) {
    if (!(event instanceof CustomEvent) || !this.head || event.detail.key !== this.head.file) return;
    saveAs(this.root, this.head.alt, /** @type {Wanted} */ (event.detail));
  }

  // --- Tooltip ----------------------------------------------------------------------------------

  /** Show accuracies at a point. @param {Element} anchor @param {number[]} point
   * @param {string} words @param {Place} place */
  showPlace(anchor, [u, v], words, { unseen, seen, harmonic }) {
    this.showTip(anchor, u, v,
      `${words}: u ${percent(unseen)}, s ${percent(seen)}, H ${percent(harmonic)}`);
  }

  /** Show the accuracy of the class under the pointer, now and at a stop. @param {PointerEvent} event
   * @param {HTMLCanvasElement} canvas @param {string} stop @param {string} more */
  tellClass({ offsetX, offsetY }, canvas, stop, more = "") {
    const c = this.classes?.classAt(offsetX) ?? null;
    if (!this.classes || !this.tally || c === null) return this.hideTip();
    const words = this.classes.wordsOf(c, this.tally.accuracy, stop);
    this.showTip(canvas, offsetX, offsetY, words + more);
  }

  /** @param {Element} anchor @param {number} u @param {number} v @param {string} words */
  showTip(anchor, u, v, words) {
    const box = anchor.getBoundingClientRect(), whole = this.root.getBoundingClientRect();
    this.tip.textContent = words;
    this.tip.hidden = false;
    const { width, height } = this.tip.getBoundingClientRect(), at = box.left - whole.left + u;
    this.tip.style.left = `${Math.max(0, Math.min(at + 14, whole.width - width))}px`;
    this.tip.style.top = `${box.top - whole.top + v - height - 10}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }
}
