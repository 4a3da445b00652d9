// @ts-check
// Wall of all test images, as pictures or, without pictures, as dots. Images change sides.

import { getContext } from "../../../zslcore/interactive/dom.js";
import { createOffscreen, readColor } from "../../../zslcore/interactive/colors.js";
import { formatCount } from "../../../zslcore/interactive/numbers.js";
import { Slots, groupClasses } from "./slots.js";

/** @import { Group, Grid } from "./slots.js" */
/** @import { Instrument } from "./wire.js" */

const EASE = 70; // milliseconds in which an image moves two thirds of its way
const ARRIVED = 0.3; // pixels from its target at which an image has arrived
const TEXT_HEIGHT = 16; // pixels of a line of text
const LEGIBLE = 13; // pixels of a picture, at least
const APART = 0.1; // gap between pictures, as a share of their width
const BLUE = 0; // indices of inks: right and seen (blue), right and unseen (orange), wrong (grey)
const ORANGE = 1;
const GREY = 2;

export class Wall {
  /** @param {HTMLCanvasElement} canvas @param {() => boolean} still whether less motion is wanted */
  constructor(canvas, still) {
    this.canvas = canvas;
    this.reducesMotion = still;
    this.ctx = getContext(canvas);
    this.width = 0;
    this.height = 0;
    this.switched = 0;
    this.frame = 0;
    this.last = 0;
    /** frames drawn, which a test may count */
    this.drawn = 0;
    /** @type {Slots | null} */
    this.slots = null;
    /** @type {Instrument | null} */
    this.head = null;
    /** @type {number | null} */
    this.shownClass = null;
    /** @type {Float32Array} where each image is now, by its number */
    this.x = new Float32Array(0);
    this.y = new Float32Array(0);
    this.inks = ["", "", ""];
    /** @type {OffscreenCanvas | null} pictures in each ink */
    this.atlas = null;
    this.across = 1;
  }

  /**
   * @param {Instrument} head
   * @param {number} width @param {number} height in pixels of the page
   * @param {number | null} only this class
   */
  layOut(head, width, height, only) {
    const other = !this.head || this.head.wall !== head.wall;
    if (other) {
      this.x = new Float32Array(head.images.n).fill(NaN);
      this.y = new Float32Array(head.images.n).fill(NaN);
    }
    [this.head, this.shownClass, this.width, this.height] = [head, only, width, height];
    this.resizeCanvas();
    this.createSlots(head);
    this.applyTheme();
  }

  /** Set the target positions of all images by the current predictions. @param {Instrument} head */
  createSlots(head) {
    const { width, height, shownClass: only } = this;
    this.head = head;
    const groups = groupClasses(head.images, only), rows = groups.length > 2;
    this.named = rows ? Math.min(96, this.widestName(groups) + 10) : 0;
    this.banded = !rows && only === null;
    const gap = rows ? Math.max(1, Math.min(5, height / 140)) : this.banded ? TEXT_HEIGHT + 10 : 0;
    this.top = this.banded ? TEXT_HEIGHT + 2 : 0;
    this.slots = new Slots(head.images, groups, { width: width - this.named,
      height: height - this.top, gap, least: rows ? 3 : 1, most: only === null ? 26 : 40,
      pitch: head.pictures ? Math.min(1, findInkedWidth(head.pictures) + APART) : 1,
      legible: head.pictures ? LEGIBLE : 0 });
  }

  /** Match the canvas to the pixels of the screen. */
  resizeCanvas() {
    const { canvas, width, height } = this, ratio = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** @param {Group[]} groups */
  widestName(groups) {
    this.ctx.font = this.font();
    return Math.max(...groups.map(({ name }) => this.ctx.measureText(name).width));
  }

  font(weight = 600) {
    return `${weight} 13px ${getComputedStyle(this.canvas).fontFamily}`;
  }

  /** Colours of the theme. */
  applyTheme() {
    if (!this.head) return;
    const style = getComputedStyle(this.canvas);
    /** @param {string} name */
    const named = (name) => style.getPropertyValue(name).trim();
    this.inks = [named("--seen"), named("--unseen"), named("--off")];
    this.ink = style.color;
    this.quiet = named("--off");
    this.atlas = this.head.pictures ? this.drawAtlas() : null;
  }

  /** Atlas of all pictures in the three inks. */
  drawAtlas() {
    const { pictures, images } = /** @type {Instrument} */ (this.head);
    const { width, height, ink } = /** @type {NonNullable<typeof pictures>} */ (pictures);
    this.across = Math.min(64, images.n);
    const down = Math.ceil(images.n / this.across);
    const ctx = createOffscreen(this.across * width, 3 * down * height);
    const sheet = ctx.createImageData(this.across * width, down * height);
    this.inks.forEach((color, k) => {
      const [r, g, b] = readColor(color);
      for (let i = 0, at = 0; i < images.n; i++)
        for (let v = 0; v < height; v++)
          for (let u = 0; u < width; u++, at++) {
            const x = (i % this.across) * width + u, y = Math.floor(i / this.across) * height + v;
            sheet.data.set([r, g, b, Math.min(255, 1.25 * ink[at])], 4 * (y * sheet.width + x));
          }
      ctx.putImageData(sheet, 0, k * down * height);
    });
    return /** @type {OffscreenCanvas} */ (ctx.canvas);
  }

  // --- Movement ---------------------------------------------------------------------------------

  /** Start the images moving to their targets. @param {number} changed number on the right */
  moveTo(changed) {
    this.switched = changed;
    this.slots?.place(changed);
    if (this.frame) return;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.onFrame(now));
  }

