// @ts-check
// Tiles as buttons in reading order; a press is sent to the server.

import { createButton, createElement, setPressed } from "../../../zslcore/interactive/dom.js";
import { keepTogether } from "../../../zslcore/interactive/numbers.js";

/** @typedef {{ id: string, group: string, state: string, word: string, text: string }} Tile */
/** @typedef {{ tiles: Tile[], chosen: string, counts: Record<string, number> }} Wall */
/** @typedef {(name: string, value: string) => void} Send tells the server */

const SYMBOLS = new Map([["yes", "✓"], ["no", "✗"], ["open", "?"]]);

/** @param {{ data: Wall, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".wall");
  if (!(root instanceof HTMLElement)) return;
  const made = JSON.stringify([data.tiles, data.counts]);
  if (root.dataset.made !== made) {
    // Unchanged tiles are kept, with the focus and the scroll offset of the wall.
    root.replaceChildren(createBar(data.counts), ...groupTiles(data.tiles).flatMap((each) => drawGroup(each, setStateValue)));
    root.dataset.made = made;
  }
  markChosen(root, data.chosen);
}

/** A bar of the counts by state; the heading of the page has them as words. @param {Record<string, number>} counts */
function createBar(counts) {
  const parts = Object.entries(counts).filter(([, n]) => n).map(([state, n]) => {
    const part = createElement("b", { className: state }, `${SYMBOLS.get(state)} ${n}`);
    part.style.flexGrow = String(n);
    return part;
  });
  return createElement("div", { className: "bar", ariaHidden: "true" }, ...parts);
}

/** Tiles in their groups, in order. @param {Tile[]} tiles */
export function groupTiles(tiles) {
  /** @type {Map<string, Tile[]>} */
  const found = new Map();
  for (const tile of tiles) found.set(tile.group, [...(found.get(tile.group) || []), tile]);
  return [...found].map(([name, members]) => ({ name, members }));
}

/** @param {{ name: string, members: Tile[] }} group @param {Send} say */
function drawGroup({ name, members }, say) {
  return [createElement("h2", {}, `${name}: ${members.length} tile${members.length > 1 ? "s" : ""}`),
    createElement("div", { className: "tiles" }, ...members.map((tile) => createTile(tile, say)))];
}

/** @param {Tile} tile @param {Send} say */
function createTile({ id, state, word, text }, say) {
  const made = createButton(text, () => {
    const root = made.closest(".wall");
    if (root) markChosen(root, id);
    document.querySelector(".st-key-claims_evidence")?.scrollIntoView({ block: "nearest" });
    say("tile", id);
  }, createElement("b", {}, `${SYMBOLS.get(state) || "?"} ${word}`), createElement("span", {}, keepTogether(text)));
  made.className = state;
  made.dataset.id = id;
  return made;
}

/** Mark the open tile. @param {Element} root @param {string} chosen */
function markChosen(root, chosen) {
  for (const each of root.querySelectorAll("button")) setPressed(each, each.dataset.id === chosen);
}
