// @ts-check
// One or two linked maps of many points: hover, lasso, rectangle, pan, zoom, search, pictures.
//
// The server sends points as bytes. They are painted pixel by pixel in shuffled order, so that no
// category covers the other categories; 70,000 points take some milliseconds. The browser returns
// the outline of a selection, a clicked point and the view, but never a list of points.

import { getContext, paintPixels } from "../canvas.js";
import { createButton, createElement, downloadFile, findElement, setPressed } from "../dom.js";
import { Figure, mountFigure, onThemeChange } from "../figure.js";
import { formatCount } from "../numbers.js";
import { traceSymbol } from "../symbols.js";
import { isInside, joinBoxes, simplifyOutline } from "./geometry.js";
import { readTheme } from "./look.js";
import { Panel } from "./panel.js";
import { drawVectors, saveBitmap } from "./saving.js";
import { fitCamera } from "./view.js";
import { readMaps } from "./wire.js";

/** @import { Component } from "../figure.js" */
/** @import { Box } from "./geometry.js" */
/** @import { Theme } from "./look.js" */
/** @import { Camera, MapData, Point, Selection } from "./wire.js" */

/** @param {Component} component */
export default function (component) {
  return mountFigure(component, PointMaps, readMaps);
}

const MOST_CORNERS = 64; // maximum number of corners of a selection sent to the server
const SEND_DELAY = 700; // milliseconds after a change of the view until it is sent to the server
const TOOLS = { lasso: "Lasso", box: "Rectangle", pan: "Move" };

/** @param {number} value */
const fiveDigits = (value) => Number(value.toPrecision(5));

export class PointMaps extends Figure {
  /** data of the figure; `show` sets it before anything is drawn */
  head = /** @type {MapData} */ (/** @type {unknown} */ (null));
  theme = /** @type {Theme} */ (/** @type {unknown} */ (null));
  /** @type {Panel[]} */
  panels = [];
  /** @type {Box[]} */
  boxes = [];
  /** @type {Camera[]} views of the whole maps */
  home = [];
  /** @type {(Camera | null)[]} current view of each map; null for the whole map */
  cameras = [];
  showsNames = true;
  /** @type {number | null} number of an image, like `picked` */
  hovered = null;
  /** @type {number | null} */
  picked = null;
  /** @type {Selection | null} */
  selection = null;
  /** @type {number | null} category that is shown alone */
  isolated = null;
  /** @type {Uint8Array | null} 1 for each highlighted image; null for all images */
  highlighted = null;
  drawRequest = 0;
  sendTimer = 0;
  tool = "lasso";

  /** @param {ParentNode} parent */
  constructor(parent) {
    super(parent, ".maps");
    this.bar = findElement(parent, ".bar", HTMLElement);
    this.legend = findElement(parent, ".legend", HTMLElement);
    this.status = findElement(parent, ".status", HTMLElement);
    this.toolButtons = Object.entries(TOOLS).map(([tool, label]) =>
      createButton(`${label}: drag with the pointer`, () => this.selectTool(tool), label));
    this.nameButton = createButton("Class names", () => this.toggleNames(), "Names");
    this.clearButton = createButton("Escape", () => this.select(this.panels[0], null), "Clear");
    this.addButtons();
    this.selectTool("lasso");
    onThemeChange(this.root, () => this.applyTheme());
  }

  /** @override */
  close() {
    super.close();
    clearTimeout(this.sendTimer);
  }

  // --- The bar ----------------------------------------------------------------------------------

  /** Add all buttons, rarely used ones in a menu. */
  addButtons() {
    const showAll = () => this.panels.forEach((panel) => this.setCamera(panel, null));
    const [lasso, box, pan] = this.toolButtons;
    const menu = createElement("details", {}, createElement("summary", {}, "More"),
      createElement("div", { onclick: () => (menu.open = false) },
        box,
        createButton("Double-click or 0", showAll, "Whole map"),
        createButton("Save as a bitmap", () => saveBitmap(this), "PNG"),
        createButton("Save as a vector graphic", () => this.saveVectors(), "SVG"),
      ));
    menu.addEventListener("keydown", ({ key }) => key === "Escape" && (menu.open = false));
    this.bar.append(lasso, pan, this.nameButton, menu);
  }

