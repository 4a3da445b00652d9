// @ts-check
// Base class of figures of curves with a draggable value, a gamma or a stop, which follows the pointer
// over a plot, the slider, or a click on a named value. The server receives it at the end of a drag.

import { readSides } from "./curves.js";
import { middleGamma, findNextPoint, roundGamma } from "./curve.js";
import { isDark, readColor } from "./colors.js";
import { createButton, onThemeChange, findElement } from "./dom.js";
import { formatPercent } from "./numbers.js";
import { savePicture } from "./picture.js";
import { symbolPath } from "./symbols.js";
import { createSvg } from "./svg.js";

/** @import { ClassBars } from "./classes.js" */
/** @import { CurvePoint } from "./curve.js" */
/** @import { Head } from "./curves.js" */
/** @import { PictureRequest } from "./picture.js" */
/** @import { Tally } from "./tally.js" */

/** @typedef {(name: string, value: unknown) => void} Send sends a value to the server */

/**
 * @typedef {object} Look look of a line, a mark or a side
 * @property {string} light colour in the light theme
 * @property {string} dark colour in the dark theme
 * @property {string} symbol
 * @property {string} dash pattern of lines, as in SVG
 */

const SEND_DELAY = 350; // milliseconds after a key press until the value is sent to the server
const GLIDE_TIME = 400; // milliseconds of the motion to a named value

/** Whether the visitor wants less motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @template {Head} T data of the figure */
export class CurveFigure {
  /** @param {ParentNode} parent @param {string} name name of the value on the server */
  constructor(parent, name) {
    this.valueName = name;
    this.root = findElement(parent, ".whole", HTMLElement);
    this.slider = findElement(parent, "input[type=range]", HTMLInputElement);
    this.tip = findElement(parent, ".tip", HTMLElement);
    this.stopList = findElement(parent, ".stops", HTMLElement);
    /** @type {Send} */
    this.send = () => {};
    /** @type {T | null} */
    this.head = null;
    this.lineIndex = 0;
    /** @type {Tally | null} */
    this.tally = null;
    /** @type {ClassBars | null} */
    this.classes = null;
    this.value = 0;
    /** @type {number | null} last value from the server */
    this.serverValue = null;
    /** @type {number[]} values sent to the server, without its echo so far */
    this.sentValues = [];
    this.dragging = false;
    this.paintRequest = 0;
    this.animation = 0;
    this.width = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sendTimer = undefined;
    /** @param {Event} event */
    this.onSave = (event) => this.saveIfRequested(event);
    document.addEventListener("zsl-save", this.onSave);
    onThemeChange(this.root, () => {
      if (this.head) this.applyTheme(this.head);
      this.draw();
    });
    this.listenToSlider();
    this.observer = new ResizeObserver(() => this.onWidthChange());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener("zsl-save", this.onSave);
    cancelAnimationFrame(this.paintRequest);
    cancelAnimationFrame(this.animation);
    clearTimeout(this.sendTimer);
  }

  // --- Overridden by figures --------------------------------------------------------------------

  /** Draw everything for the current width. */
  draw() {}

  /** Move the moving parts to the current value. */
  drawValue() {}

  /** Update texts for screen readers; not in every frame, which would be too fast to follow. */
  updateDescriptions() {}

  /** Whether the slider goes from stop to stop, not over all gammas. */
  get hasStops() {
    return false;
  }

  /** Return the value for a position of the slider, a gamma with few digits. @param {number} value */
  roundValue(value) {
    return roundGamma(this.line, value);
  }

