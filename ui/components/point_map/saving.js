// @ts-check
// Pictures to take away: all maps beside each other, as pixels or as shapes.

import { contextOf } from "../dom.js";
import { path } from "../symbols.js";
import { FAINT } from "./look.js";

/** @import { Panel } from "./panel.js" */
/** @import { PointMaps } from "./point_map.js" */

const GAP = 12; // between two maps

/**
 * A canvas with what is on the screen.
 * @param {PointMaps} maps
 */
export function pixelsOf({ panels, theme }) {
  const whole = document.createElement("canvas"), ctx = contextOf(whole);
  whole.width = panels.reduce((sum, { points }) => sum + points.width + GAP, -GAP);
  whole.height = Math.max(...panels.map(({ points }) => points.height));
  ctx.fillStyle = theme.halo;
  ctx.fillRect(0, 0, whole.width, whole.height);
  let left = 0;
  for (const { points, marks } of panels) {
    ctx.drawImage(points, left, 0);
    ctx.drawImage(marks, left, 0);
    left += points.width + GAP;
  }
  return whole;
}

/**
 * SVG of the points and names that are seen.
 * @param {Pick<PointMaps, "head" | "meant" | "names" | "panels" | "theme">} maps
 */
export function shapesOf({ head, meant, names, panels, theme }) {
  const parts = [];
  let left = 0, tall = 0;
  for (const panel of panels) {
    const { width, height } = panel.size, words = names ? wordsIn(panel, theme.ink) : "";
    const layers = layersIn(panel, head, meant);
    parts.push(`<g transform="translate(${left} 0)">${layers}${words}</g>`);
    left += width + GAP;
    tall = Math.max(tall, height);
  }
  const size = `width="${left - GAP}" height="${tall}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><title>${escaped(head.file)}</title>` +
    `<rect ${size} fill="${theme.halo}"/>${parts.join("")}</svg>`;
}

/**
 * One path for each category, what is not meant below.
 * @param {Panel} panel
 * @param {PointMaps["head"]} head
 * @param {PointMaps["meant"]} meant
 */
function layersIn({ data, radius, size, view }, head, meant) {
  /** @type {Map<number, string[]>} */
  const by = new Map();
  for (let i = 0; i < data.n; i++) {
    const image = data.image[i], [u, v] = view.toScreen(data.xy[2 * i], data.xy[2 * i + 1]);
    if (u < 0 || v < 0 || u > size.width || v > size.height) continue;
    const key = meant && !meant[image] ? -1 : head.category[image];
    const shape = path(key < 0 ? "circle" : head.palette[key].symbol, u, v, radius);
    const shapes = by.get(key);
    if (shapes) shapes.push(shape);
    else by.set(key, [shape]);
  }
  return [...by].sort((a, b) => a[0] - b[0]).map(([key, shapes]) =>
    `<path fill="${key < 0 ? "#888" : head.palette[key].color}" ` +
    `fill-opacity="${key < 0 ? FAINT : 0.85}" d="${shapes.join("")}"/>`).join("");
}

/** @param {Panel} panel @param {string} ink */
function wordsIn({ data, view }, ink) {
  return data.names.map(({ text, x, y }) => {
    const [u, v] = view.toScreen(x, y);
    return `<text x="${u.toFixed(1)}" y="${v.toFixed(1)}" text-anchor="middle" ` +
      `font-family="sans-serif" font-size="11" fill="${ink}">${escaped(text)}</text>`;
  }).join("");
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
