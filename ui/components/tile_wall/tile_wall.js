// @ts-check
// Tiles as buttons in reading order; a press is sent to the server.

import { button, create, press } from "../../../zslcore/interactive/dom.js";
import { together } from "../../../zslcore/interactive/numbers.js";

/** @typedef {{ id: string, group: string, state: string, word: string, text: string }} Tile */
/** @typedef {{ tiles: Tile[], chosen: string, counts: Record<string, number> }} Wall */
/** @typedef {(name: string, value: string) => void} Say tells the server */

const SYMBOLS = new Map([["yes", "✓"], ["no", "✗"], ["open", "?"]]);

/** @param {{ data: Wall, parentElement: ParentNode, setStateValue: Say }} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".wall");
  if (!(root instanceof HTMLElement)) return;
  const made = JSON.stringify([data.tiles, data.counts]);
  if (root.dataset.made !== made) {
    // Unchanged tiles are kept, with the focus and the scroll offset of the wall.
    root.replaceChildren(barOf(data.counts), ...grouped(data.tiles).flatMap((each) => drawn(each, setStateValue)));
    root.dataset.made = made;
  }
  mark(root, data.chosen);
}

/** A bar of the counts by state; the heading of the page has them as words. @param {Record<string, number>} counts */
function barOf(counts) {
  const parts = Object.entries(counts).filter(([, n]) => n).map(([state, n]) => {
    const part = create("b", { className: state }, `${SYMBOLS.get(state)} ${n}`);
    part.style.flexGrow = String(n);
    return part;
  });
  return create("div", { className: "bar", ariaHidden: "true" }, ...parts);
}

/** Tiles in their groups, in order. @param {Tile[]} tiles */
export function grouped(tiles) {
  /** @type {Map<string, Tile[]>} */
  const found = new Map();
  for (const tile of tiles) found.set(tile.group, [...(found.get(tile.group) || []), tile]);
  return [...found].map(([name, members]) => ({ name, members }));
}

/** @param {{ name: string, members: Tile[] }} group @param {Say} say */
function drawn({ name, members }, say) {
  return [create("h2", {}, `${name} · ${members.length}`),
    create("div", { className: "tiles" }, ...members.map((tile) => tileOf(tile, say)))];
}

/** @param {Tile} tile @param {Say} say */
function tileOf({ id, state, word, text }, say) {
  const made = button(text, () => {
    const root = made.closest(".wall");
    if (root) mark(root, id);
    document.querySelector(".st-key-claims_evidence")?.scrollIntoView({ block: "nearest" });
    say("tile", id);
  }, create("b", {}, `${SYMBOLS.get(state) || "?"} ${word}`), create("span", {}, together(text)));
  made.className = state;
  made.dataset.id = id;
  return made;
}

/** Mark the open tile. @param {Element} root @param {string} chosen */
function mark(root, chosen) {
  for (const each of root.querySelectorAll("button")) press(each, each.dataset.id === chosen);
}
