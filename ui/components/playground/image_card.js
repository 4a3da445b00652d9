// @ts-check
// One enlarged image, with its predictions below and above the gamma at which the prediction changes.

import { getContext, findElement } from "../../../zslcore/interactive/dom.js";
import { readColor } from "../../../zslcore/interactive/colors.js";
import { formatNumber } from "../../../zslcore/interactive/numbers.js";
import { NONE } from "./wire.js";

/** @import { Instrument } from "./wire.js" */

/** @typedef {{ title: string, answer: string, change: string }} Words of an image */

/**
 * Texts on an image at a gamma.
 * @param {Instrument} head
 * @param {number} k in the order of changes
 * @param {number} gamma
 * @returns {Words}
 */
export function describeImage({ images, answers: answers, candidates }, k, gamma) {
  const name = images.classes[images.classOf[k]], side = images.seen[images.classOf[k]] ? "seen" : "unseen";
  const now = images.gamma[k] > gamma ? 1 : 2;
  /** @param {number} bit */
  const answered = (bit) => {
    const place = (bit === 1 ? answers.seen : answers.unseen)[k];
    return place === NONE ? "" : candidates[place];
  };
  const verdict = images.right[k] & now ? "right" : "wrong";
  const other = answered(3 - now), at = images.gamma[k];
  const kind = now === 1 ? "seen" : "unseen";
  return {
    title: `${name}, ${side}`,
    answer: `Predicted as ${answered(now)} (${kind}): ${verdict}.`,
    change: other && Number.isFinite(at)
      ? `${now === 1 ? "From" : "Below"} γ ${formatNumber(at)}${now === 1 ? " on" : ""}: ${other}.`
      : "No γ changes this prediction.",
  };
}

export class ImageCard {
  /** @param {HTMLElement} root @param {(way: 1 | -1) => void} step @param {() => void} closed */
  constructor(root, step, closed) {
    this.root = root;
    this.canvas = findElement(root, "canvas", HTMLCanvasElement);
    this.words = ["strong", ".answer", ".change"].map((each) => findElement(root, each, HTMLElement));
    this.image = -1;
    findElement(root, ".before", HTMLButtonElement).addEventListener("click", () => step(-1));
    findElement(root, ".after", HTMLButtonElement).addEventListener("click", () => step(1));
    findElement(root, ".close", HTMLButtonElement).addEventListener("click", closed);
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") closed();
    });
  }

  /** @param {Instrument} head @param {number} image @param {number} gamma */
  show(head, image, gamma) {
    const { title, answer, change } = describeImage(head, head.answers.order.indexOf(image), gamma);
    const other = image !== this.image;
    this.image = image;
    this.root.hidden = false;
    [title, answer, change].forEach((words, i) => {
      this.words[i].textContent = words;
    });
    this.root.dataset.right = String(answer.endsWith("right."));
    this.canvas.hidden = !head.pictures;
    if (head.pictures && other) this.drawPicture(head, image);
  }

  /** @param {Instrument} head @param {number} image */
  drawPicture({ pictures }, image) {
    const { width, height, ink } = /** @type {NonNullable<typeof pictures>} */ (pictures);
    [this.canvas.width, this.canvas.height] = [width, height];
    const ctx = getContext(this.canvas), data = ctx.createImageData(width, height);
    const [r, g, b] = readColor(getComputedStyle(this.canvas).color);
    for (let at = 0; at < width * height; at++)
      data.data.set([r, g, b, ink[image * width * height + at]], 4 * at);
    ctx.putImageData(data, 0, 0);
  }

  hide() {
    this.image = -1;
    this.root.hidden = true;
  }
}
