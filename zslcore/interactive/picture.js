// @ts-check
// Export of a figure as drawn: a self-contained image with all styles resolved.

import { save } from "./dom.js";
import { shape } from "./svg.js";

/** @typedef {{ key: string, format: string, scale: number, file: string }} Wanted */

/** Properties that style sheets set, and that a file has to contain. */
const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size",
  "font-family", "font-weight", "paint-order"];
/** Selector of drawings, and of texts outside drawings. */
const PARTS = "figure > svg, canvas, .numbers > span, figcaption, .key svg, .key span > span";
const AROUND = 16; // pixels around and between drawings

/**
 * Return one drawing of everything visible.
 * @param {Element} root element of the figure
 * @param {string} title
 */
export function pictureOf(root, title) {
  const whole = root.getBoundingClientRect(), style = getComputedStyle(root);
  const [width, height] = [whole.width + 2 * AROUND, whole.height + 2 * AROUND];
  const picture = shape("svg", { xmlns: "http://www.w3.org/2000/svg", width, height,
    viewBox: `${-AROUND} ${-AROUND} ${width} ${height}`, color: style.color },
  shape("title", {}, title),
  shape("rect", { x: -AROUND, y: -AROUND, width, height,
    fill: style.getPropertyValue("--paper") || "#fff" }));
  for (const part of root.querySelectorAll(PARTS)) {
    const box = part.getBoundingClientRect();
    if (box.width) picture.append(copyOf(part, box.left - whole.left, box.top - whole.top));
  }
  return picture;
}

/** @param {Element} part @param {number} x @param {number} y */
function copyOf(part, x, y) {
  const { width, height } = part.getBoundingClientRect();
  if (part instanceof HTMLCanvasElement)
    return shape("image", { x, y, width, height, href: part.toDataURL() });
  if (part instanceof SVGSVGElement) {
    const copy = /** @type {SVGSVGElement} */ (part.cloneNode(true));
    spellOut(part, copy);
    copy.setAttribute("x", String(x));
    copy.setAttribute("y", String(y));
    return copy;
  }
  const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(part);
  return shape("text", { x, y: y + 0.75 * height, fill: color, "font-family": fontFamily,
    "font-size": fontSize, "font-weight": fontWeight }, part.textContent ?? "");
}

/** Write the computed styles into a copy. @param {Element} from @param {Element} to */
function spellOut(from, to) {
  const style = getComputedStyle(from);
  for (const name of COPIED) to.setAttribute(name, style.getPropertyValue(name));
  if (from instanceof SVGTextElement && from.getComputedTextLength()) {
    to.setAttribute("textLength", from.getComputedTextLength().toFixed(1));
    to.setAttribute("lengthAdjust", "spacingAndGlyphs"); // a picture lacks the page's font
  }
  to.removeAttribute("style");
  to.removeAttribute("class");
  [...from.children].forEach((child, i) => spellOut(child, to.children[i]));
}

/** @param {Element} root @param {string} title @param {Wanted} wanted */
export async function saveAs(root, title, { format, scale, file }) {
  const text = new XMLSerializer().serializeToString(pictureOf(root, title));
  if (format === "svg") return save(new Blob([text], { type: "image/svg+xml" }), file);
  return savePNG(text, scale, file);
}

/** Save the pixels of an SVG. @param {string} text @param {number} scale @param {string} file */
export async function savePNG(text, scale, file) {
  const image = new Image(), url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width * scale, image.height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  save(await canvas.convertToBlob({ type: "image/png" }), file);
}
