// @ts-check
// The rail of choices: data sets as tiles, splits and methods as chips in groups.

import { button, create } from "../../../zslcore/interactive/dom.js";

/** @import { Chip, Choice, Rail, Tile } from "./wire.js" */

const WAYS = /** @type {Record<string, number>} */ (
  { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

export class Choices {
  /** @param {HTMLElement} root @param {(change: Partial<Choice>) => void} choose @param {() => void} bring */
  constructor(root, choose, bring) {
    this.root = root;
    this.choose = choose;
    this.bring = bring;
    this.drawn = "";
    root.addEventListener("keydown", (event) => this.walk(event));
  }

  /** @param {Rail} rail */
  show(rail) {
    const now = JSON.stringify(rail), open = this.root.querySelector("[popover]:popover-open");
    if (now === this.drawn) return;
    if (open) { // an open list stays until it is closed
      open.addEventListener("toggle", () => this.show(rail), { once: true });
      return;
    }
    this.drawn = now;
    const held = this.focused();
    this.root.replaceChildren(...this.parts(rail));
    if (held) this.find(held)?.focus();
  }

  /** The focused choice. */
  focused() {
    const root = this.root.getRootNode();
    const active = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null;
    return active && this.root.contains(active) ? active.getAttribute("data-choice") : null;
  }

  /** @param {string} choice @returns {HTMLElement | undefined} */
  find(choice) {
    return [...this.root.querySelectorAll("button")].find((each) => each.dataset.choice === choice);
  }

  /** @param {Rail} rail */
  parts({ tiles, simulated, splits, split_note, families, chosen }) {
    const own = button("Import your own data set", () => this.bring(), "Import");
    /** @type {HTMLElement[]} */
    const made = [heading("Data set", own),
      this.group("Data set", tiles.flatMap((each, k) => [
        ...(each.kind !== "real" && tiles[k - 1]?.kind === "real"
          ? [line("kind", "Precomputed results")] : []),
        this.tile(each, chosen)]), "tiles")];
    if (simulated.length) made.push(this.more(simulated, chosen));
    if (splits.length > 1) made.push(heading("Split"), this.group("Split", splits.map((split) =>
      this.chip(split, { split }, split === chosen.split, `split ${split}`)), "chips"));
    if (split_note) made.push(line("note", split_note));
    made.push(heading("Method"));
    /** @param {Chip} chip */
    const method = ({ name, words, here, title, needs }) => {
      const chip = this.chip(words, { method: name }, name === chosen.method, title);
      chip.classList.toggle("far", !here);
      chip.classList.toggle("lacking", Boolean(needs));
      return chip;
    };
    made.push(this.group("Method", Object.entries(families).map(([family, chips]) =>
      create("div", {}, create("span", {}, family), ...chips.map(method))), "families"));
    const all = Object.values(families).flat();
    const lacks = new Set(all.map(({ needs }) => needs).filter(Boolean));
    if (all.some(({ here }) => !here))
      made.push(line("note", "Dashed: computed when chosen."));
    if (lacks.size) made.push(line("note", `Grey: needs ${[...lacks].join(" and ")}`));
    return made;
  }

  /** A list that opens over the page, since it does not fit into the rail.
   * @param {Tile[]} simulated @param {Choice} chosen */
  more(simulated, chosen) {
    const here = simulated.find(({ key }) => key === chosen.dataset);
    const words = here ? `${here.title} (simulated)` : `${simulated.length} simulated data sets`;
    const opens = button("Simulated data sets", () => {}, `${words} ▾`);
    opens.className = here ? "opens chosen" : "opens";
    const panel = this.group("Simulated data set",
      simulated.map((each) => this.tile(each, chosen)), "tiles");
    panel.popover = "auto";
    panel.addEventListener("click", () => panel.hidePopover());
    opens.addEventListener("click", () => {
      panel.togglePopover();
      const { left, bottom } = opens.getBoundingClientRect();
      panel.style.left = `${left}px`;
      panel.style.top = `${Math.max(8, Math.min(bottom + 4, innerHeight - panel.offsetHeight - 8))}px`;
    });
    return create("div", { className: "more" }, opens, panel);
  }

  /** @param {Tile} tile @param {Choice} chosen */
  tile({ key, title, classes, kind }, chosen) {
    const made = this.chip(title, { dataset: key, split: "" }, key === chosen.dataset,
      `${title}, ${kind}: ${classes} classes`);
    made.replaceChildren(create("b", {}, title), create("small", {}, `${classes} classes`));
    made.className = "tile";
    return made;
  }

  /** @param {string} words @param {Partial<Choice>} change @param {boolean} chosen @param {string} title */
  chip(words, change, chosen, title) {
    const made = button(title, () => this.choose(change), words);
    made.dataset.choice = JSON.stringify(change);
    return Object.assign(made, { className: "chip", role: "radio", ariaChecked: String(chosen) });
  }

  /** A group that is a single stop of the Tab key. @param {string} label @param {HTMLElement[]} content @param {string} kind */
  group(label, content, kind) {
    const made = create("div", { className: kind, role: "radiogroup", ariaLabel: label }, ...content);
    const all = [...made.querySelectorAll("button")];
    const chosen = all.find((each) => each.getAttribute("aria-checked") === "true") ?? all[0];
    for (const each of all) each.tabIndex = each === chosen ? 0 : -1;
    return made;
  }

  /** Arrow keys move the focus and choose. @param {KeyboardEvent} event */
  walk(event) {
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
  return create("p", { className: kind }, text);
}

/** @param {string} words @param {...HTMLElement} more elements at its end */
function heading(words, ...more) {
  return create("div", { className: "heading" }, create("h2", {}, words), ...more);
}
