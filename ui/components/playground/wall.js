// @ts-check
// Wall of all test images, as pictures or, without pictures, as dots. Images change sides.

import { createOffscreen, getContext, paintPixels, readColor, readVariable, resizeCanvas } from "../../../zslcore/interactive/canvas.js";
import { formatCount } from "../../../zslcore/interactive/numbers.js";
import { Slots, groupClasses } from "./slots.js";

/** @import { Group, Grid } from "./slots.js" */
/** @import { Instrument } from "./wire.js" */

const EASE = 70; // milliseconds in which an image moves two thirds of its way
const ARRIVED = 0.3; // pixels from its target at which an image has arrived
const MOST_RATIO = 2; // pixels of the screen per pixel of the page; finer ones are too slow
const TEXT_HEIGHT = 16; // pixels of a line of text
const LEGIBLE = 13; // smallest size of a picture, in pixels
const APART = 0.1; // gap between pictures, as a share of their width
const BLUE = 0; // indices of inks: right and seen (blue), right and unseen (orange), wrong (grey)
const ORANGE = 1;
const GREY = 2;

export class Wall {
  width = 0;
  height = 0;
  /** number of images on the right */
  switched = 0;
  frameRequest = 0;
  /** time of the last frame */
  last = 0;
  /** @type {Slots | null} */
  slots = null;
  /** @type {Instrument | null} */
  head = null;
  /** @type {number | null} the only class on the wall; null for all classes */
  shownClass = null;
  /** position of each image now, by its number */
  x = new Float32Array(0);
  y = new Float32Array(0);
  inks = ["", "", ""];
  /** @type {OffscreenCanvas | null} pictures in each ink */
  atlas = null;
  /** number of pictures in a row of the atlas */
  across = 1;
  /** pixels of width of the names of rows, 0 for none */
  nameWidth = 0;
  /** whether there is a band with a heading for each side */
  hasBands = false;
  /** pixels above the first row */
  top = 0;

  /** @param {HTMLCanvasElement} canvas @param {() => boolean} reducesMotion whether less motion is wanted */
  constructor(canvas, reducesMotion) {
    this.canvas = canvas;
    this.reducesMotion = reducesMotion;
    this.ctx = getContext(canvas);
  }

  /**
   * @param {Instrument} head
   * @param {number} width @param {number} height in pixels of the page
   * @param {number | null} only this class
   */
  layOut(head, width, height, only) {
    if (this.head?.images_key !== head.images_key) {
      this.x = new Float32Array(head.images.n).fill(NaN);
      this.y = new Float32Array(head.images.n).fill(NaN);
    }
    [this.head, this.shownClass, this.width, this.height] = [head, only, width, height];
    resizeCanvas(this.canvas, width, height, Math.min(window.devicePixelRatio || 1, MOST_RATIO));
    this.createSlots(head);
    this.applyTheme();
  }

  /** Set the target positions of all images by the current predictions. @param {Instrument} head */
  createSlots(head) {
    const { width, height, shownClass: only } = this;
    this.head = head;
    const groups = groupClasses(head.images, only), rows = groups.length > 2;
    this.nameWidth = rows ? Math.min(96, this.widestName(groups) + 10) : 0;
    this.hasBands = !rows && only === null;
    const gap = rows ? Math.max(1, Math.min(5, height / 140)) : this.hasBands ? TEXT_HEIGHT + 10 : 0;
    this.top = this.hasBands ? TEXT_HEIGHT + 2 : 0;
    this.slots = new Slots(head.images, groups, { width: width - this.nameWidth,
      height: height - this.top, gap, minRow: rows ? 3 : 1, maxSize: only === null ? 26 : 40,
      pitch: head.pictures ? Math.min(1, findInkedWidth(head.pictures) + APART) : 1,
      legible: head.pictures ? LEGIBLE : 0 });
  }

  /** @param {Group[]} groups */
  widestName(groups) {
    this.ctx.font = this.font;
    return Math.max(...groups.map(({ name }) => this.ctx.measureText(name).width));
  }

  get font() {
    return `600 13px ${getComputedStyle(this.canvas).fontFamily}`;
  }

