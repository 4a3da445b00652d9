// @ts-check
// What the server sends of an instrument: `Instrument` in Python says what each part means.

import { opened } from "../../../zslcore/interactive/bytes.js";
import { withArrays } from "../../../zslcore/interactive/curves.js";

/** @import { Head, Images } from "../../../zslcore/interactive/curves.js" */

/** @typedef {{ name: string, n: number, unseen: Float32Array, seen: Float32Array }} Ghost */

/**
 * @typedef {object} Answers to the images, in the order in which their answers change sides
 * @property {Uint32Array} order which image each is, the same number whatever the method
 * @property {Uint16Array} seen best seen class of each, a place in `candidates`; NONE for none
 * @property {Uint16Array} unseen best unseen class of each
 */

/**
 * @typedef {object} Pictures of all images, by their number
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} ink from 0 to 255
 */

/** @typedef {{ key: string, title: string, classes: number, kind: string }} Tile a data set */
/**
 * @typedef {{ name: string, here: boolean, title: string, needs: string }} Chip a method, whether it
 *   is here, and the package that is missing to fit it
 */
/** @typedef {{ dataset: string, split: string, method: string }} Choice */

/**
 * @typedef {object} Rail
 * @property {Tile[]} tiles
 * @property {Tile[]} simulated
 * @property {string[]} splits
 * @property {string} split_note why no other split can be chosen
 * @property {{ family: string, chips: Chip[] }[]} families
 * @property {Choice} chosen
 */

/** @typedef {Head & { images: Images, answers: Answers }} Frame what is drawn at a stop of a ruler */

/**
 * @typedef {object} Ruler what is moved: gamma, unless it has stops
 * @property {"gamma" | "lambda" | "images"} kind
 * @property {string} symbol of a value, which stands where the braces are
 * @property {string} spoken the same, for those who listen
 * @property {string[]} words of the values of its stops
 * @property {{ name: string, place: number, look: string }[]} named stops that have a name
 * @property {number} start
 * @property {number} reference the stop that others are compared with
 * @property {string} note why there are no stops
 */

/**
 * @typedef {object} Own what an instrument has in addition to curves
 * @property {string} wall another one means other images
 * @property {[one: string, many: string]} noun of the classes
 * @property {string[]} candidates names of all classes that can be answered
 * @property {Ghost[]} ghosts curves of other methods
 * @property {Answers} answers
 * @property {Pictures | null} pictures
 * @property {Rail} rail
 * @property {{ words: string, button: string, command: string, covers: boolean } | null} pending what is said while
 *   there are no answers, and whether nothing else is shown
 * @property {Ruler} ruler
 * @property {Frame[]} frames one a stop of the ruler
 * @property {number} below pixels below the instrument
 */

/** @typedef {Head & Own & { images: Images }} Instrument */

export const NONE = 65535; // a side without a candidate

/**
 * @param {Uint8Array} bytes
 * @returns {Instrument}
 */
export function unpack(bytes) {
  const { head, take } = opened(bytes);
  /** @param {Frame} each */
  const withAnswers = (each) => {
    withArrays(each, take);
    const { n } = each.images;
    each.answers = { order: take(Uint32Array, n), seen: take(Uint16Array, n),
      unseen: take(Uint16Array, n) };
  };
  withAnswers(head);
  const { n } = head.images;
  for (const ghost of head.ghosts) {
    ghost.unseen = take(Float32Array, ghost.n);
    ghost.seen = take(Float32Array, ghost.n);
  }
  if (head.pictures) {
    const { width, height } = head.pictures;
    head.pictures.ink = take(Uint8Array, n * width * height);
  }
  head.frames.forEach(withAnswers);
  return head;
}
