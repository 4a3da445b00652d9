// @ts-check
// Predictions of images, and right predictions of each class, counted again while gamma moves.

import { countUpTo } from "./curve.js";

/** @import { Images } from "./curves.js" */

const SEEN = 1; // bits of `right`: the best seen class is right,
const UNSEEN = 2; // the best unseen class is right

export class Tally {
  /** number of images predicted as an unseen class: the first images in the order of switches */
  switched = 0;
  /** images of unseen classes: right, wrong unseen class, seen class; then images of seen
   * classes: right, wrong seen class, unseen class */
  outcomes = new Int32Array(6);

  /** @param {Images} images */
  constructor(images) {
    this.images = images;
    const { classes, classOf, right, seen } = images;
    /** right predictions and images of each class */
    this.right = new Int32Array(classes.length);
    this.total = new Int32Array(classes.length);
    for (let i = 0; i < images.n; i++) {
      const c = classOf[i], isRight = Boolean(right[i] & SEEN);
      this.total[c]++;
      this.right[c] += Number(isRight);
      this.outcomes[outcomeIndex(seen[c], isRight, true)]++;
    }
  }

  /** Move to a gamma; only predictions that switch are counted again. @param {number} gamma */
  moveTo(gamma) {
    const target = countUpTo(this.images.gamma, gamma);
    while (this.switched < target) this.switchImage(this.switched++, 1);
    while (this.switched > target) this.switchImage(--this.switched, -1);
    return this;
  }

  /** Switch the prediction of an image. @param {number} i
   * @param {1 | -1} direction 1 from seen to unseen, -1 back to seen */
  switchImage(i, direction) {
    const { classOf, right, seen } = this.images, c = classOf[i];
    const before = Boolean(right[i] & SEEN), after = Boolean(right[i] & UNSEEN);
    this.outcomes[outcomeIndex(seen[c], before, true)] -= direction;
    this.outcomes[outcomeIndex(seen[c], after, false)] += direction;
    this.right[c] += direction * (Number(after) - Number(before));
  }

  /** Share of right predictions in each class. */
  get accuracy() {
    return Float64Array.from(this.right, (count, c) => count / (this.total[c] || 1));
  }
}

/**
 * Return the position in `Tally.outcomes` at which an image is counted.
 * @param {boolean} isSeen whether the class of the image is seen
 * @param {boolean} isRight
 * @param {boolean} toSeen whether the prediction is a seen class
 */
function outcomeIndex(isSeen, isRight, toSeen) {
  const outcome = isRight ? 0 : isSeen === toSeen ? 1 : 2;
  return (isSeen ? 3 : 0) + outcome;
}
