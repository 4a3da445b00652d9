// @ts-check
// Bars of the accuracy of every class, with a line at its accuracy at the first stop.

import { formatPercent } from "./numbers.js";
import { getContext } from "./dom.js";

/** @import { Images, Sides } from "./curves.js" */

const TALL = 200; // default height in pixels; the next four are in pixels too
const HEAD = 36; // the heading, and values above the bars
const VALUE = 16; // height of a value
const FOOT = 26;
const BETWEEN = 18;
const FEW = 24; // number of classes up to which they keep their order, as on the wall

export class ClassBars {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} width in pixels
   * @param {Images} images
   * @param {Float64Array} reference accuracy of each class at the first stop
   * @param {Sides} sides
   * @param {number} tall height in pixels, with the texts above and the names below the bars
   */
  constructor(canvas, width, images, reference, sides, tall = TALL) {
    this.sides = sides;
    this.canvas = canvas;
    this.height = tall;
    this.images = images;
    this.reference = reference;
    this.width = width;
    this.order = orderClasses(images, reference);
    this.nUnseen = this.order.filter((c) => !images.seen[c]).length;
    const ratio = window.devicePixelRatio || 1;
    this.columns = layOutColumns(this.order, this.nUnseen, width, ratio);
    this.referenceValues = Float64Array.from(this.columns, ({ classes }) => meanOver(reference, classes));
    this.drawnValues = new Float64Array(this.columns.length);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(tall * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${tall}px`;
    this.ctx = getContext(canvas);
    this.ctx.scale(ratio, ratio);
    this.colors = this.applyTheme();
  }

  /**
   * Read the colours of the theme, and draw everything again.
   * @returns {{ seen: string, unseen: string, ink: string, paper: string, font: string }}
   */
  applyTheme() {
    const style = getComputedStyle(this.canvas);
    /** @param {string} name */
    const named = (name) => style.getPropertyValue(name).trim();
    const { color: ink, fontFamily: font } = style;
    const [seen, unseen, paper] = [named("--seen"), named("--unseen"), named("--paper")];
    this.colors = { seen, unseen, ink, paper, font };
    this.drawnValues.fill(NaN);
    this.ctx.clearRect(0, 0, this.width, this.height);
    this.drawTexts();
    return this.colors;
  }

  /** Draw the bars of changed accuracies. @param {Float64Array} accuracy */
  update(accuracy) {
    this.columns.forEach(({ classes }, k) => {
      const value = classes.length === 1 ? accuracy[classes[0]] : meanOver(accuracy, classes);
      if (value === this.drawnValues[k]) return;
      this.drawnValues[k] = value;
      this.drawColumn(k, value);
    });
  }

  /** @param {number} k @param {number} value */
  drawColumn(k, value) {
    const { ctx } = this, { x, width, seen } = this.columns[k], foot = this.height - FOOT;
    const tall = foot - HEAD, now = tall * value, then = tall * this.referenceValues[k];
    ctx.clearRect(x, HEAD - VALUE, width, tall + VALUE + 1);
    ctx.fillStyle = seen ? this.colors.seen : this.colors.unseen;
    ctx.fillRect(x, foot - now, width, now);
    if (then > now) {
      ctx.globalAlpha = 0.22;
      ctx.fillRect(x, foot - then, width, then - now);
    }
    ctx.fillStyle = this.colors.ink;
    ctx.globalAlpha = 0.1;
    ctx.fillRect(x, HEAD, width, tall - now); // up to 100 %
    ctx.globalAlpha = 1;
    ctx.fillRect(x, foot - then - 0.75, width, 1.5);
    ctx.font = `12px ${this.colors.font}`;
    ctx.textAlign = "center";
    const written = (100 * value).toFixed(1);
    if (ctx.measureText(written).width <= width) ctx.fillText(written, x + width / 2, HEAD - 4);
  }

  /** Write the fixed texts. */
  drawTexts() {
    const { ctx, columns, order } = this;
    ctx.fillStyle = this.colors.ink;
    ctx.font = `13px ${this.colors.font}`;
    ctx.textAlign = "left";
    const second = columns.find(({ seen }) => seen)?.x ?? 0;
    ctx.fillText(`◆ ${this.nUnseen} ${this.sides.unseen}`, 0, 13);
    const seen = `● ${order.length - this.nUnseen} ${this.sides.seen} classes`, left = Math.max(second, 84);
    const unit = [", per-class accuracy in %", ", accuracy in %"].find((each) =>
      left + ctx.measureText(seen + each).width < this.width) ?? "";
    ctx.fillText(seen + unit, left, 13);
    ctx.textAlign = "center";
    for (const { x, width, classes } of columns) {
      const name = this.images.classes[classes[0]];
      if (width > 24 && ctx.measureText(name).width < width)
        ctx.fillText(name, x + width / 2, this.height - 9);
    }
  }

  /** Description for screen readers. */
  get alt() {
    const { length } = this.order;
    return `A bar for each of ${length} classes: the share of its images that are predicted correctly ` +
      "now; a line shows what it was before gamma moved. The table of classes has all numbers.";
  }

  /** Return the class under a pointer; null outside the bars. @param {number} x */
  classAt(x) {
    const there = this.columns.findLast((column) => x >= column.x);
    return there && x < there.x + there.width + 2 ? there.classes[0] : null;
  }

  /** Return the tooltip of a class. @param {number} c @param {Float64Array} accuracy
   * @param {string} stop name of the reference */
  tooltipText(c, accuracy, stop) {
    const now = formatPercent(accuracy[c]), then = formatPercent(this.reference[c]);
    return `${this.images.classes[c]}: ${now} now, ${then} at ${stop}`;
  }
}

/**
 * Return the unseen, then the seen classes, many of them from best to worst at the reference.
 * @param {Images} images
 * @param {Float64Array} reference
 */
export function orderClasses({ classes, seen }, reference) {
  return classes.map((_, c) => c).sort((a, b) =>
    Number(seen[a]) - Number(seen[b]) || (classes.length > FEW && reference[b] - reference[a]) || a - b);
}

/** @typedef {{ x: number, width: number, seen: boolean, classes: number[] }} Column */

/**
 * Return a column of whole pixels for every class; if there are fewer pixels than classes, adjacent
 * classes share a column.
 * @param {number[]} order classes, unseen classes first
 * @param {number} nUnseen
 * @param {number} width of all columns, in CSS pixels
 * @param {number} ratio screen pixels per CSS pixel
 * @returns {Column[]}
 */
export function layOutColumns(order, nUnseen, width, ratio) {
  const step = (width - BETWEEN) / Math.max(order.length, 1), gap = step > 4 ? 1.5 : 0;
  /** @type {Column[]} */
  const columns = [];
  /** @param {number} value */
  const whole = (value) => Math.round(value * ratio) / ratio;
  order.forEach((c, i) => {
    const seen = i >= nUnseen, left = i * step + (seen ? BETWEEN : 0), x = whole(left);
    const before = columns.at(-1), end = whole(left + step - gap);
    if (before && before.seen === seen && x < before.x + before.width) before.classes.push(c);
    else columns.push({ x, width: Math.max(end - x, 1 / ratio), seen, classes: [c] });
  });
  return columns;
}

/** @param {Float64Array} values @param {number[]} which */
function meanOver(values, which) {
  return which.reduce((sum, k) => sum + values[k], 0) / which.length;
}
