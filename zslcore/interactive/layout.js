// @ts-check
// Where things stand: axes, labels that do not run into each other, flags in rows.

/** @typedef {{ x: number, y: number, width: number }} Wish a label: what it names, and its width */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Frame of a plane */

export const LINE = 16; // height of a label

/** A linear scale. @param {[number, number]} from @param {[number, number]} to */
export function scale([a, b], [u, v]) {
  const factor = (v - u) / (b - a);
  return {
    /** @param {number} value */
    at: (value) => u + (Math.min(Math.max(value, a), b) - a) * factor,
    /** @param {number} place */
    value: (place) => a + (Math.min(Math.max(place, Math.min(u, v)), Math.max(u, v)) - u) / factor,
  };
}

/**
 * Round values for an axis, at most so many.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function ticks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= rough * 0.999) ?? 10);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** @typedef {{ x: number, y: number, width: number, height: number }} Box from its upper left */

/**
 * The first of some places at which a box stands inside and covers nothing; else the first inside.
 * @param {[number, number][]} places middles of the box
 * @param {{ width: number, height: number }} size
 * @param {Frame} frame
 * @param {Box[]} taken
 */
export function firstFree(places, { width, height }, frame, taken) {
  const inside = places.map(([x, y]) => /** @type {[number, number]} */ ([
    Math.max(frame.left + width / 2, Math.min(frame.right - width / 2, x)), y,
  ])).filter(([, y]) => frame.top + height / 2 <= y && y <= frame.bottom - height / 2);
  const free = inside.find(([x, y]) => !taken.some((box) =>
    x - width / 2 < box.x + box.width && box.x < x + width / 2 &&
    y - height / 2 < box.y + box.height && box.y < y + height / 2));
  return free ?? inside[0] ?? places[0];
}

/**
 * Places for labels next to what they name, each clear of the others and inside: near, rather right
 * than left, rather above than below, and on as little of the lines as there can be.
 * @template {Wish} T
 * @param {T[]} labels
 * @param {Frame} frame
 * @param {Wish[]} occupied what else no label may cover
 * @param {[number, number][]} lines points of lines, close to each other
 */
export function labelled(labels, frame, occupied = [], lines = []) {
  /** @type {{ label: T, x: number, y: number }[]} */
  const placed = [];
  const taken = [...occupied];
  for (const label of [...labels].sort((a, b) => b.y - a.y)) {
    const { width } = label;
    let best = { x: Math.max(frame.left, frame.right - width), y: frame.top + LINE, cost: Infinity };
    for (const [x, y] of placesBeside(label, frame)) {
      if (taken.some((other) => Math.abs(other.y - y) < LINE &&
        x < other.x + other.width + 4 && other.x < x + width + 4)) continue;
      const away = Math.abs(y - label.y + 12) + (x + width < label.x ? 10 : 0);
      if (away >= best.cost) continue;
      const covered = lines.filter(([u, v]) => Math.abs(v - y) < LINE / 2 &&
        x - 2 < u && u < x + width + 2).length;
      const cost = away + 6 * covered;
      if (cost < best.cost) best = { x, y, cost };
    }
    taken.push({ x: best.x, y: best.y, width });
    placed.push({ label, x: best.x, y: best.y });
  }
  return placed;
}

/**
 * Where a label can be: right and left of what it names, at every second height of the frame.
 * @param {Wish} label
 * @param {Frame} frame
 * @returns {[number, number][]}
 */
function placesBeside({ x, y, width }, { left, right, top, bottom }) {
  /** @type {[number, number][]} */
  const found = [];
  for (const at of [x + 12, x - 12 - width])
    for (let up = -12; up > -(bottom - top) - 12; up -= 2)
      for (const v of [y + up, y - up])
        if (v >= top + LINE / 2 && v <= bottom)
          found.push([Math.max(left, Math.min(at, right - width)), v]);
  return found;
}

/**
 * Rows for flags over an axis, so that none covers another; the first row is the lowest. A flag
 * is on the side of its line on which the next line is farther away, so that none is crossed.
 * @template {{ x: number, width: number }} T
 * @param {T[]} flags
 * @param {{ left: number, right: number }} frame
 */
export function flagged(flags, { left, right }) {
  /** @type {number[]} where each row is free again */
  const ends = [];
  const sorted = [...flags].sort((a, b) => a.x - b.x);
  return sorted.map((flag, i) => {
    const { x, width } = flag, room = x - (sorted[i - 1]?.x ?? -Infinity);
    const share = room > (sorted[i + 1]?.x ?? Infinity) - x ? 1 : 0;
    const from = Math.max(left, Math.min(x - share * width, right - width));
    let row = ends.findIndex((end) => end + 4 <= from);
    if (row < 0) row = ends.length;
    ends[row] = from + flag.width;
    return { flag, from, row };
  });
}

/**
 * Heights of labels in a column, in their order, at least so far from each other and inside.
 * @param {number[]} wished
 * @param {number} gap
 * @param {number} low
 * @param {number} high
 */
export function spaced(wished, gap, low, high) {
  /** @type {number[]} */
  const found = [];
  for (const y of wished) found.push(Math.max(y, low, (found.at(-1) ?? -Infinity) + gap));
  for (let k = found.length - 1, most = high; k >= 0; k--) {
    found[k] = Math.min(found[k], most);
    most = found[k] - gap;
  }
  return found;
}

/**
 * Corners of a line without those indistinguishable from the previous one.
 * @param {number} n
 * @param {(k: number) => [number, number]} at
 * @param {boolean} steps whether it goes across first, then up or down
 */
export function corners(n, at, steps = false) {
  const parts = [];
  let [x, y] = [NaN, NaN];
  for (let k = 0; k < n; k++) {
    const [u, v] = at(k);
    if (k && k < n - 1 && Math.abs(u - x) + Math.abs(v - y) < 0.5) continue;
    parts.push(k && steps ? `H${u.toFixed(1)}V${v.toFixed(1)}`
      : `${k ? "L" : "M"}${u.toFixed(1)} ${v.toFixed(1)}`);
    [x, y] = [u, v];
  }
  return parts.join("");
}
