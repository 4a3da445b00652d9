// @ts-check
// Data of curves and images from the server; see `InteractiveCurve` in Python.

/** @import { ArrayKind } from "./bytes.js" */
/** @import { Look } from "./looks.js" */

/**
 * @typedef {<T extends ArrayBufferView>(kind: ArrayKind<T>, count: number) => T} ReadArray array reader
 */

/** @typedef {{ name: string, gamma: number, look: string }} Stop named gamma */

/**
 * @typedef {object} Line curve; its arrays have one entry per breakpoint
 * @property {string} name
 * @property {string} look
 * @property {number} n
 * @property {Stop[]} stops
 * @property {[low: number, high: number]} limits ends of the axis of gamma
 * @property {number} start initial gamma
 * @property {Float64Array} gamma increasing; the first value is minus infinity
 * @property {Float64Array} seen
 * @property {Float64Array} unseen
 */

/**
 * @typedef {object} Images images by the gamma at which their predictions become unseen
 * @property {number} n
 * @property {string[]} classes names of classes
 * @property {boolean[]} seen whether each class is seen
 * @property {Float64Array} gamma smallest gamma at which each image is predicted as unseen
 * @property {Uint16Array} classOf number of the class of each image
 * @property {Uint8Array} right 1 if the best seen class is right, plus 2 if the best unseen is
 */

/**
 * @typedef {object} Head
 * @property {string} key identifies the curves
 * @property {string} alt
 * @property {string} file name of the figure in requests for a picture
 * @property {Record<string, Look>} looks
 * @property {Line[]} lines the first line can be dragged
 * @property {Images | null} images of the first line
 * @property {boolean} choose whether a visitor may select another line to drag
 * @property {boolean} sendsValue whether the server receives gamma at the end of a drag
 * @property {[seen: string, unseen: string]} sides names of the two sides
 */

/** @typedef {{ seen: string, unseen: string }} Sides names of the two sides */

/**
 * Return the names of the two sides.
 * @param {Pick<Head, "sides">} head
 * @returns {Sides}
 */
export function readSides({ sides: [seen, unseen] }) {
  return { seen, unseen };
}

/**
 * Read the arrays of curves and images into the head.
 * @param {Head} head
 * @param {ReadArray} readArray
 * @returns {Head}
 */
export function readCurves(head, readArray) {
  for (const line of head.lines)
    for (const name of /** @type {const} */ (["gamma", "seen", "unseen"]))
      line[name] = readArray(Float64Array, line.n);
  if (head.images) {
    head.images.gamma = readArray(Float64Array, head.images.n);
    head.images.classOf = readArray(Uint16Array, head.images.n);
    head.images.right = readArray(Uint8Array, head.images.n);
  }
  return head;
}