  /** Whether the server receives the value at the end of a drag. */
  get sendsValue() {
    return true;
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** The curve on which the value moves. */
  get line() {
    return /** @type {T} */ (this.head).lines[this.lineIndex];
  }

  get sides() {
    return readSides(/** @type {T} */ (this.head));
  }

  /**
   * Replace the data; return whether the key is unchanged.
   * @param {T} head
   * @param {number} start initial value, or the value on the server
   * @param {boolean} follows whether a changed value on the server moves the shown value
   */
  updateData(head, start, follows) {
    const same = this.head !== null && this.head.key === head.key;
    if (!same) this.lineIndex = 0;
    // The echo of a sent value is ignored, since the visitor may have dragged on meanwhile.
    const echo = this.sentValues.indexOf(start), moved = start !== this.serverValue && echo < 0;
    this.sentValues = same && !moved ? this.sentValues.slice(echo + 1) : [];
    this.serverValue = start;
    this.head = head;
    if (!same || (moved && follows && !this.dragging)) this.value = start;
    this.applyTheme(head);
    return same;
  }

  /** Set the colours of the current theme. @param {T} head */
  applyTheme({ looks }) {
    const paper = getComputedStyle(this.root).getPropertyValue("--st-background-color").trim();
    const dark = isDark(`rgb(${readColor(paper || "#fff")})`);
    this.root.style.setProperty("--paper", paper || "#fff");
    for (const [name, look] of Object.entries(looks))
      this.root.style.setProperty(`--${name}`, dark ? look.dark : look.light);
    this.classes?.applyTheme();
  }

  onWidthChange() {
    const width = Math.floor(this.root.getBoundingClientRect().width);
    if (width === this.width || !width) return;
    this.width = width;
    this.draw();
  }

  /**
   * Align the slider, so that its thumb is below the line that it moves.
   * @param {{ left: number, right: number }} frame
   * @param {[number, number]} limits
   * @param {number | "any"} step
   */
  alignSlider({ left, right }, [low, high], step) {
    const thumb = 16;
    this.slider.min = String(low);
    this.slider.max = String(high);
    this.slider.step = String(step);
    this.slider.style.marginLeft = `${left - thumb / 2}px`;
    this.slider.style.width = `${right - left + thumb}px`;
  }

  /**
   * Draw a button for each named value.
   * @param {{ title: string, words: string, value: number, look: string, hollow: boolean }[]} stops
   */
  drawStopButtons(stops) {
    const { looks } = /** @type {T} */ (this.head);
    this.stopList.replaceChildren(...stops.map(({ title, words, value, look, hollow }) => {
      const mark = createSvg("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" },
        createSvg("path", { class: hollow ? "hollow" : "dot", d: symbolPath(looks[look].symbol, 0, 0, 5),
          style: `--ink: var(--${look})` }));
      return createButton(title, () => this.glideTo(value), mark, words);
    }));
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** Set the value, and paint it in the next frame. @param {number} value */
  setValue(value) {
    this.value = value;
    this.requestDraw();
  }

  requestDraw() {
    this.paintRequest ||= requestAnimationFrame(() => {
      this.paintRequest = 0;
      this.drawValue();
    });
  }

  /** Move smoothly to a value, or at once if the visitor prefers reduced motion.
   * @param {number} value */
  glideTo(value) {
    this.animateValue(this.value, value, prefersReducedMotion() ? 0 : GLIDE_TIME, () => this.scheduleSend(0));
  }

  /**
   * Move from one value to another in a time in milliseconds.
   * @param {number} from
   * @param {number} to
   * @param {number} time
   * @param {() => void} end called at the end
   */
  animateValue(from, to, time, end) {
    cancelAnimationFrame(this.animation);
    const begun = performance.now();
    /** @param {number} now */
    const step = (now) => {
      const share = time ? Math.min(1, Math.max(0, now - begun) / time) : 1;
      this.setValue(share < 1 ? this.roundValue(from + (to - from) * share) : to);
      if (share < 1) this.animation = requestAnimationFrame(step);
      else end();
    };
    step(begun);
  }

  /** Send the value to the server at the end of a drag. @param {number} wait in ms */
  scheduleSend(wait) {
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => {
      this.updateDescriptions();
      if (!this.sendsValue || this.value === (this.sentValues.at(-1) ?? this.serverValue)) return;
      this.sentValues.push(this.value);
      this.send(this.valueName, this.value);
    }, wait);
  }

  // --- Input ------------------------------------------------------------------------------------

