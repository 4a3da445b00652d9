// @ts-check
// Image export: all maps side by side, as pixels or as shapes.

import { savePng } from "../picture.js";
import { symbolPath } from "../symbols.js";
import { FAINT_OPACITY } from "./look.js";

/** @import { Panel } from "./panel.js" */
/** @import { PointMaps } from "./point_map.js" */

const SCALE = 2; // least number of picture pixels per CSS pixel
const GAP = 12; // between two maps
const TITLE_HEIGHT = 22; // height in pixels of the title and of the titles of maps
const LEGEND_ROW = 20; // height of a row of the legend
const SYMBOL_RADIUS = 5; // radius of a symbol in the legend
const LETTER_WIDTH = 7; // approximate width of a letter at 12 pixels; fonts of files differ
const FONT = "sans-serif";

/** @typedef {{ text: string, x: number, y: number, bold?: boolean }} Word */

/**
 * Return the size of a picture, the titles above the maps, and the legend in rows below them.
 * @param {Pick<PointMaps, "head" | "panels">} maps
 */
export function layOutPicture({ head, panels }) {
  /** @type {Word[]} */
  const words = head.title ? [{ text: head.title, x: 0, y: 16, bold: true }] : [];
  const above = words.length * TITLE_HEIGHT, titled = panels.some(({ data }) => data.title);
  const heading = above + (titled ? TITLE_HEIGHT : 0) + (above || titled ? GAP / 2 : 0);
  let left = 0;
  for (const { data, size } of panels) {
    if (data.title) words.push({ text: data.title, x: left, y: above + 16 });
    left += size.width + GAP;
  }
  const width = left - GAP, tall = Math.max(...panels.map(({ size }) => size.height));
  const { signs, said, rows } = layOutLegend(head, width);
  const top = heading + tall + GAP, low = (/** @type {Word} */ word) => ({ ...word, y: word.y + top });
  const height = heading + tall + (rows ? GAP + LEGEND_ROW * rows : 0);
  return { width, height, heading, words: [...words, ...said.map(low)], signs: signs(top) };
}

/**
 * Return symbols and texts of the legend, and its number of rows.
 * @param {Pick<PointMaps["head"], "legend" | "palette" | "ends">} head
 * @param {number} width
 */
function layOutLegend({ legend, palette, ends }, width) {
  /** @type {Word[]} */
  const said = [];
  /** @type {((top: number) => { color: string, d: string })[]} */
  const made = [];
  let x = 0, row = 0;
  /** @param {string} text */
  const say = (text) => {
    said.push({ text, x, y: LEGEND_ROW * row + 14 });
    x += LETTER_WIDTH * text.length + GAP;
  };
  if (legend === "scale") {
    say(ends[0]);
    const wide = 160 / palette.length;
    for (const { color } of palette) {
      const at = x;
      made.push((top) => ({ color, d: `M${at} ${top + 5}h${wide}v10h${-wide}Z` }));
      x += wide;
    }
    x += GAP;
    say(ends[1]);
  }
  for (const { label, color, symbol } of legend === "list" ? palette : []) {
    if (x && x + 3 * SYMBOL_RADIUS + LETTER_WIDTH * label.length > width) [x, row] = [0, row + 1];
    const [u, v] = [x + SYMBOL_RADIUS, LEGEND_ROW * row + 10];
    made.push((top) => ({ color, d: symbolPath(symbol, u, v + top, SYMBOL_RADIUS) }));
    x += 3 * SYMBOL_RADIUS;
    say(label);
  }
  return { signs: (/** @type {number} */ top) => made.map((sign) => sign(top)), said,
    rows: said.length && row + 1 };
}

/**
 * Save the maps as a PNG, at least twice as large, with titles and legend.
 * @param {PointMaps} maps
 */
export function saveBitmap(maps) {
  const scale = Math.max(SCALE, maps.panels[0].size.ratio);
  /** @param {Panel} panel */
  const painted = (panel) => {
    panel.resize(scale);
    panel.draw();
    const { width, height } = panel.size, size = `width="${width}" height="${height}"`;
    const images = [panel.points, panel.marks].map((each) => `<image ${size} href="${each.toDataURL()}"/>`);
    panel.resize();
    panel.draw();
    return images.join("");
  };
  return savePng(drawVectors(maps, painted), scale, `${maps.head.file}.png`);
}

/**
 * Return an SVG of the maps, by default of their visible points and names, with titles and legend.
 * @param {Pick<PointMaps, "head" | "highlighted" | "showsNames" | "panels" | "theme">} maps
 * @param {(panel: Panel) => string} drawn contents of a map
 */
export function drawVectors(maps, drawn = (panel) =>
  drawCategories(panel, maps.head, maps.highlighted) + (maps.showsNames ? drawNames(panel, maps.theme.ink) : "")) {
  const { head, panels, theme } = maps;
  const { width, height, heading, words, signs } = layOutPicture(maps), parts = [];
  let left = 0;
  for (const panel of panels) {
    parts.push(`<g transform="translate(${left} ${heading})">${drawn(panel)}</g>`);
    left += panel.size.width + GAP;
  }
  parts.push(...signs.map(({ color, d }) => `<path class="sign" fill="${color}" d="${d}"/>`));
  parts.push(...words.map(({ text, x, y, bold }) =>
    `<text x="${x.toFixed(1)}" y="${y}" font-family="${FONT}" ` +
    `${bold ? 'font-size="14" font-weight="bold"' : 'font-size="12"'} fill="${theme.ink}">` +
    `${escapeText(text)}</text>`));
  const size = `width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><title>${escapeText(head.title || head.file)}</title>` +
    `<rect ${size} fill="${theme.halo}"/>${parts.join("")}</svg>`;
}

/**
 * Return one path per category; the path of faint points is below all others.
 * @param {Panel} panel
 * @param {PointMaps["head"]} head
 * @param {PointMaps["highlighted"]} meant
 */
function drawCategories({ data, radius, size, view }, head, meant) {
  /** @type {Map<number, string[]>} */
  const by = new Map();
  for (let i = 0; i < data.n; i++) {
    const image = data.image[i], [u, v] = view.toScreen(data.xy[2 * i], data.xy[2 * i + 1]);
    if (u < 0 || v < 0 || u > size.width || v > size.height) continue;
    const key = meant && !meant[image] ? -1 : head.category[image];
    const shape = symbolPath(key < 0 ? "circle" : head.palette[key].symbol, u, v, radius);
    const shapes = by.get(key);
    if (shapes) shapes.push(shape);
    else by.set(key, [shape]);
  }
  return [...by].sort((a, b) => a[0] - b[0]).map(([key, shapes]) =>
    `<path fill="${key < 0 ? "#888" : head.palette[key].color}" ` +
    `fill-opacity="${key < 0 ? FAINT_OPACITY : 0.85}" d="${shapes.join("")}"/>`).join("");
}

/** @param {Panel} panel @param {string} ink */
function drawNames({ data, view }, ink) {
  return data.names.map(({ text, x, y }) => {
    const [u, v] = view.toScreen(x, y);
    return `<text x="${u.toFixed(1)}" y="${v.toFixed(1)}" text-anchor="middle" ` +
      `font-family="sans-serif" font-size="11" fill="${ink}">${escapeText(text)}</text>`;
  }).join("");
}

/** @param {string} text */
function escapeText(text) {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
