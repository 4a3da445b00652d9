// @ts-check
// What the server sends of curves and images: `SeenUnseen` in Python says what each part means.

/** @import { Kind } from "./bytes.js" */
/** @import { Look } from "./held.js" */

/**
 * @typedef {<T extends ArrayBufferView>(kind: Kind<T>, count: number) => T} Take one array
 */

/** @typedef {{ name: string, gamma: number, look: string }} Stop a gamma with a name */

/**
 * @typedef {object} Line a curve; its arrays have one entry a breakpoint
 * @property {string} name
 * @property {string} look
 * @property {number} n
 * @property {Stop[]} stops
 * @property {[low: number, high: number]} limits of the axis of gamma
 * @property {number} start the gamma to begin with
 * @property {Float64Array} gamma increasing, the first is minus infinity
 * @property {Float64Array} seen
 * @property {Float64Array} unseen
 */

/**
 * @typedef {object} Images in the order in which their answers change sides
 * @property {number} n
 * @property {string[]} classes names
 * @property {boolean[]} seen of each class
 * @property {Float64Array} gamma from which on an image is answered with an unseen class
 * @property {Uint16Array} of class of each image
 * @property {Uint8Array} right 1 where its best seen class is right, 2 where its best unseen one is
 */

/**
 * @typedef {object} Head
 * @property {string} key another one means other curves
 * @property {string} alt
 * @property {string} file what a menu calls it that asks for a picture
 * @property {Record<string, Look>} looks
 * @property {Line[]} lines the first one can be dragged
 * @property {Images | null} images of the first line
 * @property {boolean} choose whether a visitor may select another line to drag
 * @property {boolean} tell whether the server wants to know where gamma was let go
 * @property {[seen: string, unseen: string]} [sides] what the two sides are called
 */

/** @typedef {{ seen: string, unseen: string }} Sides what the two sides are called */

/**
 * What the two sides are called, "seen" and "unseen" where nothing else is said.
 * @param {Pick<Head, "sides">} head
 * @returns {Sides}
 */
export function sidesOf({ sides: [seen, unseen] = ["seen", "unseen"] }) {
  return { seen, unseen };
}

/** @param {string} word @returns {string} */
export function withArticle(word) {
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

/**
 * Give the arrays of curves and images their names.
 * @param {Head} head
 * @param {Take} take
 * @returns {Head}
 */
export function withArrays(head, take) {
  for (const line of head.lines)
    for (const name of /** @type {const} */ (["gamma", "seen", "unseen"]))
      line[name] = take(Float64Array, line.n);
  if (head.images) {
    head.images.gamma = take(Float64Array, head.images.n);
    head.images.of = take(Uint16Array, head.images.n);
    head.images.right = take(Uint8Array, head.images.n);
  }
  return head;
}
