// @ts-check
// Layout of plots: axes, labels that do not overlap, and rows of flags.

/**
 * @typedef {{ x: number, y: number, width: number, otherPoints?: [number, number][] }} LabelBox
 * point and width of a label, and further points that it may be near instead
 */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Frame of a plane */

export const LABEL_HEIGHT = 16; // height of a label
const COVERED_COST = 40; // pixels that a label moves away to uncover one point of a line

/** Return a linear scale. @param {[number, number]} from @param {[number, number]} to */
export function linearScale([a, b], [u, v]) {
  const factor = (v - u) / (b - a);
  return {
    /** @param {number} value */
    toPixel: (value) => u + (Math.min(Math.max(value, a), b) - a) * factor,
    /** @param {number} place */
    toValue: (place) => a + (Math.min(Math.max(place, Math.min(u, v)), Math.max(u, v)) - u) / factor,
  };
}

/**
 * Return round values for an axis, about `most` or fewer.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function roundTicks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= rough * 0.999) ?? 10);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++)
    values.push(Number((k * step).toPrecision(12)));
  return values;
}

/** @typedef {{ x: number, y: number, width: number, height: number }} Box from upper left */

/**
 * Return the first place at which a box is inside the frame and overlaps no taken box; else the
 * first place inside.
 * @param {[number, number][]} places centres of the box
 * @param {{ width: number, height: number }} size
 * @param {Frame} frame
 * @param {Box[]} taken
 */
export function findFreePlace(places, { width, height }, frame, taken) {
  const inside = places.map(([x, y]) => /** @type {[number, number]} */ ([
    Math.max(frame.left + width / 2, Math.min(frame.right - width / 2, x)), y,
  ])).filter(([, y]) => frame.top + height / 2 <= y && y <= frame.bottom - height / 2);
  const free = inside.find(([x, y]) => !taken.some((box) =>
    x - width / 2 < box.x + box.width && box.x < x + width / 2 &&
    y - height / 2 < box.y + box.height && box.y < y + height / 2));
  return free ?? inside[0] ?? places[0];
}

/**
 * Place labels inside the frame without overlap: near their points, preferably to the right and
 * above, and covering as little of the lines as possible. A label with other points is near the one
 * with the best place.
 * @template {LabelBox} T
 * @param {T[]} labels
 * @param {Frame} frame
 * @param {LabelBox[]} occupied further areas that labels must not cover
 * @param {[number, number][]} lines closely spaced points of lines
 */
export function placeLabels(labels, frame, occupied = [], lines = []) {
  /** @type {{ label: T, x: number, y: number }[]} */
  const placed = [];
  const taken = [...occupied];
  for (const label of labels.toSorted((a, b) => a.y - b.y)) {
    const { width } = label;
    let best = { label, x: Math.max(frame.left, frame.right - width), y: frame.top + LABEL_HEIGHT,
      cost: Infinity };
    for (const point of [[label.x, label.y], ...label.otherPoints ?? []]) {
      const moved = { ...label, x: point[0], y: point[1] };
      for (const [x, y] of candidatePlaces(moved, frame)) {
        if (taken.some((other) => Math.abs(other.y - y) < LABEL_HEIGHT &&
          x < other.x + other.width + 4 && other.x < x + width + 4)) continue;
        const aside = Math.max(0, x - moved.x - 12, moved.x - x - width - 12);
        const away = Math.abs(y - moved.y + 12) + aside + (x + width < moved.x ? 10 : 0);
        if (away >= best.cost) continue;
        const covered = lines.filter(([u, v]) => Math.abs(v - y) < LABEL_HEIGHT / 2 &&
          x - 2 < u && u < x + width + 2).length;
        const cost = away + COVERED_COST * covered;
        if (cost < best.cost) best = { label: moved, x, y, cost };
      }
    }
    taken.push({ x: best.x, y: best.y, width });
    placed.push({ label: best.label, x: best.x, y: best.y });
  }
  return placed;
}

/**
 * Return possible places of a label: right and left of its point, at steps of two pixels in height.
 * @param {LabelBox} label
 * @param {Frame} frame
 * @returns {[number, number][]}
 */
function candidatePlaces({ x, y, width }, { left, right, top, bottom }) {
  /** @type {[number, number][]} */
  const places = [];
  for (const start of [x + 12, x + 20, x - 12 - width, x - 20 - width])
    for (let up = -12; up > -(bottom - top) - 12; up -= 2)
      for (const v of [y + up, y - up])
        if (v >= top + LABEL_HEIGHT / 2 && v <= bottom - LABEL_HEIGHT / 2)
          places.push([Math.max(left, Math.min(start, right - width)), v]);
  return places;
}

/**
 * Arrange flags above an axis in rows without overlap; the first row is the lowest. A flag is on
 * the side of its line with the more distant neighbour, so that lines rarely cross flags.
 * @template {{ x: number, width: number }} T
 * @param {T[]} flags
 * @param {{ left: number, right: number }} frame
 */
export function placeFlags(flags, { left, right }) {
  /** @type {number[]} right end of the last flag in each row */
  const ends = [];
  const sorted = flags.toSorted((a, b) => a.x - b.x);
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
 * Return heights of labels in a column, in order, at least `gap` apart, and from `low` to `high`.
 * @param {number[]} wished
 * @param {number} gap
 * @param {number} low
 * @param {number} high
 */
export function spreadLabels(wished, gap, low, high) {
  /** @type {number[]} */
  const heights = [];
  for (const y of wished) heights.push(Math.max(y, low, (heights.at(-1) ?? -Infinity) + gap));
  for (let k = heights.length - 1, most = high; k >= 0; k--) {
    heights[k] = Math.min(heights[k], most);
    most = heights[k] - gap;
  }
  return heights;
}

/**
 * Return the SVG path of a line, without corners less than half a pixel from the previous corner.
 * @param {number} n
 * @param {(k: number) => [number, number]} at
 * @param {boolean} steps whether the line goes across first, then up or down
 */
export function linePath(n, at, steps = false) {
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
