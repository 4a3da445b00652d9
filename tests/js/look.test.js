// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { pointRadius, pointOpacity } from "../../zslcore/interactive/point_map/look.js";
import { symbolPath } from "../../zslcore/interactive/symbols.js";

const PATHS = {
  circle: "M8.0 20.0a2.0 2.0 0 1 0 4.0 0.0a2.0 2.0 0 1 0 -4.0 0.0Z",
  diamond: "M10.0 17.5L12.5 20.0L10.0 22.5L7.5 20.0Z",
  square: "M8.2 18.2L11.8 18.2L11.8 21.8L8.2 21.8Z",
  "triangle-up": "M10.0 17.6L12.3 21.8L7.7 21.8Z",
  "triangle-down": "M10.0 22.4L12.3 18.2L7.7 18.2Z",
  "triangle-left": "M7.6 20.0L11.8 17.7L11.8 22.3Z",
  "triangle-right": "M12.4 20.0L8.2 17.7L8.2 22.3Z",
  x: "M7.8 18.8L8.8 17.8L10.0 19.0L11.2 17.8L12.2 18.8L11.0 20.0L12.2 21.2L11.2 22.2L10.0 21.0" +
    "L8.8 22.2L7.8 21.2L9.0 20.0Z",
};

for (const [symbol, wanted] of Object.entries(PATHS))
  test(`the path of ${symbol}`, () => assert.equal(symbolPath(symbol, 10, 20, 2), wanted));

test("an unknown symbol is a circle", () => {
  assert.equal(symbolPath("star", 10, 20, 2), PATHS.circle);
});

test("many points are smaller, and zooming enlarges points up to a limit", () => {
  const sizes = [1500, 1501, 5001, 30001].map((n) => pointRadius(n, 1));
  assert.deepEqual(sizes, [3.4, 2.6, 2, 1.3]);
  assert.equal(pointRadius(10, 0.2), 3.4);
  assert.equal(pointRadius(10, 2), 3.4 * Math.sqrt(2));
  assert.equal(pointRadius(10, 50), 3.4 * Math.sqrt(3));
});

test("many points are translucent", () => {
  assert.ok(pointOpacity(30001) < pointOpacity(30000));
});
