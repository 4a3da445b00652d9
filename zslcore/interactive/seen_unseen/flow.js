// @ts-check
// Flow of images from unseen and seen classes to right and wrong predictions.

import { spreadLabels } from "../layout.js";
import { lookStyle } from "../looks.js";
import { formatCount, formatPercent } from "../numbers.js";
import { createSvg, setAttributes, setSize } from "../svg.js";

/** @import { Sides } from "../curves.js" */
/** @typedef {"seen" | "unseen"} Side */

const FLOW_HEIGHT = 230; // pixels, like the next four
const FLOW_HEAD = 20;
const BAR_WIDTH = 8;
const GAP = 14;
const TEXT_WIDTH = 196; // width of the texts
const ALL_IMAGES = FLOW_HEIGHT - 2 * GAP; // height of all images together, without gaps

/** Outcomes from top to bottom: position in `Tally.outcomes`, true side, text, kind. */
const OUTCOMES = /** @type {const} */ ([
  [0, "unseen", "right", "right"],
  [1, "unseen", "another {unseen} class", "wrong"],
  [5, "seen", "{seen} → {unseen}", "wrong"],
  [2, "unseen", "{unseen} → {seen}", "wrong"],
  [4, "seen", "another {seen} class", "wrong"],
  [3, "seen", "right", "right"],
]);
const GLYPHS = { unseen: "◆", seen: "●" };
/** Order of the streams of both sides, chosen so that few streams cross. */
const STARTS = [0, 1, 2, 5, 4, 3];

export class Flow {
  /** @param {SVGSVGElement} root @param {number} width @param {Int32Array} outcomes
   * @param {Sides} sideNames */
  constructor(root, width, outcomes, sideNames) {
    this.sideNames = sideNames;
    this.end = Math.max(width, 300) - TEXT_WIDTH; // right end of the streams
    const [a, b, c, d, e, f] = outcomes;
    this.images = { unseen: a + b + c, seen: d + e + f };
    this.total = this.images.unseen + this.images.seen;
    setSize(root, this.end + TEXT_WIDTH, FLOW_HEIGHT + FLOW_HEAD, -FLOW_HEAD);
    this.streams = OUTCOMES.map(([, side, , kind]) =>
      createSvg("path", { class: `stream ${kind}`, style: lookStyle(side) }));
    this.glyphs = OUTCOMES.map(([, side]) =>
      createSvg("text", { class: "name", x: this.end + 10, style: lookStyle(side) }, GLYPHS[side]));
    this.texts = OUTCOMES.map(([, , , kind]) =>
      createSvg("text", { class: kind === "right" ? "label strong" : "label", x: this.end + 24 }));
    root.replaceChildren(
      createSvg("text", { class: "title", x: 0, y: -7 }, "images of"),
      createSvg("text", { class: "title", x: this.end + 10, y: -7 }, "predicted, per image"),
      ...this.streams, ...this.drawSide("unseen", 0),
      ...this.drawSide("seen", this.heightOf(this.images.unseen) + 2 * GAP),
      ...this.glyphs, ...this.texts);
  }

  /** Return the height of images in pixels. @param {number} count */
  heightOf(count) {
    return (ALL_IMAGES * count) / (this.total || 1);
  }

  /** Draw the bar of a side, and its name. @param {Side} side @param {number} top */
  drawSide(side, top) {
    const height = this.heightOf(this.images[side]);
    const text = `${GLYPHS[side]} ${this.sideNames[side]} classes, ${formatCount(this.images[side])}`;
    return [
      createSvg("rect", { class: "node", x: 0, y: top, width: BAR_WIDTH, height, style: lookStyle(side) }),
      createSvg("text", { class: "label", x: BAR_WIDTH + 6, y: top + height / 2 + 4 }, text),
    ];
  }

  /** @param {Int32Array} outcomes */
  update(outcomes) {
    const sizes = Array.from(outcomes, (count) => this.heightOf(count));
    const starts = stack(STARTS, sizes), ends = stack(OUTCOMES.map(([i]) => i), sizes);
    const { end } = this, middle = (BAR_WIDTH + end) / 2;
    const heights = OUTCOMES.map(([i]) => ends[i] + sizes[i] / 2 + 4);
    const labels = spreadLabels(heights, 18, 12, FLOW_HEIGHT - 3);
    OUTCOMES.forEach(([i, side, text], k) => {
      const from = starts[i], to = ends[i], size = sizes[i];
      setAttributes(this.streams[k], {
        d: `M${BAR_WIDTH} ${from}C${middle} ${from} ${middle} ${to} ${end} ${to}v${size}` +
          `C${middle} ${to + size} ${middle} ${from + size} ${BAR_WIDTH} ${from + size}Z` });
      setAttributes(this.glyphs[k], { y: labels[k] });
      setAttributes(this.texts[k], { y: labels[k] });
      const share = formatPercent(outcomes[i] / (this.images[side] || 1));
      this.texts[k].textContent = `${this.fillSideNames(text)} ${share}`;
    });
  }

  /** Fill the names of the two sides into a text. @param {string} text */
  fillSideNames(text) {
    return text.replace(/\{(an? )?(seen|unseen)\}/g, (_, article, side) => {
      const name = this.sideNames[/** @type {Side} */ (side)];
      return article ? `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}` : name;
    });
  }

  /** Return a description for screen readers. @param {Int32Array} outcomes */
  describe(outcomes) {
    const { unseen, seen } = this.images;
    /** @param {number} i @param {number} total */
    const share = (i, total) => formatPercent(outcomes[i] / (total || 1));
    return this.fillSideNames(`Of ${formatCount(unseen)} images of {unseen} classes, ` +
      `${share(0, unseen)} are right and ${share(2, unseen)} are predicted as {a seen} class; of ` +
      `${formatCount(seen)} images of {seen} classes, ${share(3, seen)} are right and ` +
      `${share(5, seen)} are predicted as {an unseen} class.`);
  }
}

/**
 * Return the upper edge of each stream, with a gap in the middle.
 * @param {number[]} order streams from top to bottom
 * @param {number[]} sizes height of each stream
 */
function stack(order, sizes) {
  /** @type {number[]} */
  const tops = [];
  let y = 0;
  order.forEach((i, k) => {
    if (k === order.length / 2) y += 2 * GAP;
    tops[i] = y;
    y += sizes[i];
  });
  return tops;
}