  /** Colours of the theme. */
  applyTheme() {
    if (!this.head) return;
    this.inks = ["--seen", "--unseen", "--off"].map((name) => readVariable(this.canvas, name));
    this.atlas = this.head.pictures ? this.drawAtlas() : null;
  }

  /** Atlas of all pictures in the three inks. */
  drawAtlas() {
    const { pictures, images } = /** @type {Instrument} */ (this.head);
    const { width, height, ink } = /** @type {NonNullable<typeof pictures>} */ (pictures);
    this.across = Math.min(64, images.n);
    const sheet = { width: this.across * width, height: Math.ceil(images.n / this.across) * height };
    const ctx = createOffscreen(sheet.width, this.inks.length * sheet.height);
    this.inks.forEach((color, k) => {
      const [red, green, blue] = readColor(color);
      paintPixels(ctx, { ...sheet, top: k * sheet.height }, (pixel) => {
        const x = pixel % sheet.width, y = Math.floor(pixel / sheet.width);
        const image = Math.floor(y / height) * this.across + Math.floor(x / width);
        const inkOfPixel = ink[(image * height + (y % height)) * width + (x % width)] ?? 0;
        return [red, green, blue, Math.min(255, 1.25 * inkOfPixel)];
      });
    });
    return /** @type {OffscreenCanvas} */ (ctx.canvas);
  }

  // --- Movement ---------------------------------------------------------------------------------

  /** Start the images moving to their targets. @param {number} changed number on the right */
  moveTo(changed) {
    this.switched = changed;
    this.slots?.place(changed);
    if (this.frameRequest) return;
    this.last = performance.now();
    this.frameRequest = requestAnimationFrame((now) => this.onFrame(now));
  }

  /** @param {number} now */
  onFrame(now) {
    const time = Math.max(1, Math.min(64, now - this.last));
    this.last = now;
    const isMoving = this.moveImages(this.reducesMotion() ? 1 : 1 - Math.exp(-time / EASE));
    this.draw();
    this.frameRequest = isMoving ? requestAnimationFrame((next) => this.onFrame(next)) : 0;
  }

  /** Move each image by a share of its way; return whether any image is still on its way.
   * @param {number} share */
  moveImages(share) {
    const { slots, head } = this;
    if (!slots || !head) return false;
    const { order } = head.answers;
    let isMoving = false;
    for (let k = 0; k < order.length; k++) {
      const i = order[k], dx = slots.x[k] - this.x[i], dy = slots.y[k] - this.y[i];
      const distance = Math.abs(dx) + Math.abs(dy);
      if (distance < ARRIVED || Number.isNaN(distance) || share === 1) {
        this.x[i] = slots.x[k];
        this.y[i] = slots.y[k];
        continue;
      }
      this.x[i] += share * dx;
      this.y[i] += share * dy;
      isMoving = true;
    }
    return isMoving;
  }

  draw() {
    const { ctx, width, height, slots } = this;
    if (!slots) return;
    ctx.clearRect(0, 0, width, height);
    this.drawTexts();
    ctx.save();
    ctx.translate(0, this.top);
    if (this.atlas) this.drawPictures(slots.grid);
    else this.drawDots(slots.grid);
    ctx.restore();
  }

  /** Draw the line in the middle, and the names of rows or bands. */
  drawTexts() {
    const { ctx, width, slots, head } = this;
    if (!slots || !head) return;
    ctx.fillStyle = this.inks[GREY];
    const { rows, size, tops } = slots.grid, last = slots.groups.length - 1;
    ctx.fillRect(slots.middle - 0.5, 0, 1, this.top + tops[last] + rows[last] * size);
    ctx.textBaseline = "middle";
    slots.groups.forEach(({ name, seen, classes }, g) => {
      const top = slots.grid.tops[g] + this.top;
      ctx.fillStyle = this.inks[seen ? BLUE : ORANGE];
      ctx.font = this.font;
      if (this.hasBands) {
        ctx.textAlign = "left";
        ctx.fillText(this.bandHeading(classes), 0, top - TEXT_HEIGHT / 2 - 1);
      } else if (this.nameWidth) {
        ctx.textAlign = "right";
        ctx.fillText(name, width - 2, top + (slots.grid.rows[g] * slots.grid.size) / 2, this.nameWidth - 8);
      }
    });
  }

