// @ts-check
// Export of a figure as drawn: a self-contained image with all styles resolved.

import { createOffscreen } from "./canvas.js";
import { downloadFile } from "./dom.js";
import { createSvg } from "./svg.js";

/** @typedef {{ key: string, format: string, scale: number, file: string }} PictureRequest */

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
function drawPicture(root, title) {
  const whole = root.getBoundingClientRect(), style = getComputedStyle(root);
  const [width, height] = [whole.width + 2 * AROUND, whole.height + 2 * AROUND];
  const picture = createSvg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height,
    viewBox: `${-AROUND} ${-AROUND} ${width} ${height}`, color: style.color },
  createSvg("title", {}, title),
  createSvg("rect", { x: -AROUND, y: -AROUND, width, height,
    fill: style.getPropertyValue("--paper") || "#fff" }));
  for (const part of root.querySelectorAll(PARTS)) {
    const box = part.getBoundingClientRect();
    if (box.width) picture.append(copyElement(part, box.left - whole.left, box.top - whole.top));
  }
  return picture;
}

/** @param {Element} part @param {number} x @param {number} y */
function copyElement(part, x, y) {
  const { width, height } = part.getBoundingClientRect();
  if (part instanceof HTMLCanvasElement)
    return createSvg("image", { x, y, width, height, href: part.toDataURL() });
  if (part instanceof SVGSVGElement) {
    const copy = /** @type {SVGSVGElement} */ (part.cloneNode(true));
    inlineStyles(part, copy);
    copy.setAttribute("x", String(x));
    copy.setAttribute("y", String(y));
    return copy;
  }
  const { color, fontFamily, fontSize, fontWeight } = getComputedStyle(part);
  return createSvg("text", { x, y: y + 0.75 * height, fill: color, "font-family": fontFamily,
    "font-size": fontSize, "font-weight": fontWeight }, part.textContent ?? "");
}

/** Write the computed styles into a copy. @param {Element} from @param {Element} to */
function inlineStyles(from, to) {
  const style = getComputedStyle(from);
  for (const name of COPIED) to.setAttribute(name, style.getPropertyValue(name));
  if (from instanceof SVGTextElement && from.getComputedTextLength()) {
    to.setAttribute("textLength", from.getComputedTextLength().toFixed(1));
    to.setAttribute("lengthAdjust", "spacingAndGlyphs"); // a picture lacks the page's font
  }
  to.removeAttribute("style");
  to.removeAttribute("class");
  [...from.children].forEach((child, i) => inlineStyles(child, to.children[i]));
}

/** @param {Element} root @param {string} title @param {PictureRequest} wanted */
export async function savePicture(root, title, { format, scale, file }) {
  const text = new XMLSerializer().serializeToString(drawPicture(root, title));
  if (format === "svg") return downloadFile(new Blob([text], { type: "image/svg+xml" }), file);
  return savePng(text, scale, file);
}

/** Save the pixels of an SVG. @param {string} text @param {number} scale @param {string} file */
export async function savePng(text, scale, file) {
  const image = new Image(), url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const ctx = createOffscreen(image.width * scale, image.height * scale);
  ctx.drawImage(image, 0, 0, ctx.canvas.width, ctx.canvas.height);
  URL.revokeObjectURL(url);
  downloadFile(await ctx.canvas.convertToBlob({ type: "image/png" }), file);
}