  saveVectors() {
    downloadFile(new Blob([drawVectors(this)], { type: "image/svg+xml" }), `${this.head.file}.svg`);
  }

  /** @param {string} tool */
  selectTool(tool) {
    this.tool = tool;
    this.toolButtons.forEach((button, k) => setPressed(button, Object.keys(TOOLS)[k] === tool));
    this.root.dataset.tool = tool;
  }

  toggleNames() {
    this.showsNames = !this.showsNames;
    setPressed(this.nameButton, this.showsNames);
    this.drawMarks();
  }

  /** Show on the button how many names fit on the first map. @param {Panel} panel @param {number} n */
  showNameCount(panel, n) {
    const all = panel.data.names.length;
    if (panel === this.panels[0]) this.nameButton.title = `Class names; ${n} of ${all} fit`;
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {MapData} head */
  show(head) {
    const key = this.head?.key;
    this.head = head;
    while (this.panels.length > head.panels.length) this.panels.pop()?.root.remove();
    head.panels.forEach((data, i) => {
      this.panels[i] ??= new Panel(this, this.root, data);
      this.panels[i].setData(data);
    });
    this.boxes = this.panels.map((panel) => panel.box);
    if (head.link === "place") this.boxes.fill(joinBoxes(this.boxes));
    if (head.key !== key) this.resetState(head);
    this.cameras.length = this.panels.length;
    this.bar.hidden = !head.tools;
    this.nameButton.hidden = !head.panels.some((panel) => panel.names.length);
    setPressed(this.nameButton, this.showsNames);
    this.isolated = null;
    this.theme = readTheme(this.root, head.palette);
    this.drawLegend();
    this.updateHighlighted();
    this.resize();
  }

  applyTheme() {
    if (!this.head) return;
    this.theme = readTheme(this.root, this.head.palette);
    this.draw();
  }

  /** After a change of coordinates, take selection and views from the server. @param {MapData} head */
  resetState({ selection, picked, cameras }) {
    this.selection = selection;
    this.picked = picked;
    this.cameras = this.panels.map((_, i) => cameras && cameras[i]);
  }

  /** @override */
  resize() {
    if (!this.panels.length || !this.root.clientWidth) return;
    for (const panel of this.panels) panel.resize();
    this.home = this.panels.map((panel, i) => fitCamera(this.boxes[i], panel.size));
    this.draw();
  }

  /** Draw all maps in the next frame. @override */
  draw() {
    cancelAnimationFrame(this.drawRequest);
    this.drawRequest = requestAnimationFrame(() => this.panels.forEach((panel) => panel.draw()));
  }

  drawMarks() {
    this.panels.forEach((panel) => panel.drawMarks());
  }

  /** @param {Panel} panel */
  homeOf(panel) {
    return this.home[this.panels.indexOf(panel)];
  }

  /** @param {Panel} panel */
  cameraOf(panel) {
    return this.cameras[this.panels.indexOf(panel)] || this.homeOf(panel);
  }

  /**
   * Change the view; maps that share one plane move together.
   * @param {Panel} panel
   * @param {Camera | null} camera null for the whole map
   */
  setCamera(panel, camera) {
    this.panels.forEach((other, i) => {
      if (other === panel || this.head.link === "place") this.cameras[i] = camera;
    });
    this.draw();
    clearTimeout(this.sendTimer);
    this.sendTimer = window.setTimeout(() => {
      const cameras = this.cameras.map((moved) => moved && moved.map(fiveDigits));
      this.send("cameras", cameras.some(Boolean) ? cameras : null);
    }, SEND_DELAY);
  }

  // --- Highlighted images -----------------------------------------------------------------------

  /** Highlight selected and found images; if a category is isolated, only its images. */
  updateHighlighted() {
    const { head, isolated, selection } = this, matching = head.matching && new Set(head.matching);
    const selected = selection && this.imagesInside(selection);
    /** @type {((image: number) => unknown)[]} */
    const conditions = [];
    if (matching || selected)
      conditions.push((image) => matching?.has(head.class[image]) || selected?.[image]);
    if (isolated !== null) conditions.push((image) => head.category[image] === isolated);
    this.highlighted = conditions.length ? Uint8Array.from({ length: head.n }, (_, image) =>
      Number(conditions.every((matches) => matches(image)))) : null;
    const count = selected?.reduce((sum, isSelected) => sum + isSelected, 0) ?? 0;
    const words = `${formatCount(count)} of ${formatCount(head.n)} selected `;
    this.status.replaceChildren(...(selected ? [words, this.clearButton] : []));
  }

  /**
   * Return 1 for each image inside an outline: on all maps if they share one plane, else on its map.
   * @param {Selection} selection
   */
  imagesInside({ panel, polygon }) {
    const images = new Uint8Array(this.head.n);
    this.panels.forEach(({ data }, p) => {
      if (p !== panel && this.head.link !== "place") return;
      for (let i = 0; i < data.n; i++)
        if (isInside(polygon, data.xy[2 * i], data.xy[2 * i + 1])) images[data.image[i]] = 1;
    });
    return images;
  }

  /** @param {Panel} panel */
  outlineIn(panel) {
    if (!this.selection) return null;
    const isHere = this.panels.indexOf(panel) === this.selection.panel;
    return isHere || this.head.link === "place" ? this.selection.polygon : null;
  }

  /** @param {Panel} panel @param {Point[] | null} polygon */
  select(panel, polygon) {
    const outline = polygon && simplifyOutline(polygon, MOST_CORNERS).map(([x, y]) =>
      /** @type {Point} */ ([fiveDigits(x), fiveDigits(y)]));
    this.selection = outline && { panel: this.panels.indexOf(panel), polygon: outline };
    this.updateHighlighted();
    this.draw();
    this.send("selection", this.selection);
  }

  /** @param {number | null} image */
  pick(image) {
    this.picked = image;
    this.drawMarks();
    this.send("picked", this.picked);
  }

  // --- Tooltip ----------------------------------------------------------------------------------

  /** @param {Panel} panel @param {number | null} image @param {Point} place on the screen */
  hover(panel, image, [x, y]) {
    if (image !== this.hovered) {
      this.hovered = image;
      this.drawMarks();
    }
    if (image === null) return this.tooltip.hide();
    const lines = this.tooltipLines(image).map((line) => createElement("div", {}, line));
    this.tooltip.show(panel.stage, { x, y }, ...this.tooltipPicture(image), ...lines);
  }

  /** @param {number} image */
  tooltipLines(image) {
    const { head } = this, { label } = head.palette[head.category[image]];
    const name = head.classes[head.class[image]];
    const place = `${head.sets[head.part[image]]}, image ${head.row[image]}`;
    return label && label !== name ? [name, label, place] : [name, place];
  }

  /** Return a list with a canvas of the image; empty without pictures. @param {number} image */
  tooltipPicture(image) {
    const { picture, pixels } = this.head;
    if (!picture || !pixels) return [];
    const [height, width] = picture, canvas = createElement("canvas", { width, height });
    paintPixels(getContext(canvas), { width, height }, (k) => {
      const grey = 255 - pixels[image * width * height + k];
      return [grey, grey, grey, 255];
    });
    return [canvas];
  }

  // --- The legend -------------------------------------------------------------------------------

  drawLegend() {
    const { legend, palette, ends } = this.head;
    this.legend.replaceChildren();
    // A short legend is in the row of the tools.
    if (legend === "list" && palette.length < 4) this.bar.prepend(this.legend);
    else this.root.after(this.legend);
    if (legend === "scale") {
      const scale = createElement("span", { className: "scale" });
      scale.style.background = `linear-gradient(90deg, ${palette.map(({ color }) => color).join()})`;
      this.legend.append(ends[0], scale, ends[1]);
    }
    if (legend === "list") this.legend.append(...palette.map(({ label, color, symbol }, c) => {
      const toggle = () => this.isolateCategory(this.isolated === c ? null : c);
      const button = createButton("Show only these", toggle, createLegendSymbol(color, symbol), label);
      setPressed(button, false);
      return button;
    }));
  }

  /** Highlight one category, or all categories if null. @param {number | null} category */
  isolateCategory(category) {
    this.isolated = category;
    [...this.legend.children].forEach((button, c) => setPressed(button, c === category));
    this.updateHighlighted();
    this.draw();
  }
}

/** @param {string} color @param {string} symbol */
function createLegendSymbol(color, symbol) {
  const canvas = createElement("canvas", { width: 28, height: 28 }), ctx = getContext(canvas);
  traceSymbol(ctx, symbol, 14, 14, 9);
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}
