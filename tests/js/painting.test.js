// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Painting } from "../../zslcore/interactive/point_map/painting.js";

const PAPER = [250, 240, 230];

/** A point that covers its pixel, half of the one to the right and a quarter of the one below. */
const CORNER = {
  dx: Int32Array.of(0, 1, 0), dy: Int32Array.of(0, 0, 1), cover: Float64Array.of(1, 0.5, 0.25),
};

/** @param {Painting} painting @param {number} x @param {number} y */
const pixel = ({ pixels, width }, x, y) => [...pixels.subarray(4 * (y * width + x)).slice(0, 4)];

/** Count the painted pixels. @param {Painting} painting */
function touched(painting) {
  let count = 0;
  for (let y = 0; y < painting.height; y++)
    for (let x = 0; x < painting.width; x++)
      if (pixel(painting, x, y).join() !== [...PAPER, 255].join()) count++;
  return count;
}

test("paper covers everything and is opaque", () => {
  assert.equal(touched(new Painting(5, 4, PAPER)), 0);
});

test("a point is blended with the pixels below by its coverage", () => {
  const painting = new Painting(5, 4, PAPER);
  painting.paintPoint(2, 1, CORNER, [50, 40, 30], 1);
  assert.deepEqual(pixel(painting, 2, 1), [50, 40, 30, 255]);
  assert.deepEqual(pixel(painting, 3, 1), [150, 140, 130, 255]);
  assert.deepEqual(pixel(painting, 2, 2), [200, 190, 180, 255]);
  assert.equal(touched(painting), 3);
  painting.paintPoint(2, 1, CORNER, [250, 240, 230], 0.5);
  assert.deepEqual(pixel(painting, 2, 1), [150, 140, 130, 255]);
});

test("points outside the picture are not painted, not even on its other side", () => {
  const places = [[4, 3, 1], [-1, 0, 1], [0, -1, 1], [5, 1, 0], [2, 4, 0], [99, 1, 0]];
  for (const [x, y, left] of places) {
    const painting = new Painting(5, 4, PAPER);
    painting.paintPoint(x, y, CORNER, [0, 0, 0], 1);
    assert.equal(touched(painting), left, `${x} ${y}`);
  }
});
