// @ts-check
// Creation and measurement of SVG elements.

import { createOffscreen } from "./canvas.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const MEASURED_FONT = "13px sans-serif"; // the font of the plots

/** @typedef {Record<string, string | number | undefined>} Attributes undefined ones are left out */

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} attributes
 * @param {...(Node | string)} content
 * @returns {SVGElementTagNameMap[K]}
 */
export function createSvg(name, attributes = {}, ...content) {
  const element = document.createElementNS(NAMESPACE, name);
  setAttributes(element, attributes);
  element.append(...content);
  return element;
}

/** @param {Element} element @param {Attributes} attributes */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined)
      element.setAttribute(name, typeof value === "number" ? String(+value.toFixed(2)) : value);
}

/** Resize a drawing. @param {SVGSVGElement} svg @param {number} width @param {number} height
 * @param {number} top upper edge of the drawing */
export function setSize(svg, width, height, top = 0) {
  setAttributes(svg, { width, height, viewBox: `0 ${top} ${width} ${height}` });
}

/** @type {OffscreenCanvasRenderingContext2D | null} */
let measuringContext = null;

/** Return the width in pixels of a text in the font of the plots. @param {string} text */
export function measureText(text) {
  measuringContext ??= createOffscreen(1, 1);
  measuringContext.font = MEASURED_FONT;
  return measuringContext.measureText(text).width;
}
