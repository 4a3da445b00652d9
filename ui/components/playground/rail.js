// @ts-check
// The rail of choices: data sets as tiles, splits and methods as chips in groups.

import { button } from "../../../zslcore/interactive/dom.js";

/** @import { Choice, Rail, Tile } from "./wire.js" */

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
    const methods = families.map(({ family, chips }) => {
      const row = document.createElement("div"), name = document.createElement("span");
      name.textContent = family;
      row.append(name, ...chips.map(({ name: method, here, title, needs }) => {
        const chip = this.chip(method, { method }, method === chosen.method, title);
        chip.classList.toggle("far", !here);
        chip.classList.toggle("lacking", Boolean(needs));
        return chip;
      }));
      return row;
    });
    made.push(this.group("Method", methods, "families"));
    const needs = new Set(families.flatMap(({ chips }) => chips.map((chip) => chip.needs)));
    needs.delete("");
    if (families.some(({ chips }) => chips.some(({ here }) => !here)))
      made.push(line("note", "Dashed: computed when chosen."));
    if (needs.size) made.push(line("note", `Grey: needs ${[...needs].join(" and ")}`));
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
    const made = document.createElement("div");
    made.className = "more";
    made.append(opens, panel);
    return made;
  }

  /** @param {Tile} tile @param {Choice} chosen */
  tile({ key, title, classes, kind }, chosen) {
    const made = this.chip(title, { dataset: key, split: "" }, key === chosen.dataset,
      `${title}, ${kind}: ${classes} classes`);
    const name = document.createElement("b"), small = document.createElement("small");
    [name.textContent, small.textContent] = [title, `${classes} classes`];
    made.replaceChildren(name, small);
    made.className = "tile";
    return made;
  }

  /** @param {string} words @param {Partial<Choice>} change @param {boolean} chosen @param {string} title */
  chip(words, change, chosen, title) {
    const made = button(title, () => this.choose(change), words);
    made.className = "chip";
    made.dataset.choice = JSON.stringify(change);
    made.setAttribute("role", "radio");
    made.setAttribute("aria-checked", String(chosen));
    return made;
  }

  /** A group that is a single stop of the Tab key. @param {string} label @param {HTMLElement[]} content @param {string} kind */
  group(label, content, kind) {
    const made = document.createElement("div");
    made.className = kind;
    made.setAttribute("role", "radiogroup");
    made.setAttribute("aria-label", label);
    made.append(...content);
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
  const made = document.createElement("p");
  made.className = kind;
  made.textContent = text;
  return made;
}

/** @param {string} words @param {...HTMLElement} more elements at its end */
function heading(words, ...more) {
  const made = document.createElement("h2"), row = document.createElement("div");
  made.textContent = words;
  row.className = "heading";
  row.append(made, ...more);
  return row;
}
