// @ts-check
// Base class of all figures: mounting, size, theme, tooltip, export, and messages to the server.

import { findElement } from "./dom.js";
import { savePicture } from "./picture.js";
import { Tooltip } from "./tooltip.js";

/** @typedef {(name: string, value: unknown) => void} Send sends a value to the server */

/**
 * @typedef {object} Component arguments of a component from Streamlit
 * @property {Uint8Array} data
 * @property {ParentNode} parentElement
 * @property {Send} setStateValue
 */

/** @type {WeakMap<ParentNode, any>} */
const mountedFigures = new WeakMap();

/**
 * Show data in the figure of an element, which is created the first time; return its removal.
 * @template C
 * @param {Component} component
 * @param {new (parent: ParentNode) => Figure & { show: (content: C) => void }} FigureClass
 * @param {(bytes: Uint8Array) => C} read
 */
export function mountFigure({ data, parentElement, setStateValue }, FigureClass, read) {
  /** @type {Figure & { show: (content: C) => void }} */
  const figure = mountedFigures.get(parentElement) ?? new FigureClass(parentElement);
  mountedFigures.set(parentElement, figure);
  figure.send = setStateValue;
  figure.show(read(data));
  return () => {
    figure.close();
    mountedFigures.delete(parentElement);
  };
}

export class Figure {
  /** @type {Send} */
  send = () => {};
  width = 0;
  rootHeight = 0;
  /** whether its place gives the height */
  fillsPlace = false;
  /** @type {{ key: string, alt: string } | null} name in requests for a picture, and its title */
  picture = null;
  /** ends all listeners outside the figure */
  closing = new AbortController();

  /** @param {ParentNode} parent @param {string} selector of the element of the figure */
  constructor(parent, selector) {
    this.root = findElement(parent, selector, HTMLElement);
    this.tooltip = new Tooltip(parent);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
    document.addEventListener("zsl-save", (event) => this.saveIfRequested(event), { signal: this.closing.signal });
  }

  close() {
    this.observer.disconnect();
    this.closing.abort();
  }

  /** Draw everything for the current size. */
  draw() {}

  resize() {
    // In a large window, some figures are zoomed: measure their size without the zoom.
    const box = this.root.getBoundingClientRect(), zoom = this.root.currentCSSZoom ?? 1;
    const [width, height] = [box.width, box.height].map((pixels) => Math.floor(pixels / zoom));
    const isSame = width === this.width && (height === this.rootHeight || !this.fillsPlace);
    if (isSame || !width) return;
    [this.width, this.rootHeight] = [width, height];
    this.draw();
  }

  /** Save the figure as drawn if a menu of the page requests it. @param {Event} event */
  saveIfRequested(event) {
    if (event instanceof CustomEvent && event.detail.key === this.picture?.key)
      savePicture(this.root, this.picture?.alt ?? "", event.detail);
  }

  /** Show a tooltip at a point of a part of the figure. @param {Element} part
   * @param {number} x @param {number} y @param {string} text */
  showTooltip(part, x, y, text) {
    this.tooltip.show(part, { x, y }, text);
  }
}

/**
 * Call `onChange` when the background of the theme changes; Streamlit can set it after the element
 * is mounted.
 * @param {HTMLElement} element
 * @param {() => void} onChange
 */
export function onThemeChange(element, onChange) {
  // This colour is invisible and not inherited. Its change takes 1 ms, and the end of the
  // transition is an event.
  element.style.columnRuleColor = "var(--st-background-color)";
  element.style.transition = "column-rule-color 1ms";
  element.addEventListener("transitionend", ({ target }) => target === element && onChange());
}
