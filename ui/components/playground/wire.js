// @ts-check
// Data of an instrument from the server; the Python class `Instrument` explains each part.

import { readPacked } from "../../../zslcore/interactive/bytes.js";
import { readCurves } from "../../../zslcore/interactive/curves.js";

/** @import { Head, Images } from "../../../zslcore/interactive/curves.js" */

/** @typedef {{ name: string, n: number, unseen: Float32Array, seen: Float32Array }} Ghost */

/**
 * @typedef {object} Answers predictions of the images, in the order in which images switch from seen to unseen
 * @property {Uint32Array} order image numbers in this order; each number means the same image for all methods
 * @property {Uint16Array} seen best seen class of each image, an index of `candidates`, or NONE
 * @property {Uint16Array} unseen best unseen class of each image
 */

/**
 * @typedef {object} Pictures of all images, by their number
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} ink from 0 to 255
 */

/** @typedef {{ key: string, title: string, classes: number, kind: string }} Tile a data set */
/**
 * @typedef {{ name: string, words: string, available: boolean, title: string, needs: string }} Chip a method, whether
 *   its predictions are available, and the package that it lacks
 */
/** @typedef {{ dataset: string, split: string, method: string }} Choice */

/**
 * @typedef {object} Rail
 * @property {Tile[]} tiles
 * @property {Tile[]} simulated
 * @property {string[]} splits
 * @property {string} split_note why no other split can be chosen
 * @property {Record<string, Chip[]>} families
 * @property {Choice} chosen
 */

/** @typedef {Head & { images: Images, answers: Answers }} Frame contents at a stop of a ruler */

/**
 * @typedef {object} Ruler ruler of gamma or, with stops, of another value
 * @property {"gamma" | "lambda" | "images"} kind
 * @property {string} symbol label of a value, with braces for the value
 * @property {string} spoken the same label for screen readers
 * @property {string[]} words values at the stops as text
 * @property {{ name: string, place: number, look: string }[]} named stops that have a name
 * @property {number} start
 * @property {number} reference the stop with which other stops are compared
 * @property {string} note why there are no stops
 */

/**
 * @typedef {object} Contents parts of an instrument in addition to curves
 * @property {string} images_key digest of the classes and images
 * @property {[one: string, many: string]} noun of the classes
 * @property {string[]} candidates names of all candidate classes
 * @property {Ghost[]} ghosts curves of other methods
 * @property {Answers} answers
 * @property {Pictures | null} pictures
 * @property {Rail} rail
 * @property {{ words: string, button: string, command: string, covers: boolean } | null} pending message while
 *   there are no predictions, and whether it replaces the curve
 * @property {Ruler} ruler
 * @property {Frame[]} frames one per stop of the ruler
 * @property {number} below pixels below the instrument
 * @property {string} only the class to which the wall is limited; empty for all classes
 */

/** @typedef {Head & Contents & { images: Images }} Instrument */

export const NONE = 65535; // a side without a candidate

/**
 * @param {Uint8Array} bytes
 * @returns {Instrument}
 */
export function readInstrument(bytes) {
  const { head, readArray } = readPacked(bytes);
  /** @param {Frame} frame */
  const readFrame = (frame) => {
    readCurves(frame, readArray);
    const { n } = frame.images;
    frame.answers = { order: readArray(Uint32Array, n), seen: readArray(Uint16Array, n),
      unseen: readArray(Uint16Array, n) };
  };
  readFrame(head);
  const { n } = head.images;
  for (const ghost of head.ghosts) {
    ghost.unseen = readArray(Float32Array, ghost.n);
    ghost.seen = readArray(Float32Array, ghost.n);
  }
  if (head.pictures) {
    const { width, height } = head.pictures;
    head.pictures.ink = readArray(Uint8Array, n * width * height);
  }
  head.frames.forEach(readFrame);
  return head;
}
