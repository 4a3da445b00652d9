// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { formatCount, formatPercent, formatNumber, keepTogether } from "../../zslcore/interactive/numbers.js";

test("percent as in Python, with halves rounded to even", () => {
  const wanted = { 0.5: "50.0 %", 0.0625: "6.2 %", 0.1875: "18.8 %", 0.8065: "80.7 %",
    0.0125: "1.2 %", 1: "100.0 %", [-0.002]: "−0.2 %" };
  for (const [value, text] of Object.entries(wanted)) assert.equal(formatPercent(Number(value)), text);
});

test("three digits as in Python", () => {
  const wanted = { 0: "0", 0.308: "0.308", 0.30799: "0.308", 12: "12", 999: "999", 1000: "1e+03",
    123456: "1.23e+05", 0.0001: "0.0001", 0.00001234: "1.23e−05", [-0.5]: "−0.5", 0.99999: "1" };
  for (const [value, text] of Object.entries(wanted))
    assert.equal(formatNumber(Number(value)).replace("e+", "e+"), text);
});

test("values stay on one line with their units and signs", () => {
  const free = ["10.9 %", "p = 0.35", "p < 0.001", "H = 48.5 %", "7.1 points", "1 min 05 s",
    "24 pairs", "1,037 + 252 + 533 = 1,822", "train + val", "−1.8 to +0.7", "PS v1"];
  for (const words of free) assert.equal(keepTogether(words), words.replaceAll(" ", "\u00a0"));
  for (const words of ["in points", "γ is subtracted", "3 samples"])
    assert.equal(keepTogether(words), words);
  assert.equal(keepTogether("ImageNet-1K"), "ImageNet-\u20601K");
  assert.equal(keepTogether("gains +0.7 on it"), "gains +0.7 on it");
});

test("counts have commas", () => {
  assert.equal(formatCount(14340), "14,340");
});
