// @ts-check
// Tiles as buttons in reading order; a press is sent to the server.

import { createButton, createElement, setPressed } from "../../../zslcore/interactive/dom.js";
import { keepTogether } from "../../../zslcore/interactive/numbers.js";

/** @typedef {{ id: string, group: string, state: string, word: string, text: string, also_in: string }} Tile */
/** @typedef {{ tiles: Tile[], chosen: string, counts: Record<string, number> }} Wall */
/** @import { Send } from "../../../zslcore/interactive/figure.js" */

const SYMBOLS = new Map([["no", "✗"], ["open", "?"], ["finding", "!"], ["yes", "✓"]]);

/** @param {{ data: Wall, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".wall");
  if (!(root instanceof HTMLElement)) return;
  const drawn = JSON.stringify([data.tiles, data.counts]);
  if (root.dataset.drawn !== drawn) {
    // Unchanged tiles are kept, with the focus and the scroll offset of the wall.
    const groups = groupTiles(data.tiles).map((group) => drawGroup(group, setStateValue));
    root.replaceChildren(createBar(data.counts), ...groups);
    root.dataset.drawn = drawn;
    groups.forEach((group, k) => {
      group.open = true;
      group.open = !k || root.scrollHeight <= root.clientHeight;
    });
  }
  markChosen(root, data.chosen);
}

/** A bar of the counts by state; the heading of the page has them as words. @param {Record<string, number>} counts */
function createBar(counts) {
  const segments = Object.entries(counts).filter(([, n]) => n).map(([state, n]) => {
    const segment = createElement("b", { className: state }, `${SYMBOLS.get(state)} ${n}`);
    segment.style.flexGrow = String(n);
    return segment;
  });
  return createElement("div", { className: "bar", ariaHidden: "true" }, ...segments);
}

/** Tiles in their groups, in order, and all tiles that the bar of a group counts. @param {Tile[]} tiles */
export function groupTiles(tiles) {
  /** @type {Map<string, Tile[]>} */
  const groups = new Map();
  for (const tile of tiles) groups.set(tile.group, [...(groups.get(tile.group) ?? []), tile]);
  return [...groups].map(([name, members]) =>
    ({ name, members, counted: tiles.filter((tile) => tile.group === name || tile.also_in === name) }));
}

/** Draw tiles below a heading with their counts by state; groups after the first are open if they fit.
 * @param {{ name: string, members: Tile[], counted: Tile[] }} group @param {Send} send */
function drawGroup({ name, members, counted }, send) {
  const counts = Object.fromEntries([...SYMBOLS.keys()].map((state) =>
    [state, counted.filter((tile) => tile.state === state).length]));
  const heading = createElement("h2", {}, `${name}: ${counted.length}`);
  return createElement("details", {}, createElement("summary", {}, heading, createBar(counts)),
    createElement("div", { className: "tiles" }, ...members.map((tile) => createTile(tile, send))));
}

/** @param {Tile} tile @param {Send} send */
function createTile({ id, state, word, text }, send) {
  const button = createButton(text, () => {
    const root = button.closest(".wall");
    if (root) markChosen(root, id);
    document.querySelector(".st-key-claims_evidence")?.scrollIntoView({ block: "nearest" });
    send("tile", id);
  }, createElement("b", {}, `${SYMBOLS.get(state) || "?"} ${word}`), createElement("span", {}, keepTogether(text)));
  button.className = state;
  button.dataset.id = id;
  return button;
}

/** Mark the open tile, and open its group. @param {Element} root @param {string} chosen */
function markChosen(root, chosen) {
  for (const button of root.querySelectorAll("button")) {
    setPressed(button, button.dataset.id === chosen);
    if (button.dataset.id === chosen) button.closest("details")?.setAttribute("open", "");
  }
}