  listenToSlider() {
    this.slider.addEventListener("keydown", (event) => this.onSliderKey(event));
    this.slider.addEventListener("input", () => this.setValue(this.roundValue(this.slider.valueAsNumber)));
    this.slider.addEventListener("pointerdown", () => {
      this.dragging = true;
    });
    this.slider.addEventListener("pointerup", () => {
      this.dragging = false;
      this.scheduleSend(0);
    });
    this.slider.addEventListener("change", () => {
      if (!this.dragging) this.scheduleSend(SEND_DELAY);
    });
  }

  /** Move to the next breakpoint on an arrow key with Shift. @param {KeyboardEvent} event */
  onSliderKey(event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!event.shiftKey || !way || this.hasStops) return;
    event.preventDefault();
    const k = findNextPoint(this.line, this.value, way > 0 ? 1 : -1);
    if (k === null) return;
    this.setValue(middleGamma(this.line, k));
    this.scheduleSend(SEND_DELAY); // only the last of several steps is sent
  }

  /** Set the slider, and its text for screen readers. @param {number} value @param {string} words
   * @param {CurvePoint} place */
  updateSlider(value, words, { unseen, seen, harmonic }) {
    this.slider.value = String(value);
    this.slider.setAttribute("aria-valuetext", `${words}: ${this.sides.unseen} accuracy ` +
      `${formatPercent(unseen)}, ${this.sides.seen} accuracy ${formatPercent(seen)}, ` +
      `harmonic mean ${formatPercent(harmonic)}`);
  }

  /**
   * Let a pointer drag the value over a drawing, and report the value below a hovering pointer.
   * @param {SVGSVGElement} drawing
   * @param {(u: number, v: number) => number | null | undefined} valueAt
   * @param {(value: number | null) => void} pass
   */
  listenToPlot(drawing, valueAt, pass) {
    /** @param {PointerEvent} event */
    const valueOf = ({ clientX, clientY }) => {
      const box = drawing.getBoundingClientRect();
      return valueAt(clientX - box.left, clientY - box.top);
    };
    /** @param {PointerEvent} event */
    const drag = (event) => {
      const value = valueOf(event);
      if (this.dragging && typeof value === "number") this.setValue(value);
      else if (typeof value === "number") pass(value);
    };
    const end = () => {
      if (this.dragging) this.scheduleSend(0);
      this.dragging = false;
    };
    drawing.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      drawing.setPointerCapture(event.pointerId);
      cancelAnimationFrame(this.animation);
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
  saveIfRequested(event) {
    if (!(event instanceof CustomEvent) || !this.head || event.detail.key !== this.head.file) return;
    savePicture(this.root, this.head.alt, /** @type {PictureRequest} */ (event.detail));
  }

  // --- Tooltip ----------------------------------------------------------------------------------

  /** Show accuracies at a point. @param {Element} anchor @param {number[]} point
   * @param {string} words @param {CurvePoint} place */
  showPointTooltip(anchor, [u, v], words, { unseen, seen, harmonic }) {
    this.showTooltip(anchor, u, v,
      `${words}: u ${formatPercent(unseen)}, s ${formatPercent(seen)}, H ${formatPercent(harmonic)}`);
  }

  /** Show the accuracy of the class under the pointer, now and at a stop. @param {PointerEvent} event
   * @param {HTMLCanvasElement} canvas @param {string} stop @param {string} more */
  showClassTooltip({ offsetX, offsetY }, canvas, stop, more = "") {
    const c = this.classes?.classAt(offsetX) ?? null;
    if (!this.classes || !this.tally || c === null) return this.hideTooltip();
    const words = this.classes.tooltipText(c, this.tally.accuracy, stop);
    this.showTooltip(canvas, offsetX, offsetY, words + more);
  }

  /** @param {Element} anchor @param {number} u @param {number} v @param {string} words */
  showTooltip(anchor, u, v, words) {
    const box = anchor.getBoundingClientRect(), whole = this.root.getBoundingClientRect();
    this.tip.textContent = words;
    this.tip.hidden = false;
    const { width, height } = this.tip.getBoundingClientRect(), at = box.left - whole.left + u;
    this.tip.style.left = `${Math.max(0, Math.min(at + 14, whole.width - width))}px`;
    this.tip.style.top = `${box.top - whole.top + v - height - 10}px`;
  }

  hideTooltip() {
    this.tip.hidden = true;
  }
}
