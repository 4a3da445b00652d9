// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Tally } from "../../zslcore/interactive/tally.js";
import { formatPoints, describeTrade } from "../../ui/components/playground/sentence.js";
import { Slots, fitGrid, groupClasses } from "../../ui/components/playground/slots.js";
import { findInkedWidth } from "../../ui/components/playground/wall.js";

/** @param {number} n @param {number} nClasses @param {number} nSeen */
function imagesOf(n, nClasses, nSeen) {
  // A simple generator, so that the images are the same on every machine.
  let state = 1;
  const next = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const classOf = Uint16Array.from({ length: n }, () => Math.floor(next() * nClasses));
  const seen = Array.from({ length: nClasses }, (_, c) => c < nSeen);
  const right = Uint8Array.from(classOf, (c) => (next() < 0.6 ? (seen[c] ? 1 : 2) : 0));
  const gamma = Float64Array.from({ length: n }, () => Math.round(20 * next()) / 20).sort();
  return { n, classes: seen.map((_, c) => `class ${c}`), seen, gamma, classOf, right };
}

const ROOM = { width: 420, height: 300, gap: 4, minRow: 3, maxSize: 26 };

for (const [n, nClasses, nSeen] of [[785, 10, 7], [4731, 200, 150], [4020, 717, 645]])
  test(`${n} images of ${nClasses} classes: each on its side, none on another, all inside`, () => {
    const images = imagesOf(n, nClasses, nSeen);
    const slots = new Slots(images, groupClasses(images, null), ROOM), { size } = slots.grid;
    for (const changed of [0, 1, Math.floor(n / 3), n - 1, n]) {
      slots.place(changed);
      const taken = new Set();
      for (let k = 0; k < n; k++) {
        const x = slots.x[k], y = slots.y[k];
        if (k < changed) assert.ok(x >= ROOM.width / 2 && x + size <= ROOM.width + 1e-3, `${k}`);
        else assert.ok(x + size <= ROOM.width / 2 && x >= -1e-3, `${k}`);
        assert.ok(y >= 0 && y + size <= ROOM.height + 1e-3);
        taken.add(`${x.toFixed(2)} ${y.toFixed(2)}`);
      }
      assert.equal(taken.size, n);
    }
  });

test("right predictions are nearer to the middle than wrong ones of the same group and side", () => {
  const images = imagesOf(785, 10, 7), groups = groupClasses(images, null);
  const slots = new Slots(images, groups, ROOM).place(300);
  groups.forEach(({ classes }) => {
    for (const left of [true, false]) {
      const away = [[-1], [-1]];
      for (let k = 0; k < images.n; k++)
        if (images.classOf[k] === classes[0] && k >= 300 === left)
          away[images.right[k] & (left ? 1 : 2) ? 0 : 1].push(Math.abs(slots.x[k] - 210));
      // The column between both kinds may have images of each kind.
      if (away[1].length > 1)
        assert.ok(Math.max(...away[0]) <= Math.min(...away[1].slice(1)) + slots.grid.size + 1e-3);
    }
  });
});

test("an image that is right on its side does not move", () => {
  const images = imagesOf(785, 10, 7), slots = new Slots(images, groupClasses(images, null), ROOM);
  const before = Float32Array.from(slots.place(300).x);
  slots.place(340);
  for (let k = 0; k < images.n; k++)
    if ((k >= 340 && images.right[k] & 1) || (k < 300 && images.right[k] & 2))
      assert.equal(slots.x[k], before[k], String(k));
});

test("a single class fills the wall", () => {
  const images = imagesOf(785, 10, 7), all = new Slots(images, groupClasses(images, null), ROOM);
  const one = new Slots(images, groupClasses(images, 8), ROOM).place(300);
  assert.ok(one.grid.size > 2 * all.grid.size);
  for (let k = 0; k < images.n; k++)
    assert.equal(Number.isFinite(one.x[k]), images.classOf[k] === 8);
});

