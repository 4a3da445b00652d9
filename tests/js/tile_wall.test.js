// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { groupTiles } from "../../ui/components/tile_wall/tile_wall.js";

/** @param {string} id @param {string} group @param {string} [also_in] */
const tile = (id, group, also_in = "") => ({ id, group, state: "yes", word: "holds", text: id, also_in });

test("tiles stay in reading order within their groups", () => {
  const found = groupTiles([tile("a", "X"), tile("b", "X"), tile("c", "Y"), tile("d", "X")]);
  assert.deepEqual(found.map(({ name }) => name), ["X", "Y"]);
  assert.deepEqual(found[0]?.members.map(({ id }) => id), ["a", "b", "d"]);
});

test("the bar of a group also counts its tiles in other groups", () => {
  const [, second] = groupTiles([tile("a", "X", "Y"), tile("b", "X"), tile("c", "Y")]);
  assert.deepEqual(second?.counted.map(({ id }) => id), ["a", "c"]);
  assert.deepEqual(second?.members.map(({ id }) => id), ["c"]);
});
