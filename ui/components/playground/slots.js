// @ts-check
// Positions of images: left of the middle while a seen class is predicted, right of it from the
// image's own gamma on. On each side, right predictions are nearest to the middle, then wrong
// predictions. Within both, images that change last (left) or have changed first (right) are nearest to
// the middle. So most images have one position on each side, and only images that change sides move.

/** @import { Images } from "../../../zslcore/interactive/curves.js" */

/** @typedef {{ name: string, classes: number[], seen: boolean | null }} Group in rows of its own */
/** @typedef {{ size: number, columns: number, rows: number[], tops: number[] }} Grid */
/** @typedef {{ width: number, height: number, gap: number, least: number, most: number }} Room */

const BY_CLASS = 24; // maximum number of classes with rows of their own
const MIDDLE = 8; // pixels between the middle and the first image

/**
 * Groups of classes, seen ones first.
 * @param {Images} images
 * @param {number | null} only this class
 * @returns {Group[]}
 */
export function groupsOf({ classes, seen }, only) {
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
export function gridOf(counts, { width, height, gap, least, most }) {
  let low = 0.25, high = most;
  /** @param {number} size */
  const tall = (size) => {
    const columns = Math.max(1, Math.floor((width / 2 - MIDDLE) / size));
    const rows = counts.map((count) => Math.max(1, Math.ceil(count / columns)));
    return { columns, rows, total: rows.reduce((sum, row) => sum + Math.max(least, row * size), 0) };
  };
  const between = Math.max(1, counts.length - 1), free = height - gap * (counts.length - 1);
  if (tall(high).total > free)
    for (let i = 0; i < 24; i++) {
      const size = (low + high) / 2;
      if (tall(size).total <= free) low = size;
      else high = size;
    }
  else low = high;
  if (low > 5) low = Math.floor(low); // whole pixels, so that small pictures are crisp
  const { columns, rows, total } = tall(low), apart = gap + Math.min(8, (free - total) / between);
  /** @type {number[]} */
  const tops = [];
  let y = 0;
  for (const row of rows) {
    tops.push(y);
    y += Math.max(least, row * low) + apart;
  }
  return { size: low, columns, rows, tops };
}

/** Images of a group on one side: right and wrong predictions, each in the order of changes. */
class Lists {
  /** @param {number[]} members @param {Uint8Array} right @param {number} bit */
  constructor(members, right, bit) {
    this.right = Uint32Array.from(members.filter((i) => right[i] & bit));
    this.wrong = Uint32Array.from(members.filter((i) => !(right[i] & bit)));
  }
}

/**
 * Count of the numbers of an increasing list below `end`.
 * @param {Uint32Array} list
 * @param {number} end
 */
export function countBelow(list, end) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < end) low = middle + 1;
    else high = middle;
  }
  return low;
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
    const whose = new Int32Array(images.classes.length).fill(-1);
    groups.forEach(({ classes }, g) => classes.forEach((c) => {
      whose[c] = g;
    }));
    /** @type {number[][]} */
    const members = groups.map(() => []);
    for (let i = 0; i < images.n; i++) if (whose[images.of[i]] >= 0) members[whose[images.of[i]]].push(i);
    this.lists = members.map((of) =>
      ({ left: new Lists(of, images.right, 1), right: new Lists(of, images.right, 2) }));
    this.grid = gridOf(members.map(({ length }) => length), room);
    /** position of each image, NaN for images that are not shown */
    this.x = new Float32Array(images.n).fill(NaN);
    this.y = new Float32Array(images.n).fill(NaN);
  }

  /** Place all images; the first `changed` images are on the right. @param {number} changed */
  place(changed) {
    this.lists.forEach(({ left, right }, g) => {
      const a = countBelow(left.right, changed), b = countBelow(right.right, changed);
      this.fromEnd(g, left.right, a, 0);
      this.fromEnd(g, left.wrong, countBelow(left.wrong, changed), left.right.length - a);
      this.fromBeginning(g, right.right, b, 0);
      this.fromBeginning(g, right.wrong, countBelow(right.wrong, changed), b);
    });
    return this;
  }

  /** @param {number} g @param {Uint32Array} list @param {number} from @param {number} skip */
  fromEnd(g, list, from, skip) {
    const { size, rows, tops } = this.grid, high = rows[g];
    for (let k = list.length - 1, slot = skip; k >= from; k--, slot++) {
      const column = Math.floor(slot / high), i = list[k];
      this.x[i] = this.middle - MIDDLE - (column + 1) * size;
      this.y[i] = tops[g] + (slot - column * high) * size;
    }
  }

  /** @param {number} g @param {Uint32Array} list @param {number} to @param {number} skip */
  fromBeginning(g, list, to, skip) {
    const { size, rows, tops } = this.grid, high = rows[g];
    for (let k = 0, slot = skip; k < to; k++, slot++) {
      const column = Math.floor(slot / high), i = list[k];
      this.x[i] = this.middle + MIDDLE + column * size;
      this.y[i] = tops[g] + (slot - column * high) * size;
    }
  }
}
