// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { describeTrade, describeStop } from "../../ui/components/playground/sentence.js";

/** @param {number} seen @param {number} unseen */
const at = (seen, unseen) => ({ gamma: 0.31, k: 0, seen, unseen, harmonic: 0 });

/** @type {import("../../ui/components/playground/wire.js").Ruler} */
const RULER = { kind: "lambda", symbol: "λ {}", spoken: "lambda {}", words: ["1", "3.16", "10"],
  named: [], start: 1, reference: 1, note: "" };
const PLACES = [at(0.9, 0.4), at(0.8, 0.5), at(0.75, 0.55)];

test("a stop is compared with the chosen stop", () => {
  assert.equal(describeStop(RULER, PLACES, 2, "digits"),
    "λ 10 instead of 3.16: unseen digits gain 5 points, seen digits lose 5.");
  assert.equal(describeStop(RULER, PLACES, 0, "digits"),
    "λ 1 instead of 3.16: unseen digits lose 10 points, seen digits gain 10.");
});

test("the chosen stop, and a stop with equal accuracies, are described by the better side", () => {
  assert.equal(describeStop(RULER, PLACES, 1, "digits"),
    "λ 3.16: seen digits win by 30 points.");
  assert.equal(describeStop(RULER, [PLACES[1], PLACES[1]], 0, "digits"),
    "λ 1 instead of 3.16: seen digits win by 30 points.");
});

test("numbers of unlabelled images are compared in the same way", () => {
  const ruler = { ...RULER, symbol: "{} unlabelled images", words: ["0", "785"], reference: 0 };
  assert.equal(describeStop(ruler, PLACES, 1, "digits"),
    "785 unlabelled images instead of 0: unseen digits gain 10 points, seen digits lose 10.");
});

test("both sides may lose, unlike with gamma", () => {
  assert.equal(describeTrade(at(0.5, 0.3), at(0.8, 0.5), "classes").words,
    "unseen classes lose 20 points, seen classes lose 30.");
});
