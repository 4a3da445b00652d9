// @ts-check
// Tooltip of a figure.

import { findElement } from "./dom.js";

/** @typedef {{ x: number, y: number, width?: number, height?: number }} Anchor in pixels of the figure */

const TOOLTIP_GAP = 8; // pixels between the tooltip and its anchor

export class Tooltip {
  /** @param {ParentNode} parent with the element of the tooltip */
  constructor(parent) {
    this.element = findElement(parent, ".tip", HTMLElement);
  }

  /**
   * Show content centred above an anchor, or below it where there is no room above.
   * @param {Element} figure with the origin of the anchor
   * @param {Anchor} anchor
   * @param {...(Node | string)} content
   */
  show(figure, { x, y, width = 0, height = 0 }, ...content) {
    const { element } = this;
    element.hidden = false;
    element.replaceChildren(...content);
    const box = figure.getBoundingClientRect();
    const whole = /** @type {Element} */ (element.offsetParent ?? figure).getBoundingClientRect();
    const middle = box.left - whole.left + x + width / 2, top = box.top - whole.top + y;
    const left = Math.min(middle - element.offsetWidth / 2, whole.width - element.offsetWidth);
    const above = top - TOOLTIP_GAP - element.offsetHeight;
    element.style.left = `${Math.max(0, left)}px`;
    element.style.top = `${above < 0 ? top + height + TOOLTIP_GAP : above}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}
