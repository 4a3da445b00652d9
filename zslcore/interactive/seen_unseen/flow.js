// @ts-check
// Flow of images from unseen and seen classes to right and wrong predictions.

import { addArticle } from "../curves.js";
import { formatCount, formatPercent } from "../numbers.js";
import { spreadLabels } from "../layout.js";
import { setAttributes, createSvg } from "../svg.js";
/** @import { Sides } from "../curves.js" */

const HEIGHT = 230; // pixels, like the next three
const NODE = 8;
const GAP = 14;
const TEXT = 196; // width of the texts

/** Outcomes from top to bottom: position in `Tally.went`, true side, text, kind. */
const ENDS = /** @type {const} */ ([
  [0, "unseen", "right", "right"],
  [1, "unseen", "another {unseen} class", "wrong"],
  [5, "seen", "{seen} → {unseen}", "wrong"],
  [2, "unseen", "{unseen} → {seen}", "wrong"],
  [4, "seen", "another {seen} class", "wrong"],
  [3, "seen", "right", "right"],
]);
const GLYPHS = { unseen: "◆", seen: "●" };
/** Order of the streams of each side, chosen so that few streams cross. */
const LEAVING = { unseen: [0, 1, 2], seen: [5, 4, 3] };

export class Flow {
  /** @param {SVGSVGElement} root @param {number} width @param {Int32Array} went
   * @param {Sides} named */
  constructor(root, width, went, named) {
    this.sideNames = named;
    this.root = root;
    this.width = Math.max(width, 300);
    this.total = went.reduce((sum, count) => sum + count, 0);
    this.sides = { unseen: went[0] + went[1] + went[2], seen: went[3] + went[4] + went[5] };
    this.tall = HEIGHT - 2 * GAP; // height of all images together, without gaps
    setAttributes(root, { width: this.width, height: HEIGHT + 20,
      viewBox: `0 -20 ${this.width} ${HEIGHT + 20}` });
    this.streams = ENDS.map(([, side, , kind]) =>
      createSvg("path", { class: `stream ${kind}`, style: `--ink: var(--${side})` }));
    /** @param {string} label @param {number} x */
    const line = (label, x) => ({ class: label, x: this.width - TEXT + x });
    this.glyphs = ENDS.map(([, side]) =>
      createSvg("text", { ...line("name", 10), style: `--ink: var(--${side})` }, GLYPHS[side]));
    this.words = ENDS.map(([, , , kind]) =>
      createSvg("text", line(kind === "right" ? "label strong" : "label", 24)));
    const [a, b] = [this.heightOf("unseen"), this.heightOf("seen")];
    root.replaceChildren(
      createSvg("text", { class: "title", x: 0, y: -7 }, "images of"),
      createSvg("text", { class: "title", x: this.width - TEXT + 10, y: -7 }, "predicted, per image"),
      ...this.streams, sideBar("unseen", 0, a), sideBar("seen", a + 2 * GAP, b),
      this.sideLabel("unseen", a / 2), this.sideLabel("seen", a + 2 * GAP + b / 2),
      ...this.glyphs, ...this.words);
  }

  /** @param {"unseen" | "seen"} side */
  heightOf(side) {
    return (this.tall * this.sides[side]) / (this.total || 1);
  }

  /** @param {"unseen" | "seen"} side @param {number} y */
  sideLabel(side, y) {
    const text = `${GLYPHS[side]} ${this.sideNames[side]} classes, ${formatCount(this.sides[side])}`;
    return createSvg("text", { class: "label", x: NODE + 6, y: y + 4 }, text);
  }

  /** @param {Int32Array} went */
  update(went) {
    const size = Array.from(went, (count) => (this.tall * count) / (this.total || 1));
    const from = this.findStreamStarts(size);
    /** @type {number[]} */
    const tops = [];
    let y = 0;
    for (const [i] of ENDS) {
      tops.push(y);
      y += size[i] + (tops.length === 3 ? 2 * GAP : 0);
    }
    const x = NODE, end = this.width - TEXT, middle = (x + end) / 2;
    ENDS.forEach(([i], k) => {
      const a = from[i], b = tops[k], h = size[i];
      setAttributes(this.streams[k], { d: `M${x} ${a}C${middle} ${a} ${middle} ${b} ${end} ${b}v${h}` +
        `C${middle} ${b + h} ${middle} ${a + h} ${x} ${a + h}Z` });
    });
    const at = spreadLabels(ENDS.map(([i], k) => tops[k] + size[i] / 2 + 4), 18, 12, HEIGHT - 3);
    ENDS.forEach(([i, side, text], k) => {
      for (const each of [this.glyphs[k], this.words[k]]) setAttributes(each, { y: at[k] });
      this.words[k].textContent = `${this.fillSideNames(text)} ${formatPercent(went[i] / (this.sides[side] || 1))}`;
    });
  }

  /** Fill the names of the two sides into a text. @param {string} text */
  fillSideNames(text) {
    const { seen, unseen } = this.sideNames;
    return text.replace("{seen}", seen).replace("{unseen}", unseen)
      .replace("{a seen}", addArticle(seen)).replace("{an unseen}", addArticle(unseen));
  }

  /** Return the height at which each stream begins. @param {number[]} size */
  findStreamStarts(size) {
    const from = new Array(6).fill(0);
    let y = 0;
    for (const side of [LEAVING.unseen, LEAVING.seen]) {
      for (const i of side) {
        from[i] = y;
        y += size[i];
      }
      y += 2 * GAP;
    }
    return from;
  }

  /** Return a description for screen readers. @param {Int32Array} went */
  describe(went) {
    const { unseen, seen } = this.sides;
    /** @param {number} i @param {number} of */
    const share = (i, of) => formatPercent(went[i] / (of || 1));
    return this.fillSideNames(`Of ${formatCount(unseen)} images of {unseen} classes ${share(0, unseen)} are ` +
      `right and ${share(2, unseen)} are predicted as {a seen} class; of ${formatCount(seen)} images ` +
      `of {seen} classes ${share(3, seen)} are right and ${share(5, seen)} are predicted as ` +
      "{an unseen} class.");
  }
}

/** @param {string} side @param {number} y @param {number} height */
function sideBar(side, y, height) {
  const style = `--ink: var(--${side})`;
  return createSvg("rect", { class: "node", x: 0, y, width: NODE, height, style });
}
