// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { ClassBars, layOutColumns, orderClasses } from "../../zslcore/interactive/classes.js";
import { Tally } from "../../zslcore/interactive/tally.js";

const images = {
  n: 6,
  classes: ["a", "b", "c"],
  seen: [true, false, true],
  gamma: Float64Array.of(-Infinity, -1, 0, 0, 2, Infinity),
  classOf: Uint16Array.of(1, 0, 0, 1, 1, 2),
  right: Uint8Array.of(2, 1, 0, 2, 0, 1),
};

/** Count all images again. @param {number} gamma */
function counted(gamma) {
  const went = new Int32Array(6), right = new Int32Array(3);
  for (let i = 0; i < images.n; i++) {
    const c = images.classOf[i], toSeen = images.gamma[i] > gamma;
    const isRight = (images.right[i] & (toSeen ? 1 : 2)) > 0;
    const outcome = isRight ? 0 : toSeen === images.seen[c] ? 1 : 2;
    went[(images.seen[c] ? 3 : 0) + outcome]++;
    if (isRight) right[c]++;
  }
  return { went, right };
}

test("for every gamma, the tally equals a count of all images", () => {
  const tally = new Tally(images);
  for (const gamma of [0, -5, 5, -1, -1.5, 2, 1.999, 0, -1e300, 1e300, -0.5]) {
    const { outcomes: went, right } = tally.moveTo(gamma), wanted = counted(gamma);
    assert.deepEqual(went, wanted.went, String(gamma));
    assert.deepEqual(right, wanted.right, String(gamma));
  }
});

test("accuracy is a share of the class's images", () => {
  assert.deepEqual(new Tally(images).moveTo(-0.5).accuracy, Float64Array.of(0, 1 / 3, 1));
});

test("classes: unseen before seen, many classes sorted by accuracy", () => {
  assert.deepEqual(orderClasses(images, Float64Array.of(0.1, 0.9, 0.5)), [1, 0, 2]);
  const many = { ...images, classes: Array.from({ length: 25 }, (_, c) => String(c)),
    seen: Array.from({ length: 25 }, (_, c) => c > 1) };
  const order = orderClasses(many, Float64Array.from(many.classes, (_, c) => c / 25));
  assert.deepEqual([...order.slice(0, 3), order[24]], [1, 0, 24, 2]);
});

test("every class has a column of whole pixels; with too few pixels, classes share columns", () => {
  for (const [n, width, ratio] of [[10, 600, 1], [200, 600, 2], [717, 620, 1], [717, 620, 2]]) {
    const order = Array.from({ length: n }, (_, c) => n - 1 - c);
    const columns = layOutColumns(order, 3, width, ratio);
    assert.deepEqual(columns.flatMap(({ classes }) => classes), order);
    assert.equal(columns.length === n, n < width * ratio - 18);
    columns.forEach(({ x, width: wide }, k) => {
      assert.ok(wide > 0 && x + wide <= width + 1);
      assert.equal(x * ratio, Math.round(x * ratio));
      if (k) assert.ok(x >= columns[k - 1].x + columns[k - 1].width - 1e-9);
    });
    assert.equal(columns.findIndex(({ seen }) => seen), columns.filter(({ seen }) => !seen).length);
  }
});

test("a small change of gamma is fast with 14,000 images of 700 classes", () => {
  const n = 14340, n_classes = 717;
  const many = {
    n, classes: Array.from({ length: n_classes }, String),
    seen: Array.from({ length: n_classes }, (_, c) => c < 645),
    gamma: Float64Array.from({ length: n }, (_, i) => i / n),
    classOf: Uint16Array.from({ length: n }, (_, i) => i % n_classes),
    right: Uint8Array.from({ length: n }, (_, i) => i % 4),
  };
  const tally = new Tally(many).moveTo(0.5);
  let turned = 0;
  const turn = tally.switchImage.bind(tally);
  tally.switchImage = (i, way) => {
    turned++;
    turn(i, way);
  };
  tally.moveTo(0.51);
  assert.ok(turned > 0 && turned <= 0.011 * n);
});

test("a bar is at its class, as high as its accuracy, in the colour of its side", () => {
  /** @type {{ x: number, tall: number, color: string }[]} */
  const drawn = [];
  const ctx = {
    fillStyle: "", font: "", textAlign: "", globalAlpha: 1,
    setTransform() {}, clearRect() {}, fillText() {}, measureText: () => ({ width: 0 }),
    /** @param {number} x @param {number} _y @param {number} _width @param {number} tall */
    fillRect(x, _y, _width, tall) { drawn.push({ x, tall, color: ctx.fillStyle }); },
  };
  const style = { getPropertyValue: /** @param {string} name */ (name) => name, color: "ink" };
  Object.assign(globalThis, { window: { devicePixelRatio: 1 }, getComputedStyle: () => style });
  const canvas = /** @type {any} */ ({ style: {}, getContext: () => ctx });
  const sides = { seen: "seen", unseen: "unseen" }, accuracy = Float64Array.of(0.25, 0.5, 1);
  const bars = new ClassBars(canvas, 300, images, Float64Array.of(0, 0, 0), sides, 162);
  bars.update(accuracy);
  for (const { x, classes: [c] } of bars.columns) {
    const color = images.seen[c] ? "--seen" : "--unseen";
    assert.deepEqual(drawn.find((bar) => bar.x === x), { x, tall: 100 * accuracy[c], color });
  }
});
