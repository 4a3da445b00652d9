// @ts-check
// The rail of choices: data sets as tiles, splits and methods as chips in groups.

import { createButton, createElement } from "../../../zslcore/interactive/dom.js";

/** @import { Chip, Choice, Rail, Tile } from "./wire.js" */

const WAYS = /** @type {Record<string, number>} */ (
  { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

export class ChoiceRail {
  /** @param {HTMLElement} root @param {(change: Partial<Choice>) => void} choose @param {() => void} bring */
  constructor(root, choose, bring) {
    this.root = root;
    this.choose = choose;
    this.importData = bring;
    this.drawnRail = "";
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {Rail} rail */
  show(rail) {
    const now = JSON.stringify(rail), open = this.root.querySelector("[popover]:popover-open");
    if (now === this.drawnRail) return;
    if (open) { // an open list stays until it is closed
      open.addEventListener("toggle", () => this.show(rail), { once: true });
      return;
    }
    this.drawnRail = now;
    const held = this.focusedChoice();
    this.root.replaceChildren(...this.createParts(rail));
    if (held) this.findChoice(held)?.focus();
  }

  /** The focused choice. */
  focusedChoice() {
    const root = this.root.getRootNode();
    const active = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null;
    return active && this.root.contains(active) ? active.getAttribute("data-choice") : null;
  }

  /** @param {string} choice @returns {HTMLElement | undefined} */
  findChoice(choice) {
    return [...this.root.querySelectorAll("button")].find((each) => each.dataset.choice === choice);
  }

  /** @param {Rail} rail */
  createParts({ tiles, simulated, splits, split_note, families, chosen }) {
    const own = createButton("Import your own data set", () => this.importData(), "Import");
    /** @type {HTMLElement[]} */
    const made = [heading("Data set", own),
      this.createRadioGroup("Data set", tiles.flatMap((each, k) => [
        ...(each.kind !== "real" && tiles[k - 1]?.kind === "real"
          ? [line("kind", "Precomputed results")] : []),
        this.createTile(each, chosen)]), "tiles")];
    if (simulated.length) made.push(this.createPopover(simulated, chosen));
    if (splits.length > 1) made.push(heading("Split"), this.createRadioGroup("Split", splits.map((split) =>
      this.createChip(split, { split }, split === chosen.split, `split ${split}`)), "chips"));
    if (split_note) made.push(line("note", split_note));
    made.push(heading("Method"));
    /** @param {Chip} chip */
    const method = ({ name, words, here, title, needs }) => {
      const chip = this.createChip(words, { method: name }, name === chosen.method, title);
      chip.classList.toggle("far", !here);
      chip.classList.toggle("lacking", Boolean(needs));
      return chip;
    };
    made.push(this.createRadioGroup("Method", Object.entries(families).map(([family, chips]) =>
      createElement("div", {}, createElement("span", {}, family), ...chips.map(method))), "families"));
    const all = Object.values(families).flat();
    const lacks = new Set(all.map(({ needs }) => needs).filter(Boolean));
    if (all.some(({ here }) => !here))
      made.push(line("note", "Dashed: computed when chosen."));
    if (lacks.size) made.push(line("note", `Grey: needs ${[...lacks].join(" and ")}`));
    return made;
  }

  /** A list that opens over the page, since it does not fit into the rail.
   * @param {Tile[]} simulated @param {Choice} chosen */
  createPopover(simulated, chosen) {
    const here = simulated.find(({ key }) => key === chosen.dataset);
    const words = here ? `${here.title} (simulated)` : `${simulated.length} simulated data sets`;
    const opens = createButton("Simulated data sets", () => {}, `${words} ▾`);
    opens.className = here ? "opens chosen" : "opens";
    const panel = this.createRadioGroup("Simulated data set",
      simulated.map((each) => this.createTile(each, chosen)), "tiles");
    panel.popover = "auto";
    panel.addEventListener("click", () => panel.hidePopover());
    opens.addEventListener("click", () => {
      panel.togglePopover();
      const { left, bottom } = opens.getBoundingClientRect();
      panel.style.left = `${left}px`;
      panel.style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - panel.offsetHeight - 8))}px`;
    });
    return createElement("div", { className: "more" }, opens, panel);
  }

  /** @param {Tile} tile @param {Choice} chosen */
  createTile({ key, title, classes, kind }, chosen) {
    const made = this.createChip(title, { dataset: key, split: "" }, key === chosen.dataset,
      `${title}, ${kind}: ${classes} classes`);
    made.replaceChildren(createElement("b", {}, title), createElement("small", {}, `${classes} classes`));
    made.className = "tile";
    return made;
  }

  /** @param {string} words @param {Partial<Choice>} change @param {boolean} chosen @param {string} title */
  createChip(words, change, chosen, title) {
    const made = createButton(title, () => this.choose(change), words);
    made.dataset.choice = JSON.stringify(change);
    return Object.assign(made, { className: "chip", role: "radio", ariaChecked: String(chosen) });
  }

  /** A group that is a single stop of the Tab key. @param {string} label @param {HTMLElement[]} content @param {string} kind */
  createRadioGroup(label, content, kind) {
    const made = createElement("div", { className: kind, role: "radiogroup", ariaLabel: label }, ...content);
    const all = [...made.querySelectorAll("button")];
    const chosen = all.find((each) => each.getAttribute("aria-checked") === "true") ?? all[0];
    for (const each of all) each.tabIndex = each === chosen ? 0 : -1;
    return made;
  }

  /** Arrow keys move the focus and choose. @param {KeyboardEvent} event */
  onKey(event) {
    const from = event.target, way = WAYS[event.key];
    if (!(from instanceof HTMLElement) || !way) return;
    const all = [...(from.closest("[role=radiogroup]")?.querySelectorAll("button") ?? [])];
    const at = all.findIndex((each) => each === from);
    if (at < 0) return;
    event.preventDefault();
    const next = all[(at + way + all.length) % all.length];
    next.focus();
    next.click();
  }
}

/** @param {string} kind @param {string} text */
function line(kind, text) {
  return createElement("p", { className: kind }, text);
}

/** @param {string} words @param {...HTMLElement} more elements at its end */
function heading(words, ...more) {
  return createElement("div", { className: "heading" }, createElement("h2", {}, words), ...more);
}
