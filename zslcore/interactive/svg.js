// @ts-check
// Creation and measurement of SVG elements.

const SPACE = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number>} Attributes */

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} attributes
 * @param {...(Node | string)} content
 * @returns {SVGElementTagNameMap[K]}
 */
export function createSvg(name, attributes = {}, ...content) {
  const made = document.createElementNS(SPACE, name);
  setAttributes(made, attributes);
  made.append(...content);
  return made;
}

/** @param {Element} element @param {Attributes} attributes */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, typeof value === "number" ? String(+value.toFixed(2)) : value);
}

/** Width in pixels of a text in the font of the plots. */
export const measureText = (() => {
  /** @type {OffscreenCanvasRenderingContext2D | null} */
  let ctx = null;
  /** @param {string} text */
  return (text) => {
    ctx ??= /** @type {OffscreenCanvasRenderingContext2D} */ (
      new OffscreenCanvas(1, 1).getContext("2d"));
    ctx.font = "13px sans-serif";
    return ctx.measureText(text).width;
  };
})();
