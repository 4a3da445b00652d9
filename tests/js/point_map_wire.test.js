// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { readMaps } from "../../zslcore/interactive/point_map/wire.js";

const HEAD = {
  key: "k", n: 3, panels: [{ title: "é", n: 2 }, { title: "", n: 1 }], picture: [1, 2],
};

/**
 * The bytes of a map of three images, as the server writes them: length of the head, head, and
 * arrays that each begin at a multiple of eight.
 * @param {object} head
 */
function packed(head) {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const bytes = [text.length, 0, 0, 0, ...text];
  for (const block of [
    [1, 0, 2, 0, 0, 1], // categories 1, 2, 256
    [7, 0, 8, 0, 9, 0], // classes
    [0, 1, 1], // data sets
    [5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 1, 0], // rows 5, 6, 65536
    [2, 0, 0, 0, 0, 0, 0, 0], // images 2, 0
    [0, 0, 128, 63, 0, 0, 0, 192, 0, 0, 0, 63, 0, 0, 0, 0], // 1, -2, 0.5, 0
    [1, 0, 0, 0],
    [0, 0, 64, 64, 0, 0, 128, 192], // 3, -4
    [10, 20, 30, 40, 50, 60], // pixels
  ]) {
    while (bytes.length % 8) bytes.push(255);
    bytes.push(...block);
  }
  return Uint8Array.from(bytes);
}

/** @param {ReturnType<typeof readMaps>} head */
function check(head) {
  assert.equal(head.key, "k");
  assert.deepEqual(head.category, Uint16Array.of(1, 2, 256));
  assert.deepEqual(head.class, Uint16Array.of(7, 8, 9));
  assert.deepEqual(head.part, Uint8Array.of(0, 1, 1));
  assert.deepEqual(head.row, Uint32Array.of(5, 6, 65536));
  const [first, second] = head.panels;
  assert.equal(first.title, "é");
  assert.deepEqual(first.image, Uint32Array.of(2, 0));
  assert.deepEqual(first.xy, Float32Array.of(1, -2, 0.5, 0));
  assert.deepEqual(second.image, Uint32Array.of(1));
  assert.deepEqual(second.xy, Float32Array.of(3, -4));
}

test("arrays after a header of any length are aligned to eight bytes", () => {
  for (const key of ["", "a", "ab", "abc", "abcd", "abcdefg"]) {
    const head = readMaps(packed({ ...HEAD, file: key }));
    check(head);
    assert.deepEqual(head.pixels, Uint8Array.of(10, 20, 30, 40, 50, 60));
  }
});

test("bytes may start anywhere in a buffer", () => {
  const bytes = packed(HEAD), buffer = new Uint8Array(bytes.length + 5);
  buffer.set(bytes, 3);
  check(readMaps(buffer.subarray(3, 3 + bytes.length)));
});

test("only maps with pictures have pixels", () => {
  assert.equal(readMaps(packed({ ...HEAD, picture: null })).pixels, undefined);
});
