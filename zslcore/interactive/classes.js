// @ts-check
// Bars of the accuracy of every class, with a line at its accuracy at the first stop.

import { getContext, readVariable, resizeCanvas } from "./canvas.js";
import { formatPercent } from "./numbers.js";

/** @import { Images, Sides } from "./curves.js" */

const BARS_HEIGHT = 200; // default height in pixels; the next four are in pixels too
const HEAD_HEIGHT = 36; // the heading, and values above the bars
const VALUE_HEIGHT = 16; // height of a value
const FOOT_HEIGHT = 26;
const SIDE_GAP = 18;
const FEW = 24; // largest number of classes that keep the order of the wall

export class ClassBars {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} width in pixels
   * @param {Images} images
   * @param {Float64Array} reference accuracy of each class at the first stop
   * @param {Sides} sides
   * @param {number} height in pixels, with the texts above and the names below the bars
   */
  constructor(canvas, width, images, reference, sides, height = BARS_HEIGHT) {
    this.sides = sides;
    this.canvas = canvas;
    this.height = height;
    this.images = images;
    this.reference = reference;
    this.width = width;
    this.order = orderClasses(images, reference);
    this.nUnseen = this.order.filter((c) => !images.seen[c]).length;
    const ratio = window.devicePixelRatio || 1;
    this.columns = layOutColumns(this.order, this.nUnseen, width, ratio);
    this.referenceValues = this.columns.map(({ classes }) => meanOver(reference, classes));
    this.drawnValues = this.columns.map(() => NaN);
    resizeCanvas(canvas, width, height, ratio);
    this.ctx = getContext(canvas);
    this.colors = this.applyTheme();
  }

  /** Read the colours of the theme, and draw everything again.
   * @returns {{ seen: string, unseen: string, ink: string, font: string }} */
  applyTheme() {
    const { canvas } = this, { color: ink, fontFamily: font } = getComputedStyle(canvas);
    this.colors = { seen: readVariable(canvas, "--seen"), unseen: readVariable(canvas, "--unseen"), ink, font };
    this.drawnValues.fill(NaN);
    this.ctx.clearRect(0, 0, this.width, this.height);
    this.drawTexts();
    return this.colors;
  }

  /** Draw the bars of changed accuracies. @param {Float64Array} accuracy */
  update(accuracy) {
    this.columns.forEach(({ classes }, k) => {
      const value = meanOver(accuracy, classes);
      if (value === this.drawnValues[k]) return;
      this.drawnValues[k] = value;
      this.drawColumn(k, value);
    });
  }

  /** @param {number} k @param {number} value */
  drawColumn(k, value) {
    const { ctx } = this, { x, width, seen } = this.columns[k], foot = this.height - FOOT_HEIGHT;
    const full = foot - HEAD_HEIGHT, length = full * value, reference = full * this.referenceValues[k];
    ctx.clearRect(x, HEAD_HEIGHT - VALUE_HEIGHT, width, full + VALUE_HEIGHT + 1);
    ctx.fillStyle = seen ? this.colors.seen : this.colors.unseen;
    ctx.fillRect(x, foot - length, width, length);
    if (reference > length) {
      ctx.globalAlpha = 0.22;
      ctx.fillRect(x, foot - reference, width, reference - length);
    }
    ctx.fillStyle = this.colors.ink;
    ctx.globalAlpha = 0.1;
    ctx.fillRect(x, HEAD_HEIGHT, width, full - length); // up to 100 %
    ctx.globalAlpha = 1;
    ctx.fillRect(x, foot - reference - 0.75, width, 1.5);
    ctx.font = `12px ${this.colors.font}`;
    ctx.textAlign = "center";
    const text = (100 * value).toFixed(1);
    if (ctx.measureText(text).width <= width) ctx.fillText(text, x + width / 2, HEAD_HEIGHT - 4);
  }

  /** Draw the heading and the names of the classes. */
  drawTexts() {
    const { ctx, columns, order, sides } = this;
    ctx.fillStyle = this.colors.ink;
    ctx.font = `13px ${this.colors.font}`;
    ctx.textAlign = "left";
    ctx.fillText(`◆ ${this.nUnseen} ${sides.unseen}`, 0, 13);
    const left = Math.max(columns.find(({ seen }) => seen)?.x ?? 0, 84);
    const heading = `● ${order.length - this.nUnseen} ${sides.seen} classes`;
    const unit = [", per-class accuracy in %", ", accuracy in %"].find((text) =>
      left + ctx.measureText(heading + text).width < this.width) ?? "";
    ctx.fillText(heading + unit, left, 13);
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
    return `A bar for each of ${length} classes: the share of its images now predicted correctly; a ` +
      "line marks the share before gamma moved. The table of classes has all numbers.";
  }

  /** Return the class at a position; null outside the bars. @param {number} x */
  findClass(x) {
    const column = this.columns.findLast((candidate) => x >= candidate.x);
    return column && x < column.x + column.width + 2 ? column.classes[0] : null;
  }

  /** Return the tooltip of a class. @param {number} c @param {Float64Array} accuracy
   * @param {string} stop name of the reference */
  tooltipText(c, accuracy, stop) {
    const now = formatPercent(accuracy[c]), reference = formatPercent(this.reference[c]);
    return `${this.images.classes[c]}: ${now} now, ${reference} at ${stop}`;
  }
}

/**
 * Return the unseen, then the seen classes; more than `FEW` classes are sorted by their accuracy at
 * the reference, best first.
 * @param {Images} images
 * @param {Float64Array} reference
 */
export function orderClasses({ classes, seen }, reference) {
  return [...classes.keys()].sort((a, b) =>
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
  const step = (width - SIDE_GAP) / Math.max(order.length, 1), gap = step > 4 ? 1.5 : 0;
  /** @type {Column[]} */
  const columns = [];
  /** @param {number} value */
  const roundToPixel = (value) => Math.round(value * ratio) / ratio;
  order.forEach((c, i) => {
    const seen = i >= nUnseen, left = i * step + (seen ? SIDE_GAP : 0), x = roundToPixel(left);
    const previous = columns.at(-1), end = roundToPixel(left + step - gap);
    if (previous?.seen === seen && x < previous.x + previous.width) previous.classes.push(c);
    else columns.push({ x, width: Math.max(end - x, 1 / ratio), seen, classes: [c] });
  });
  return columns;
}

/** @param {Float64Array} values @param {number[]} indices */
function meanOver(values, indices) {
  return indices.reduce((sum, k) => sum + values[k], 0) / indices.length;
}