  /** @param {number} now */
  onFrame(now) {
    const passed = Math.max(1, Math.min(64, now - this.last));
    this.last = now;
    const moving = this.moveImages(this.reducesMotion() ? 1 : 1 - Math.exp(-passed / EASE));
    this.draw();
    this.drawn++;
    this.frame = moving ? requestAnimationFrame((next) => this.onFrame(next)) : 0;
  }

  /** Move each image by a share of its way; return whether any image is still on its way.
   * @param {number} share */
  moveImages(share) {
    const { slots, head } = this;
    if (!slots || !head) return false;
    const { order } = head.answers;
    let far = 0;
    for (let k = 0; k < order.length; k++) {
      const i = order[k], dx = slots.x[k] - this.x[i], dy = slots.y[k] - this.y[i];
      const away = Math.abs(dx) + Math.abs(dy);
      if (away < ARRIVED || away !== away || share === 1) {
        this.x[i] = slots.x[k];
        this.y[i] = slots.y[k];
        continue;
      }
      this.x[i] += share * dx;
      this.y[i] += share * dy;
      far++;
    }
    return far > 0;
  }

  draw() {
    const { ctx, width, height, slots } = this;
    if (!slots) return;
    ctx.clearRect(0, 0, width, height);
    this.drawTexts();
    ctx.save();
    ctx.translate(0, this.top ?? 0);
    if (this.atlas) this.drawPictures(slots.grid);
    else this.drawDots(slots.grid);
    ctx.restore();
  }

  /** Draw the line in the middle, and the names of rows or bands. */
  drawTexts() {
    const { ctx, width, slots, head } = this;
    if (!slots || !head) return;
    ctx.fillStyle = this.quiet ?? "";
    const { rows, size, tops } = slots.grid, last = slots.groups.length - 1;
    ctx.fillRect(slots.middle - 0.5, 0, 1, (this.top ?? 0) + tops[last] + rows[last] * size);
    ctx.textBaseline = "middle";
    slots.groups.forEach(({ name, seen, classes }, g) => {
      const top = slots.grid.tops[g] + (this.top ?? 0);
      ctx.fillStyle = this.inks[seen ? BLUE : ORANGE];
      ctx.font = this.font();
      if (this.banded) {
        const { many } = this.wordsOf(classes), side = seen ? "● " : "◆ ";
        ctx.textAlign = "left";
        ctx.fillText(side + many, 0, top - TEXT_HEIGHT / 2 - 1);
      } else if (this.named) {
        ctx.textAlign = "right";
        ctx.fillText(name, width - 2, top + (slots.grid.rows[g] * slots.grid.size) / 2, this.named - 8);
      }
    });
  }

  /** @param {number[]} classes */
  wordsOf(classes) {
    const { images, noun } = /** @type {Instrument} */ (this.head), side = images.seen[classes[0]];
    const of = new Set(classes);
    const n = images.classOf.reduce((sum, c) => sum + Number(of.has(c)), 0);
    return { many: `${formatCount(classes.length)} ${side ? "seen" : "unseen"} ${noun[1]}, ` +
      `${formatCount(n)} images` };
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
    const side = size < 12 ? Math.floor(size) - 1 : size * 0.92; // small ones on whole pixels, apart
    ctx.imageSmoothingEnabled = size < 3 * width;
    for (let k = 0; k < order.length; k++) {
      const i = order[k];
      if (x[i] !== x[i]) continue;
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
      const wide = ink === GREY && size > 2 ? 0.55 * side : side, pad = (side - wide) / 2;
      ctx.fillStyle = color;
      ctx.beginPath();
      for (let k = 0; k < order.length; k++) {
        const i = order[k];
        if (x[i] !== x[i] || this.findInk(k) !== ink) continue;
        if (size < 7) ctx.rect(x[i] + pad, y[i] + pad, wide, wide);
        else traceMark(ctx, seen[of[k]], x[i] + side / 2, y[i] + side / 2, wide / 2);
      }
      ctx.fill();
    });
  }

  // --- Hit test ---------------------------------------------------------------------------------

  /** The image at a position of the canvas, in the order of changes, or -1.
   * @param {number} u @param {number} v */
  imageAt(u, v) {
    const { slots } = this;
    if (!slots) return -1;
    const top = v - (this.top ?? 0), { size, pitch } = slots.grid;
    for (let k = 0; k < slots.x.length; k++)
      if (u >= slots.x[k] && u < slots.x[k] + pitch && top >= slots.y[k] &&
        top < slots.y[k] + size) return k;
    return -1;
  }

  close() {
    cancelAnimationFrame(this.frame);
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
  const least = 0.02 * Math.max(...sums), has = [...sums].map((sum) => sum > least);
  const margin = Math.min(has.indexOf(true), width - 1 - has.lastIndexOf(true));
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
