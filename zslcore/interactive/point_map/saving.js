// @ts-check
// Image export: all maps side by side, as pixels or as shapes.

import { savePng } from "../picture.js";
import { symbolPath } from "../symbols.js";
import { FAINT_OPACITY } from "./look.js";

/** @import { Panel } from "./panel.js" */
/** @import { PointMaps } from "./point_map.js" */

const SCALE = 2; // least number of picture pixels per CSS pixel
const GAP = 12; // pixels between two maps
const TITLE_HEIGHT = 22; // height in pixels of the title and of the titles of maps
const LEGEND_ROW = 20; // height of a row of the legend
const SYMBOL_RADIUS = 5; // radius of a symbol in the legend
const LETTER_WIDTH = 7; // approximate width of a letter at 12 pixels; fonts of files differ
const SCALE_WIDTH = 160; // width of a scale of colours, in pixels
const FAINT = -1; // category of points that are not highlighted
const FONT = "sans-serif";

/** @typedef {{ text: string, x: number, y: number, bold?: boolean }} Word */

/**
 * Return the size of a picture, the titles above the maps, and the legend in rows below them.
 * @param {Pick<PointMaps, "head" | "panels">} maps
 */
function layOutPicture({ head, panels }) {
  /** @type {Word[]} */
  const titles = head.title ? [{ text: head.title, x: 0, y: 16, bold: true }] : [];
  const above = titles.length * TITLE_HEIGHT;
  let left = 0;
  for (const { data, size } of panels) {
    if (data.title) titles.push({ text: data.title, x: left, y: above + 16 });
    left += size.width + GAP;
  }
  const hasPanelTitles = panels.some(({ data }) => data.title);
  const mapTop = titles.length ? above + (hasPanelTitles ? TITLE_HEIGHT : 0) + GAP / 2 : 0;
  const width = left - GAP, mapBottom = mapTop + Math.max(...panels.map(({ size }) => size.height));
  const { symbols, words, rows } = layOutLegend(head, width, mapBottom + GAP);
  const height = mapBottom + (rows ? GAP + LEGEND_ROW * rows : 0);
  return { width, height, mapTop, words: [...titles, ...words], symbols };
}

/**
 * Return symbols and texts of the legend, and its number of rows.
 * @param {Pick<PointMaps["head"], "legend" | "palette" | "ends">} head
 * @param {number} width
 * @param {number} top
 */
function layOutLegend({ legend, palette, ends }, width, top) {
  /** @type {Word[]} */
  const words = [];
  /** @type {{ color: string, d: string }[]} */
  const symbols = [];
  let x = 0, row = 0;
  /** @param {string} text */
  const addWord = (text) => {
    words.push({ text, x, y: top + LEGEND_ROW * row + 14 });
    x += LETTER_WIDTH * text.length + GAP;
  };
  if (legend === "scale") {
    addWord(ends[0]);
    const step = SCALE_WIDTH / palette.length;
    for (const { color } of palette) {
      symbols.push({ color, d: `M${x} ${top + 5}h${step}v10h${-step}Z` });
      x += step;
    }
    x += GAP;
    addWord(ends[1]);
  }
  for (const { label, color, symbol } of legend === "list" ? palette : []) {
    if (x && x + 3 * SYMBOL_RADIUS + LETTER_WIDTH * label.length > width) [x, row] = [0, row + 1];
    const y = top + LEGEND_ROW * row + 10;
    symbols.push({ color, d: symbolPath(symbol, x + SYMBOL_RADIUS, y, SYMBOL_RADIUS) });
    x += 3 * SYMBOL_RADIUS;
    addWord(label);
  }
  return { symbols, words, rows: words.length && row + 1 };
}

/**
 * Save the maps as a PNG, at least twice as large, with titles and legend.
 * @param {PointMaps} maps
 */
export function saveBitmap(maps) {
  const scale = Math.max(SCALE, maps.panels[0].size.ratio);
  return savePng(drawVectors(maps, (panel) => drawBitmap(panel, scale)), scale, `${maps.head.file}.png`);
}

/** Return the canvases of a map as images, drawn at a scale. @param {Panel} panel @param {number} scale */
function drawBitmap(panel, scale) {
  panel.resize(scale);
  panel.draw();
  const size = sizeAttributes(panel.size);
  const images = [panel.points, panel.marks].map((canvas) => `<image ${size} href="${canvas.toDataURL()}"/>`);
  panel.resize();
  panel.draw();
  return images.join("");
}

/**
 * Return an SVG of the maps, by default of their visible points and names, with titles and legend.
 * @param {Pick<PointMaps, "head" | "highlighted" | "showsNames" | "panels" | "theme">} maps
 * @param {(panel: Panel) => string} drawPanel
 */
export function drawVectors(maps, drawPanel = (panel) => drawCategories(panel, maps) + drawNames(panel, maps)) {
  const { head, panels, theme } = maps;
  const { width, height, mapTop, words, symbols } = layOutPicture(maps), size = sizeAttributes({ width, height });
  let left = 0;
  const parts = panels.map((panel) => {
    const part = `<g transform="translate(${left} ${mapTop})">${drawPanel(panel)}</g>`;
    left += panel.size.width + GAP;
    return part;
  });
  parts.push(...symbols.map(({ color, d }) => `<path class="sign" fill="${color}" d="${d}"/>`));
  parts.push(...words.map(({ text, x, y, bold }) =>
    `<text x="${x.toFixed(1)}" y="${y}" font-family="${FONT}" ` +
    `${bold ? 'font-size="14" font-weight="bold"' : 'font-size="12"'} fill="${theme.ink}">` +
    `${escapeText(text)}</text>`));
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><title>${escapeText(head.title || head.file)}</title>` +
    `<rect ${size} fill="${theme.halo}"/>${parts.join("")}</svg>`;
}

/** @param {{ width: number, height: number }} size */
function sizeAttributes({ width, height }) {
  return `width="${width}" height="${height}"`;
}

/**
 * Return one path per category; the path of faint points is below all others.
 * @param {Panel} panel
 * @param {Pick<PointMaps, "head" | "highlighted">} maps
 */
function drawCategories({ data, radius, size, view }, { head, highlighted }) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  for (let i = 0; i < data.n; i++) {
    const image = data.image[i], [x, y] = view.toScreen(data.xy[2 * i], data.xy[2 * i + 1]);
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue;
    const category = highlighted && !highlighted[image] ? FAINT : head.category[image];
    const symbol = category === FAINT ? "circle" : head.palette[category].symbol;
    paths.set(category, (paths.get(category) ?? "") + symbolPath(symbol, x, y, radius));
  }
  return [...paths].sort(([a], [b]) => a - b).map(([category, d]) =>
    `<path fill="${category === FAINT ? "#888" : head.palette[category].color}" ` +
    `fill-opacity="${category === FAINT ? FAINT_OPACITY : 0.85}" d="${d}"/>`).join("");
}

/** @param {Panel} panel @param {Pick<PointMaps, "showsNames" | "theme">} maps */
function drawNames({ data, view }, { showsNames, theme }) {
  return (showsNames ? data.names : []).map(({ text, x, y }) => {
    const [u, v] = view.toScreen(x, y);
    return `<text x="${u.toFixed(1)}" y="${v.toFixed(1)}" text-anchor="middle" ` +
      `font-family="${FONT}" font-size="11" fill="${theme.ink}">${escapeText(text)}</text>`;
  }).join("");
}

/** @param {string} text */
function escapeText(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