  /** Return the heading of a side: its numbers of classes and images. @param {number[]} classes */
  bandHeading(classes) {
    const { images, noun } = /** @type {Instrument} */ (this.head), members = new Set(classes);
    const n = images.classOf.reduce((sum, c) => sum + Number(members.has(c)), 0);
    const side = images.seen[classes[0]] ? "● %n seen" : "◆ %n unseen";
    return `${side.replace("%n", formatCount(classes.length))} ${noun[1]}, ${formatCount(n)} images`;
  }

  /** Ink of an image. @param {number} k in the order of changes */
  findInk(k) {
    const { right, classOf: of, seen } = /** @type {Instrument} */ (this.head).images;
    return right[k] & (k < this.switched ? 2 : 1) ? (seen[of[k]] ? BLUE : ORANGE) : GREY;
  }

  /** @param {Grid} grid */
  drawPictures({ size, pitch }) {
    const { ctx, head, atlas, across, x, y } = this;
    if (!head?.pictures || !atlas) return;
    const { width, height } = head.pictures, { order } = head.answers;
    const down = Math.ceil(order.length / across) * height;
    const side = size < 12 ? Math.floor(size) - 1 : size * 0.92; // small pictures have whole pixels and a gap
    ctx.imageSmoothingEnabled = size < 3 * width;
    for (let k = 0; k < order.length; k++) {
      const i = order[k];
      if (Number.isNaN(x[i])) continue;
      ctx.drawImage(atlas, (i % across) * width,
        this.findInk(k) * down + Math.floor(i / across) * height, width, height,
        Math.round(x[i] + (pitch - side) / 2), Math.round(y[i]), side, side);
    }
  }

  /** Draw seen images as discs if discs fit, unseen images as diamonds, wrong predictions small.
   * @param {Grid} grid */
  drawDots({ size }) {
    const { ctx, head, x, y } = this;
    if (!head) return;
    const { order } = head.answers, { classOf: of, seen } = head.images, side = size > 3 ? size - 1 : 0.8 * size;
    this.inks.forEach((color, ink) => {
      const width = ink === GREY && size > 2 ? 0.55 * side : side, margin = (side - width) / 2;
      ctx.fillStyle = color;
      ctx.beginPath();
      for (let k = 0; k < order.length; k++) {
        const i = order[k];
        if (Number.isNaN(x[i]) || this.findInk(k) !== ink) continue;
        if (size < 7) ctx.rect(x[i] + margin, y[i] + margin, width, width);
        else traceMark(ctx, seen[of[k]], x[i] + side / 2, y[i] + side / 2, width / 2);
      }
      ctx.fill();
    });
  }

  // --- Hit test ---------------------------------------------------------------------------------

  /** Return the image at a position of the canvas, in the order of changes, or -1.
   * @param {number} u @param {number} v */
  imageAt(u, v) {
    if (!this.slots) return -1;
    const { x, y, grid: { size, pitch } } = this.slots, top = v - this.top;
    return x.findIndex((left, k) =>
      u >= left && u < left + pitch && top >= y[k] && top < y[k] + size);
  }

  close() {
    cancelAnimationFrame(this.frameRequest);
  }
}

/**
 * Return the share of the width of pictures that has ink; margins of pictures may overlap.
 * @param {import("./wire.js").Pictures} pictures
 */
export function findInkedWidth({ width, ink }) {
  const sums = new Float64Array(width);
  ink.forEach((value, k) => {
    sums[k % width] += value;
  });
  const least = 0.02 * Math.max(...sums), hasInk = [...sums].map((sum) => sum > least);
  const margin = Math.min(hasInk.indexOf(true), width - 1 - hasInk.lastIndexOf(true));
  return 1 - (2 * Math.max(0, margin)) / width;
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {boolean} round
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function traceMark(ctx, round, x, y, r) {
  if (round) {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  ctx.moveTo(x, y - r);
  ctx.lineTo(x + r, y);
  ctx.lineTo(x, y + r);
  ctx.lineTo(x - r, y);
  ctx.closePath();
}
