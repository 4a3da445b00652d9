// @ts-check
// Predictions of images, and right predictions of each class, counted again while gamma moves.

import { countUpTo } from "./curve.js";

/** @import { Images } from "./curves.js" */

const SEEN = 1; // bits of `right`: the best seen class is right,
const UNSEEN = 2; // the best unseen class is right

export class Tally {
  /** @param {Images} images */
  constructor(images) {
    this.images = images;
    /** number of images predicted as an unseen class: the first images in the order of switches */
    this.switched = 0;
    const { classes, classOf: of, right, seen } = images;
    this.right = new Int32Array(classes.length);
    this.total = new Int32Array(classes.length);
    /** images of unseen classes: right, wrong unseen class, seen class; then images of seen
     * classes: right, wrong seen class, unseen class */
    this.outcomes = new Int32Array(6);
    for (let i = 0; i < images.n; i++) {
      const c = of[i], isRight = right[i] & SEEN;
      this.total[c]++;
      if (isRight) this.right[c]++;
      this.outcomes[outcomeIndex(seen[c], Boolean(isRight), true)]++;
    }
  }

  /** Move to a gamma; only predictions that switch are counted again. @param {number} gamma */
  moveTo(gamma) {
    const wanted = countUpTo(this.images.gamma, gamma);
    while (this.switched < wanted) this.switchImage(this.switched++, 1);
    while (this.switched > wanted) this.switchImage(--this.switched, -1);
    return this;
  }

  /** Switch the prediction of an image. @param {number} i
   * @param {1 | -1} way 1 from seen to unseen, -1 back to seen */
  switchImage(i, way) {
    const { classOf: of, right, seen } = this.images, c = of[i];
    const before = Boolean(right[i] & SEEN), after = Boolean(right[i] & UNSEEN);
    this.outcomes[outcomeIndex(seen[c], before, true)] -= way;
    this.outcomes[outcomeIndex(seen[c], after, false)] += way;
    this.right[c] += way * (Number(after) - Number(before));
  }

  /** Share of right predictions in each class. */
  get accuracy() {
    return Float64Array.from(this.right, (count, c) => count / (this.total[c] || 1));
  }
}

/**
 * Return the position in `Tally.went` at which an image is counted.
 * @param {boolean} ofSeen
 * @param {boolean} isRight
 * @param {boolean} toSeen whether the prediction is a seen class
 */
function outcomeIndex(ofSeen, isRight, toSeen) {
  const outcome = isRight ? 0 : ofSeen === toSeen ? 1 : 2;
  return (ofSeen ? 3 : 0) + outcome;
}