test("groups: one row per class up to two dozen, otherwise one band per side", () => {
  assert.deepEqual(groupClasses(imagesOf(10, 10, 7), null).map(({ seen }) => seen),
    [...Array(7).fill(true), ...Array(3).fill(false)]);
  assert.deepEqual(groupClasses(imagesOf(10, 200, 150), null).map(({ classes }) => classes.length),
    [150, 50]);
});

test("images are as large as possible, up to the maximum", () => {
  const { size, rows, columns } = fitGrid([4731], { ...ROOM, gap: 0 });
  assert.ok(rows[0] * size <= ROOM.height && columns * rows[0] >= 4731);
  assert.ok(size > 0.9 * Math.sqrt((0.48 * ROOM.width * ROOM.height) / 4731));
  assert.equal(fitGrid([3], ROOM).size, ROOM.maxSize);
});

test("pictures with empty margins are larger: only the margins overlap", () => {
  /** @param {number[]} row */
  const share = (...row) => findInkedWidth({ width: 8, height: 1, ink: Uint8Array.from(row) });
  assert.equal(share(0, 0, 9, 9, 9, 9, 9, 0), 0.75);
  assert.equal(share(9, 9, 9, 9, 9, 9, 9, 0), 1);
  assert.equal(share(0, 0, 0, 0, 0, 0, 0, 0), 1);
  const images = imagesOf(785, 10, 7), groups = groupClasses(images, null);
  const [apart, near] = [1, 0.75].map((pitch) => new Slots(images, groups, { ...ROOM, pitch }));
  assert.ok(near.grid.size > apart.grid.size);
  near.place(300);
  for (let k = 0; k < images.n; k++) assert.ok(near.x[k] >= 0 && near.x[k] < ROOM.width);
});

test("the wall shows the counted images", () => {
  const images = imagesOf(4731, 200, 150), tally = new Tally(images);
  const slots = new Slots(images, groupClasses(images, null), ROOM);
  for (const gamma of [-1, 0, 0.25, 0.5, 2]) {
    const { switched: changed } = tally.moveTo(gamma);
    slots.place(changed);
    const right = slots.x.filter((x) => x >= 210).length;
    assert.equal(right, images.gamma.filter((each) => each <= gamma).length);
  }
});

/** @param {number} seen @param {number} unseen */
const at = (seen, unseen) => ({ gamma: 0.31, k: 0, seen, unseen, harmonic: 0 });

test("the sentence on gains and losses", () => {
  const plain = at(0.976, 0.101);
  /** @param {number} seen @param {number} unseen */
  const said = (seen, unseen) => describeTrade(at(seen, unseen), plain, "digits");
  assert.equal(said(0.807, 0.535).gamma, "At γ = 0.31,");
  assert.equal(said(0.807, 0.535).words, "unseen digits gain 43 points, seen digits lose 17.");
  assert.equal(said(0.976, 0.101).words, "seen digits win by 88 points.");
  assert.equal(describeTrade(at(0.5, 0.6), at(0.5, 0.6), "digits").words, "unseen digits do no worse.");
  assert.equal(said(0.976, 0.051).words,
    "unseen digits lose 5 points, seen digits gain nothing.");
  assert.equal(said(0.986, 0.051).words,
    "unseen digits lose 5 points, seen digits gain 1.");
  assert.equal(said(0.976, 0.111).words, "unseen digits gain 1 point, seen digits lose nothing.");
  assert.equal(said(0.966, 0.101).words,
    "seen digits lose 1 point, unseen digits gain nothing.");
  assert.equal(formatPoints(0.26), "0.3 points");
});

test("if pictures would be too small, equal shares of each class and change are left out", () => {
  const images = imagesOf(785, 10, 7), groups = groupClasses(images, null);
  const slots = new Slots(images, groups, { ...ROOM, legible: 13 }).place(300);
  assert.ok(slots.step > 1 && slots.grid.size >= 13);
  for (const { classes } of groups) {
    const of = [...images.classOf.keys()].filter((k) => images.classOf[k] === classes[0]);
    const shown = of.filter((k) => !Number.isNaN(slots.x[k]));
    assert.deepEqual(shown, of.filter((_, k) => k % slots.step === 0));
  }
  assert.equal(new Slots(images, groups, { ...ROOM, legible: 5 }).step, 1);
});
