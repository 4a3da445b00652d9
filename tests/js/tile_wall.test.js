// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { groupTiles } from "../../ui/components/tile_wall/tile_wall.js";

/** @param {string} id @param {string} group */
const tile = (id, group) => ({ id, group, state: "yes", word: "holds", text: id });

test("tiles stay in reading order within their groups", () => {
  const found = groupTiles([tile("a", "X"), tile("b", "X"), tile("c", "Y"), tile("d", "X")]);
  assert.deepEqual(found.map(({ name }) => name), ["X", "Y"]);
  assert.deepEqual(found[0]?.members.map(({ id }) => id), ["a", "b", "d"]);
});
