// @ts-check
// Looks of curves and stops: a colour by theme, a symbol, and a dash pattern.

import { isDark, readColor, readVariable } from "./canvas.js";
import { createSvg } from "./svg.js";
import { symbolPath } from "./symbols.js";

/**
 * @typedef {object} Look look of a line, a mark or a side
 * @property {string} light colour in the light theme
 * @property {string} dark colour in the dark theme
 * @property {string} symbol
 * @property {string} dash pattern of lines, as in SVG
 */

/** Return the style of an element in the colour of a look. @param {string} name */
export function lookStyle(name) {
  return `--ink: var(--${name})`;
}

/**
 * Return the symbol of a look; that of the uncalibrated stop is hollow.
 * @param {Record<string, Look>} looks
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export function createSymbol(looks, name, x, y, r) {
  return createSvg("path", { class: name === "plain" ? "hollow" : "dot", style: lookStyle(name),
    d: symbolPath(looks[name].symbol, x, y, r) });
}

/**
 * Return a small drawing centred at the origin, as an element of HTML.
 * @param {number} reach distance of its edges from the origin
 * @param {...SVGElement} content
 */
export function createIcon(reach, ...content) {
  const viewBox = `${-reach} ${-reach} ${2 * reach} ${2 * reach}`;
  return createSvg("svg", { viewBox, "aria-hidden": "true" }, ...content);
}

/** Set the colours of looks and paper for the current theme. @param {HTMLElement} root
 * @param {Record<string, Look>} looks */
export function applyLooks(root, looks) {
  const paper = readVariable(root, "--st-background-color") || "#fff";
  const theme = isDark(`rgb(${readColor(paper)})`) ? "dark" : "light";
  root.style.setProperty("--paper", paper);
  for (const [name, look] of Object.entries(looks)) root.style.setProperty(`--${name}`, look[theme]);
}
