// @ts-check
// The rail of choices: data sets as tiles, splits and methods as chips in groups.

import { createButton, createElement } from "../../../zslcore/interactive/dom.js";

/** @import { Chip, Choice, Rail, Tile } from "./wire.js" */

/** Steps in a group by the key that is pressed. */
const STEPS = /** @type {Record<string, number>} */ (
  { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

export class ChoiceRail {
  /** drawn rail as JSON */
  drawnRail = "";

  /** @param {HTMLElement} root @param {(change: Partial<Choice>) => void} onChoose @param {() => void} onImport */
  constructor(root, onChoose, onImport) {
    this.root = root;
    this.onChoose = onChoose;
    this.onImport = onImport;
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {Rail} rail */
  show(rail) {
    const json = JSON.stringify(rail), popover = this.root.querySelector("[popover]:popover-open");
    if (json === this.drawnRail) return;
    if (popover) { // an open list stays until it is closed
      popover.addEventListener("toggle", () => this.show(rail), { once: true });
      return;
    }
    this.drawnRail = json;
    const focused = this.root.querySelector(":focus")?.getAttribute("data-choice");
    this.root.replaceChildren(...this.createParts(rail));
    const buttons = [...this.root.querySelectorAll("button")];
    if (focused) buttons.find((button) => button.dataset.choice === focused)?.focus();
  }

  /** @param {Rail} rail */
  createParts({ tiles, simulated, splits, split_note, families, chosen }) {
    const importButton = createButton("Import your own data set", () => this.onImport(), "Import");
    const firstPrecomputed = tiles.findIndex(({ kind }) => kind !== "real");
    const dataSets = tiles.map((tile) => this.createTile(tile, chosen));
    if (firstPrecomputed > 0) dataSets.splice(firstPrecomputed, 0, createNote("kind", "Precomputed results"));
    /** @type {HTMLElement[]} */
    const parts = [createHeading("Data set", importButton), createRadioGroup("Data set", dataSets, "tiles")];
    if (simulated.length) parts.push(this.createPopover(simulated, chosen));
    if (splits.length > 1) parts.push(createHeading("Split"), createRadioGroup("Split", splits.map((split) =>
      this.createChip(split, { split }, split === chosen.split, `split ${split}`)), "chips"));
    if (split_note) parts.push(createNote("note", split_note));
    const methods = Object.entries(families).map(([family, chips]) =>
      createElement("div", {}, createElement("span", {}, family),
        ...chips.map((chip) => this.createMethodChip(chip, chosen))));
    parts.push(createHeading("Method"), createRadioGroup("Method", methods, "families"));
    const chips = Object.values(families).flat();
    const packages = new Set(chips.map(({ needs }) => needs).filter(Boolean));
    if (chips.some(({ available }) => !available)) parts.push(createNote("note", "Dashed: not run yet."));
    if (packages.size) parts.push(createNote("note", `Grey: needs ${[...packages].join(" and ")}`));
    return parts;
  }

  /** Create a list that opens over the page, since it does not fit into the rail.
   * @param {Tile[]} simulated @param {Choice} chosen */
  createPopover(simulated, chosen) {
    const tile = simulated.find(({ key }) => key === chosen.dataset);
    const text = tile ? `${tile.title} (simulated)` : `${simulated.length} simulated data sets`;
    const list = createRadioGroup("Simulated data set",
      simulated.map((other) => this.createTile(other, chosen)), "tiles");
    list.popover = "auto";
    list.addEventListener("click", () => list.hidePopover());
    const opener = createButton("Simulated data sets", () => {
      list.togglePopover();
      const { left, bottom } = opener.getBoundingClientRect();
      list.style.left = `${left}px`;
      list.style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - list.offsetHeight - 8))}px`;
    }, `${text} ▾`);
    opener.className = tile ? "opens chosen" : "opens";
    return createElement("div", { className: "more" }, opener, list);
  }

  /** @param {Tile} tile @param {Choice} chosen */
  createTile({ key, title, classes, kind }, chosen) {
    const tile = this.createChip(title, { dataset: key, split: "" }, key === chosen.dataset,
      `${title}, ${kind}: ${classes} classes`);
    tile.replaceChildren(createElement("b", {}, title), createElement("small", {}, `${classes} classes`));
    tile.className = "tile";
    return tile;
  }

  /** @param {Chip} chip @param {Choice} chosen */
  createMethodChip({ name, words, available, title, needs }, chosen) {
    const chip = this.createChip(words, { method: name }, name === chosen.method, title);
    chip.classList.toggle("far", !available);
    chip.classList.toggle("lacking", Boolean(needs));
    return chip;
  }

  /** @param {string} text @param {Partial<Choice>} change @param {boolean} isChosen @param {string} title
   * @returns {HTMLElement} */
  createChip(text, change, isChosen, title) {
    const chip = createButton(title, () => this.onChoose(change), text);
    chip.dataset.choice = JSON.stringify(change);
    return Object.assign(chip, { className: "chip", role: "radio", ariaChecked: String(isChosen) });
  }

  /** Move the focus and choose by an arrow key. @param {KeyboardEvent} event */
  onKey(event) {
    const { target } = event, step = STEPS[event.key];
    if (!(target instanceof HTMLElement) || !step) return;
    const buttons = [...(target.closest("[role=radiogroup]")?.querySelectorAll("button") ?? [])];
    const index = buttons.findIndex((button) => button === target);
    if (index < 0) return;
    event.preventDefault();
    const next = buttons[(index + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  }
}

/** Create a group that is a single stop of the Tab key. @param {string} label @param {HTMLElement[]} content
 * @param {string} className */
function createRadioGroup(label, content, className) {
  const group = createElement("div", { className, role: "radiogroup", ariaLabel: label }, ...content);
  const buttons = [...group.querySelectorAll("button")];
  const chosen = buttons.find((button) => button.ariaChecked === "true") ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
  return group;
}

/** @param {string} className @param {string} text @returns {HTMLElement} */
function createNote(className, text) {
  return createElement("p", { className }, text);
}

/** @param {string} text @param {...HTMLElement} more elements at its end */
function createHeading(text, ...more) {
  return createElement("div", { className: "heading" }, createElement("h2", {}, text), ...more);
}
