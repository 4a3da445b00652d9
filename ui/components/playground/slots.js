// @ts-check
// Positions of images: an image is left of the middle while a seen class is predicted, and right of it
// from the gamma on at which its prediction changes. On each side, correct predictions are nearer to the
// middle than wrong ones. Within correct and within wrong predictions, the images nearest to the middle
// change last on the left, and have changed first on the right. So images leave and join at the outer
// end, and only images that change sides move.

import { countUpTo } from "../../../zslcore/interactive/curve.js";

/** @import { Images } from "../../../zslcore/interactive/curves.js" */

/** @typedef {{ name: string, classes: number[], seen: boolean | null }} Group in rows of its own */
/** @typedef {{ size: number, pitch: number, columns: number, rows: number[], tops: number[] }} Grid */
/** Space for images; `minRow` is the minimum height of a group and `maxSize` the maximum size of an image.
 * `pitch` is the distance of columns as a share of that of rows. Some images are left out if all would be
 * smaller than `legible`.
 * @typedef {{ width: number, height: number, gap: number, minRow: number, maxSize: number, pitch?: number,
 *   legible?: number }} Room */

const BY_CLASS = 24; // maximum number of classes with rows of their own
const MIDDLE = 8; // pixels between the middle and the first image
const MOST_STEP = 4; // at least one in this number of images is shown

/**
 * Groups of classes, seen ones first.
 * @param {Images} images
 * @param {number | null} only this class
 * @returns {Group[]}
 */
export function groupClasses({ classes, seen }, only) {
  if (only !== null) return [{ name: classes[only], classes: [only], seen: seen[only] }];
  const all = classes.map((_, c) => c);
  const sides = [true, false].map((side) => all.filter((c) => seen[c] === side));
  if (all.length <= BY_CLASS)
    return sides.flat().map((c) => ({ name: classes[c], classes: [c], seen: seen[c] }));
  return sides.filter((of) => of.length).map((of) =>
    ({ name: "", classes: of, seen: seen[of[0]] }));
}

/**
 * The grid with the largest images for which each group fits, even on one side.
 * @param {number[]} counts images of every group
 * @param {Room} room
 * @returns {Grid}
 */
export function fitGrid(counts, { width, height, gap, minRow, maxSize, pitch = 1 }) {
  let low = 0.25, high = maxSize;
  /** @param {number} size */
  const layOutRows = (size) => {
    const columns = Math.max(1, Math.floor((width / 2 - MIDDLE) / (pitch * size)));
    const rows = counts.map((count) => Math.max(1, Math.ceil(count / columns)));
    return { columns, rows, total: rows.reduce((sum, row) => sum + Math.max(minRow, row * size), 0) };
  };
  const between = Math.max(1, counts.length - 1), free = height - gap * (counts.length - 1);
  while (high > 5 && layOutRows(high).total > free) high--; // whole pixels: small pictures are crisp
  if (layOutRows(high).total > free)
    for (let i = 0; i < 24; i++) {
      const size = (low + high) / 2;
      if (layOutRows(size).total <= free) low = size;
      else high = size;
    }
  else low = high;
  const { columns, rows, total } = layOutRows(low), distance = gap + Math.min(8, (free - total) / between);
  /** @type {number[]} */
  const tops = [];
  let y = 0;
  for (const row of rows) {
    tops.push(y);
    y += Math.max(minRow, row * low) + distance;
  }
  return { size: low, pitch: pitch * low, columns, rows, tops };
}

/** Images of a group on one side: correct and wrong predictions, each in the order of changes. */
class SideLists {
  /** @param {number[]} members @param {Uint8Array} sidesWhereCorrect @param {number} side as a bit */
  constructor(members, sidesWhereCorrect, side) {
    this.correct = Uint32Array.from(members.filter((i) => sidesWhereCorrect[i] & side));
    this.wrong = Uint32Array.from(members.filter((i) => !(sidesWhereCorrect[i] & side)));
  }
}

export class Slots {
  /**
   * @param {Images} images
   * @param {Group[]} groups
   * @param {Room} room
   */
  constructor(images, groups, room) {
    this.groups = groups;
    this.middle = room.width / 2;
    const groupOf = new Int32Array(images.classes.length).fill(-1);
    groups.forEach(({ classes }, g) => classes.forEach((c) => {
      groupOf[c] = g;
    }));
    /** @type {number[][]} */
    const members = groups.map(() => []);
    for (let i = 0; i < images.n; i++) members[groupOf[images.classOf[i]]]?.push(i);
    /** @param {number} step */
    const fitEvery = (step) => fitGrid(members.map(({ length }) => Math.ceil(length / step)), room);
    /** one image in this many is shown */
    this.step = 1;
    this.grid = fitEvery(1);
    while (this.grid.size < (room.legible ?? 0) && this.step < MOST_STEP)
      this.grid = fitEvery(++this.step);
    this.lists = members.map((group) => group.filter((_, k) => k % this.step === 0)).map((shown) =>
      ({ left: new SideLists(shown, images.right, 1), right: new SideLists(shown, images.right, 2) }));
    /** position of each image, NaN for images that are not shown */
    this.x = new Float32Array(images.n).fill(NaN);
    this.y = new Float32Array(images.n).fill(NaN);
  }

  /** Place all images; the first `changed` images are on the right. @param {number} changed */
  place(changed) {
    this.lists.forEach(({ left, right }, g) => {
      const [a, b] = [left.correct, left.wrong].map((list) => countUpTo(list, changed - 1));
      const [c, d] = [right.correct, right.wrong].map((list) => countUpTo(list, changed - 1));
      this.placeList(g, left.correct.subarray(a).toReversed(), -1, 0);
      this.placeList(g, left.wrong.subarray(b).toReversed(), -1, left.correct.length - a);
      this.placeList(g, right.correct.subarray(0, c), 1, 0);
      this.placeList(g, right.wrong.subarray(0, d), 1, c);
    });
    return this;
  }

  /** Place images of a group, after the first `skip` positions from the middle. @param {number} g
   * @param {Uint32Array} list @param {1 | -1} direction 1 to the right @param {number} skip */
  placeList(g, list, direction, skip) {
    const { size, pitch, rows, tops } = this.grid, perColumn = rows[g];
    list.forEach((i, k) => {
      const column = Math.floor((k + skip) / perColumn);
      this.x[i] = this.middle + direction * MIDDLE + (direction > 0 ? column : -column - 1) * pitch;
      this.y[i] = tops[g] + (k + skip - column * perColumn) * size;
    });
  }
}
