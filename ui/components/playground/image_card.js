// @ts-check
// One enlarged image, with its predictions below and above the gamma at which the prediction changes.

import { getContext, paintPixels, readColor } from "../../../zslcore/interactive/canvas.js";
import { findElement } from "../../../zslcore/interactive/dom.js";
import { formatNumber } from "../../../zslcore/interactive/numbers.js";
import { NONE } from "./wire.js";

/** @import { Instrument } from "./wire.js" */

/** @typedef {{ title: string, answer: string, change: string }} ImageTexts */

/**
 * Return the texts of an image at a gamma.
 * @param {Instrument} head
 * @param {number} k in the order of changes
 * @param {number} gamma
 * @returns {ImageTexts}
 */
export function describeImage({ images, answers, candidates }, k, gamma) {
  const c = images.classOf[k], switchGamma = images.gamma[k], isBelow = switchGamma > gamma;
  const [side, otherSide] = isBelow ? ["seen", "unseen"] : ["unseen", "seen"];
  /** @param {string} name */
  const predictionOf = (name) => {
    const candidate = (name === "seen" ? answers.seen : answers.unseen)[k];
    return candidate === NONE ? "" : candidates[candidate];
  };
  const isRight = images.right[k] & (isBelow ? 1 : 2), other = predictionOf(otherSide);
  const range = isBelow ? `From γ ${formatNumber(switchGamma)} on` : `Below γ ${formatNumber(switchGamma)}`;
  return {
    title: `${images.classes[c]}, ${images.seen[c] ? "seen" : "unseen"}`,
    answer: `Predicted as ${predictionOf(side)} (${side}): ${isRight ? "right" : "wrong"}.`,
    change: other && Number.isFinite(switchGamma) ? `${range}: ${other}.` : "No γ changes this prediction.",
  };
}

export class ImageCard {
  /** number of the image, -1 while the card is hidden */
  image = -1;

  /** @param {HTMLElement} root @param {(direction: 1 | -1) => void} onStep @param {() => void} onClose */
  constructor(root, onStep, onClose) {
    this.root = root;
    this.canvas = findElement(root, "canvas", HTMLCanvasElement);
    this.title = findElement(root, "strong", HTMLElement);
    this.answer = findElement(root, ".answer", HTMLElement);
    this.change = findElement(root, ".change", HTMLElement);
    findElement(root, ".before", HTMLButtonElement).addEventListener("click", () => onStep(-1));
    findElement(root, ".after", HTMLButtonElement).addEventListener("click", () => onStep(1));
    findElement(root, ".close", HTMLButtonElement).addEventListener("click", onClose);
    root.addEventListener("keydown", ({ key }) => key === "Escape" && onClose());
  }

  /** @param {Instrument} head @param {number} image @param {number} gamma */
  show(head, image, gamma) {
    const { title, answer, change } = describeImage(head, head.answers.order.indexOf(image), gamma);
    const isNew = image !== this.image;
    this.image = image;
    this.root.hidden = false;
    this.title.textContent = title;
    this.answer.textContent = answer;
    this.change.textContent = change;
    this.root.dataset.right = String(answer.endsWith("right."));
    this.canvas.hidden = !head.pictures;
    if (head.pictures && isNew) this.drawPicture(head.pictures, image);
  }

  /** @param {NonNullable<Instrument["pictures"]>} pictures @param {number} image */
  drawPicture({ width, height, ink }, image) {
    Object.assign(this.canvas, { width, height });
    const [red, green, blue] = readColor(getComputedStyle(this.canvas).color);
    paintPixels(getContext(this.canvas), { width, height }, (k) =>
      [red, green, blue, ink[image * width * height + k]]);
  }

  hide() {
    this.image = -1;
    this.root.hidden = true;
  }
}
