// @ts-check
// Base class of figures of curves with a value, a gamma or a stop. The visitor changes the value by
// dragging over a plot, by the slider, or by a click on a named value; the server receives it at the
// end of a drag.

import { readSides } from "./curves.js";
import { findNextPoint, middleGamma, roundGamma } from "./curve.js";
import { createButton, findElement, pointerOn } from "./dom.js";
import { Figure, onThemeChange } from "./figure.js";
import { applyLooks, createIcon, createSymbol } from "./looks.js";
import { formatPercent } from "./numbers.js";

/** @import { ClassBars } from "./classes.js" */
/** @import { CurvePoint } from "./curve.js" */
/** @import { Head } from "./curves.js" */
/** @import { Tally } from "./tally.js" */

/** @typedef {{ title: string, text: string, value: number, look: string }} StopButton */

const SEND_DELAY = 350; // milliseconds after a key press until the value is sent to the server
export const GLIDE_TIME = 400; // milliseconds of the motion to a named value
const THUMB = 16; // pixels of width of the slider's thumb

/** Whether the visitor wants less motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @template {Head} T data of the figure */
export class CurveFigure extends Figure {
  /** data of the figure; `updateData` sets it before anything is drawn */
  head = /** @type {T} */ (/** @type {unknown} */ (null));
  lineIndex = 0;
  /** @type {Tally | null} */
  tally = null;
  /** @type {ClassBars | null} */
  classBars = null;
  value = 0;
  /** name of the value on the server */
  valueName = "gamma";
  /** @type {number | null} last value from the server */
  serverValue = null;
  /** @type {number[]} values sent to the server that it has not echoed yet */
  sentValues = [];
  isDragging = false;
  drawRequest = 0;
  animation = 0;
  sendTimer = 0;

  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, ".whole");
    this.slider = findElement(parent, "input[type=range]", HTMLInputElement);
    this.stopList = findElement(parent, ".stops", HTMLElement);
    onThemeChange(this.root, () => {
      this.applyTheme();
      this.draw();
    });
    this.listenToSlider();
  }

  /** @override */
  close() {
    super.close();
    cancelAnimationFrame(this.drawRequest);
    cancelAnimationFrame(this.animation);
    clearTimeout(this.sendTimer);
  }

  // --- Overridden by figures --------------------------------------------------------------------

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
    return this.head.lines[this.lineIndex];
  }

  get sides() {
    return readSides(this.head);
  }

  /**
   * Replace the data; return whether the key is unchanged.
   * @param {T} head
   * @param {number} start initial value, or the value on the server
   * @param {boolean} follows whether a changed value on the server moves the shown value
   */
  updateData(head, start, follows) {
    const isSame = this.head?.key === head.key;
    if (!isSame) this.lineIndex = 0;
    // The echo of a sent value is ignored, since the visitor may have dragged on meanwhile.
    const echo = this.sentValues.indexOf(start), isMoved = start !== this.serverValue && echo < 0;
    this.sentValues = isSame && !isMoved ? this.sentValues.slice(echo + 1) : [];
    this.serverValue = start;
    this.head = head;
    this.picture = { key: head.file, alt: head.alt };
    if (!isSame || (isMoved && follows && !this.isDragging)) this.value = start;
    this.applyTheme();
    return isSame;
  }

  /** Set the colours of the current theme. */
  applyTheme() {
    applyLooks(this.root, this.head?.looks ?? {});
    this.classBars?.applyTheme();
  }

  /**
   * Align the slider, so that its thumb is below the line that it moves.
   * @param {{ left: number, right: number }} frame
   * @param {[number, number]} limits
   * @param {number | "any"} step
   */
  alignSlider({ left, right }, [low, high], step) {
    this.slider.min = String(low);
    this.slider.max = String(high);
    this.slider.step = String(step);
    this.slider.style.marginLeft = `${left - THUMB / 2}px`;
    this.slider.style.width = `${right - left + THUMB}px`;
  }

  /** Draw a button for each named value. @param {StopButton[]} stops */
  drawStopButtons(stops) {
    this.stopList.replaceChildren(...stops.map(({ title, text, value, look }) => {
      const icon = createIcon(7, createSymbol(this.head.looks, look, 0, 0, 5));
      return createButton(title, () => this.glideTo(value), icon, text);
    }));
  }

  // --- Motion -----------------------------------------------------------------------------------

  /** Set the value, and draw it in the next frame. @param {number} value */
  setValue(value) {
    this.value = value;
    this.requestDraw();
  }

  requestDraw() {
    this.drawRequest ||= requestAnimationFrame(() => {
      this.drawRequest = 0;
      this.drawValue();
    });
  }

  /** Move smoothly to a value, or at once if the visitor prefers reduced motion.
   * @param {number} value */
  glideTo(value) {
    this.animateValue(this.value, value, prefersReducedMotion() ? 0 : GLIDE_TIME, () => this.sendValue());
  }

  /**
   * Move from one value to another in a time in milliseconds.
   * @param {number} from
   * @param {number} to
   * @param {number} time
   * @param {() => void} onEnd
   */
  animateValue(from, to, time, onEnd) {
    cancelAnimationFrame(this.animation);
    const start = performance.now();
    /** @param {number} now */
    const advance = (now) => {
      const share = time ? Math.min(1, Math.max(0, now - start) / time) : 1;
      this.setValue(share < 1 ? this.roundValue(from + (to - from) * share) : to);
      if (share < 1) this.animation = requestAnimationFrame(advance);
      else onEnd();
    };
    advance(start);
  }

  /** Send the value to the server. @param {number} delay in milliseconds */
  sendValue(delay = 0) {
    clearTimeout(this.sendTimer);
    this.sendTimer = window.setTimeout(() => {
      this.updateDescriptions();
      if (!this.sendsValue || this.value === (this.sentValues.at(-1) ?? this.serverValue)) return;
      this.sentValues.push(this.value);
      this.send(this.valueName, this.value);
    }, delay);
  }

  // --- Input ------------------------------------------------------------------------------------

  listenToSlider() {
    this.slider.addEventListener("keydown", (event) => this.onSliderKey(event));
    this.slider.addEventListener("input", () =>
      this.setValue(this.roundValue(this.slider.valueAsNumber)));
    this.slider.addEventListener("pointerdown", () => {
      this.isDragging = true;
    });
    this.slider.addEventListener("pointerup", () => {
      this.isDragging = false;
      this.sendValue();
    });
    this.slider.addEventListener("change", () => {
      if (!this.isDragging) this.sendValue(SEND_DELAY);
    });
  }

  /** Move to the next breakpoint on an arrow key with Shift. @param {KeyboardEvent} event */
  onSliderKey(event) {
    const isUp = ["ArrowRight", "ArrowUp"].includes(event.key);
    const isDown = ["ArrowLeft", "ArrowDown"].includes(event.key);
    if (!event.shiftKey || this.hasStops || (!isUp && !isDown)) return;
    event.preventDefault();
    const k = findNextPoint(this.line, this.value, isUp ? 1 : -1);
    if (k === null) return;
    this.setValue(middleGamma(this.line, k));
    this.sendValue(SEND_DELAY); // of several quick steps, only the last is sent
  }

  /** Set the slider, and its text for screen readers. @param {number} value @param {string} label
   * @param {CurvePoint} point */
  updateSlider(value, label, { unseen, seen, harmonic }) {
    this.slider.value = String(value);
    this.slider.setAttribute("aria-valuetext", `${label}: ${this.sides.unseen} accuracy ` +
      `${formatPercent(unseen)}, ${this.sides.seen} accuracy ${formatPercent(seen)}, ` +
      `harmonic mean ${formatPercent(harmonic)}`);
  }

  /**
   * Let a pointer drag the value over a plot, and report the value below a hovering pointer.
   * @param {SVGSVGElement} plot
   * @param {(x: number, y: number) => number | null | undefined} valueAt
   * @param {(value: number | null) => void} onHover
   */
  listenToPlot(plot, valueAt, onHover) {
    /** @param {PointerEvent} event */
    const onMove = (event) => {
      const value = valueAt(...pointerOn(event, plot)) ?? null;
      if (value === null) return;
      if (this.isDragging) this.setValue(value);
      else onHover(value);
    };
    const onEnd = () => {
      if (this.isDragging) this.sendValue();
      this.isDragging = false;
    };
    plot.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      plot.setPointerCapture(event.pointerId);
      cancelAnimationFrame(this.animation);
      this.isDragging = true;
      onHover(null);
      onMove(event);
    });
    plot.addEventListener("pointermove", onMove);
    plot.addEventListener("pointerup", onEnd);
    plot.addEventListener("pointercancel", onEnd);
    plot.addEventListener("pointerleave", () => onHover(null));
  }

  /**
   * Show the accuracies of the class under the pointer, now and at a stop.
   * @param {HTMLCanvasElement} canvas of the bars
   * @param {() => string} readStop name of the stop
   * @param {string} hint
   */
  listenToBars(canvas, readStop, hint = "") {
    canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
      const { classBars, tally } = this, c = classBars?.findClass(offsetX) ?? null;
      if (!classBars || !tally || c === null) return this.tooltip.hide();
      const text = classBars.tooltipText(c, tally.accuracy, readStop());
      this.showTooltip(canvas, offsetX, offsetY, text + hint);
    });
    canvas.addEventListener("pointerleave", () => this.tooltip.hide());
  }

  /** Show the accuracies of a point. @param {Element} plot @param {[number, number]} place
   * @param {string} label @param {CurvePoint} point */
  showPointTooltip(plot, [x, y], label, { unseen, seen, harmonic }) {
    this.showTooltip(plot, x, y, `${label}: u ${formatPercent(unseen)}, s ${formatPercent(seen)}, ` +
      `H ${formatPercent(harmonic)}`);
  }
}
