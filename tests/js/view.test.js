// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { View, placeNames, fitCamera, zoomCamera } from "../../zslcore/interactive/point_map/view.js";

/** @import { Box } from "../../zslcore/interactive/point_map/geometry.js" */
/** @import { Camera } from "../../zslcore/interactive/point_map/wire.js" */

const SIZE = { width: 600, height: 400 };

/** @param {number[]} found @param {number[]} wanted */
function near(found, wanted) {
  assert.equal(found.length, wanted.length);
  found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 1e-9, `${found} ${wanted}`));
}

test("the centre is in the middle, the extent is along the shorter side, y points up", () => {
  const view = new View(SIZE, [2, -1, 8]);
  near(view.toScreen(2, -1), [300, 200]);
  near(view.toScreen(2, 3), [300, 0]);
  near(view.toScreen(6, -5), [500, 400]);
});

test("from data to the screen and back", () => {
  const view = new View(SIZE, [2, -1, 0.3]);
  for (const [x, y] of [[0, 0], [2, -1], [-7.25, 1e3]])
    near(view.toData(...view.toScreen(x, y)), [x, y]);
});

test("a wide or tall box is shown completely, with a margin", () => {
  /** @type {Box[]} */
  const boxes = [[-1, 1, -1, 1], [0, 100, 4, 5], [0, 1, 40, 500]];
  for (const [left, right, low, high] of boxes) {
    const view = new View(SIZE, fitCamera([left, right, low, high], SIZE));
    const [u, v] = view.toScreen(left, high), [p, q] = view.toScreen(right, low);
    near([u + p, v + q], [SIZE.width, SIZE.height]);
    assert.ok(u > 0 && v > 0);
    near([Math.max((p - u) / SIZE.width, (q - v) / SIZE.height)], [1 / 1.06]);
  }
});

test("a single point has an extent, too", () => {
  assert.deepEqual(fitCamera([3, 3, 4, 4], SIZE), [3, 4, 1]);
});

test("zooming keeps the point under the pointer in place", () => {
  /** @type {Camera} */
  const camera = [2, -1, 8], at = new View(SIZE, camera).toScreen(4, 1);
  const closer = zoomCamera(camera, 0.5, [4, 1], 10);
  assert.equal(closer[2], 4);
  near(new View(SIZE, closer).toScreen(4, 1), at);
});

test("zoom is limited to four times the whole map and to a four-hundredth of it", () => {
  assert.deepEqual(zoomCamera([0, 0, 10], 99, [0, 0], 10), [0, 0, 40]);
  assert.deepEqual(zoomCamera([0, 0, 10], 1e-9, [0, 0], 10), [0, 0, 0.025]);
  const edge = zoomCamera([1, 1, 40], 2, [5, 5], 10); // at the limit, the view does not change
  near(edge, [1, 1, 40]);
});

test("names at the edge, and names that would overlap more important ones, are left out", () => {
  const view = new View(SIZE, [0, 0, 400]); // one pixel per unit
  /** @param {string} text */
  const widthOf = (text) => 10 * text.length;
  /** @param {[string, number, number][]} names */
  const shown = (...names) => placeNames(names.map(([text, x, y]) => ({ text, x, y })), view, widthOf)
    .map(({ text }) => text);
  assert.deepEqual(shown(["aa", 0, 0], ["bb", 23, 0]), ["aa"]);
  assert.deepEqual(shown(["aa", 0, 0], ["bb", 24, 0]), ["aa", "bb"]);
  assert.deepEqual(shown(["aa", 0, 0], ["bb", 0, 13], ["cc", 0, 14]), ["aa", "cc"]);
  assert.deepEqual(shown(["aa", 0, 0], ["bb", 0, 10], ["cc", 0, 20]), ["aa", "cc"]);
  assert.deepEqual(shown(["left", -278, 0], ["right", 273, 0], ["top", 0, 192], ["low", 0, -192]),
    ["left", "right", "top", "low"]);
  assert.deepEqual(shown(["left", -278, 0], ["right", 274, 0], ["top", 0, 193], ["low", 0, -193]),
    ["left"]);
  assert.deepEqual(shown(["left", -279, 0]), []);
});

test("names on a small map have more space between them", () => {
  const view = new View({ width: 400, height: 400 }, [0, 0, 400]), widthOf = () => 20;
  const names = [[0, 0], [0, 27], [31, 0], [32, 0], [0, 28]].map(([x, y]) => ({ text: `${x} ${y}`, x, y }));
  assert.deepEqual(placeNames(names, view, widthOf).map(({ text }) => text), ["0 0", "32 0", "0 28"]);
});

test("a name is at its point", () => {
  const view = new View(SIZE, [0, 0, 400]);
  assert.deepEqual(placeNames([{ text: "a", x: 10, y: 20 }], view, () => 6),
    [{ text: "a", u: 310, v: 180, half: 5 }]);
});
