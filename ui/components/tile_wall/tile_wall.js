// @ts-check
// Tiles as buttons in reading order; a press is sent to the server.

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
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.ariaHidden = "true";
  bar.append(...Object.entries(counts).filter(([, n]) => n).map(([state, n]) => {
    const part = document.createElement("b");
    part.className = state;
    part.style.flexGrow = String(n);
    part.textContent = `${SYMBOLS.get(state)} ${n}`;
    return part;
  }));
  return bar;
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
  const heading = document.createElement("h2"), list = document.createElement("div");
  heading.textContent = `${name} · ${members.length}`;
  list.className = "tiles";
  list.append(...members.map((tile) => button(tile, say)));
  return [heading, list];
}

/** @param {Tile} tile @param {Say} say */
function button({ id, state, word, text }, say) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = state;
  made.dataset.id = id;
  made.title = text;
  const verdict = document.createElement("b"), words = document.createElement("span");
  verdict.textContent = `${SYMBOLS.get(state) || "?"} ${word}`;
  words.textContent = together(text);
  made.append(verdict, words);
  made.addEventListener("click", () => {
    const root = made.closest(".wall");
    if (root) mark(root, id);
    document.querySelector(".st-key-claims_evidence")?.scrollIntoView({ block: "nearest" });
    say("tile", id);
  });
  return made;
}

/** Mark the open tile. @param {Element} root @param {string} chosen */
function mark(root, chosen) {
  for (const each of root.querySelectorAll("button")) {
    each.setAttribute("aria-pressed", String(each.dataset.id === chosen));
  }
}
