// @ts-check
// One or two linked maps of many points: hover, lasso, rectangle, pan, zoom, search, pictures.
//
// The server sends points as bytes. They are painted pixel by pixel in shuffled order, so that no
// category covers the other categories; 70,000 points take some milliseconds. The browser returns
// the outline of a selection, a clicked point and the view, but never a list of points.

import { createButton, getContext, createElement, mountFigure, onThemeChange, findElement, setPressed, downloadFile } from "../dom.js";
import { formatCount } from "../numbers.js";
import { traceSymbol } from "../symbols.js";
import { joinBoxes, isInside, simplifyOutline } from "./geometry.js";
import { readTheme } from "./look.js";
import { Panel } from "./panel.js";
import { saveBitmap, drawVectors } from "./saving.js";
import { fitCamera } from "./view.js";
import { readMaps } from "./wire.js";

/** @import { Box } from "./geometry.js" */
/** @import { Camera, MapData, Point, Selection } from "./wire.js" */

/** @typedef {(name: string, value: unknown) => void} Send sends a value to the server */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  const head = readMaps(data);
  return mountFigure(parentElement, () => new PointMaps(parentElement, head), (maps) => {
    maps.send = setStateValue;
    maps.show(head);
  });
}

const MOST_CORNERS = 64; // most corners of a selection sent to the server
const TOOLS = { lasso: "Lasso", box: "Rectangle", pan: "Move" };

/** @param {number} value */
const fiveDigits = (value) => Number(value.toPrecision(5));

export class PointMaps {
  /** @param {ParentNode} parent @param {MapData} head */
  constructor(parent, head) {
    this.root = findElement(parent, ".maps", HTMLElement);
    this.bar = findElement(parent, ".bar", HTMLElement);
    this.legend = findElement(parent, ".legend", HTMLElement);
    this.status = findElement(parent, ".status", HTMLElement);
    this.head = head;
    this.theme = readTheme(this.root, head.palette);
    /** @type {string | null} */
    this.key = null;
    /** @type {Send} */
    this.send = () => {};
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {Box[]} */
    this.boxes = [];
    /** @type {Camera[]} views of the whole maps */
    this.home = [];
    /** @type {(Camera | null)[]} current view of each map; null for the whole map */
    this.cameras = [];
    this.showsNames = true;
    /** @type {number | null} number of an image, like `picked` */
    this.hovered = null;
    /** @type {number | null} */
    this.picked = null;
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {number | null} a category */
    this.isolated = null;
    /** @type {Uint8Array | null} 1 for each highlighted image; null for all images */
    this.highlighted = null;
    this.drawRequest = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sendTimer = undefined;
    this.tool = "lasso";
    this.tools = Object.entries(TOOLS).map(([tool, label]) =>
      ({ tool, made: createButton(`${label}: drag with the pointer`, () => this.selectTool(tool), label) }));
    this.nameButton = createButton("Class names", () => {
      this.showsNames = !this.showsNames;
      setPressed(this.nameButton, this.showsNames);
      this.drawMarks();
    }, "Names");
    this.clearButton = createButton("Escape", () => this.select(this.panels[0], null), "Clear");
    this.addButtons();
    this.selectTool("lasso");
    onThemeChange(this.root, () => this.applyTheme());
    this.observer = new ResizeObserver(() => this.onResize());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    clearTimeout(this.sendTimer);
  }

  // --- The bar ----------------------------------------------------------------------------------

  /** Add all buttons, rarely used ones in a menu. */
  addButtons() {
    const whole = () => this.panels.forEach((panel) => this.setCamera(panel, null));
    const [lasso, box, pan] = this.tools.map(({ made }) => made);
    const rarely = createElement("div", { onclick: () => (menu.open = false) },
      box,
      createButton("Double-click or 0", whole, "Whole map"),
      createButton("Save as a bitmap", () => saveBitmap(this), "PNG"),
      createButton("Save as a vector graphic", () => this.saveSVG(), "SVG"),
    );
    const menu = createElement("details", {}, createElement("summary", {}, "More"), rarely);
    menu.addEventListener("keydown", ({ key }) => key === "Escape" && (menu.open = false));
    this.bar.append(lasso, pan, this.clearButton, this.nameButton, menu);
  }

  /** @param {string} tool */
  selectTool(tool) {
    this.tool = tool;
    for (const each of this.tools) setPressed(each.made, each.tool === tool);
    this.root.dataset.tool = tool;
  }

  /** Say on the button how many names have room on the first map. @param {Panel} panel @param {number} n */
  showNameCount(panel, n) {
    const all = panel.data.names.length;
    if (panel === this.panels[0]) this.nameButton.textContent = n < all ? `${n}/${all} names` : "Names";
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {MapData} head */
  show(head) {
    this.head = head;
    while (this.panels.length > head.panels.length) this.panels.pop()?.root.remove();
    head.panels.forEach((data, i) => {
      this.panels[i] ??= new Panel(this, this.root, data);
      this.panels[i].setData(data);
    });
    this.boxes = this.panels.map((panel) => panel.box);
    if (head.link === "place") this.boxes = this.boxes.map(() => joinBoxes(this.boxes));
    if (head.key !== this.key) this.resetState(head);
    this.cameras.length = this.panels.length;
    this.bar.hidden = !head.tools;
    this.nameButton.hidden = !head.panels.some((panel) => panel.names.length);
    setPressed(this.nameButton, this.showsNames);
    this.isolated = null;
    this.theme = readTheme(this.root, head.palette);
    this.drawLegend();
    this.updateHighlighted();
    this.onResize();
  }

  applyTheme() {
    this.theme = readTheme(this.root, this.head.palette);
    this.requestDraw();
  }

  /** Restore the state of a link, after a change of coordinates. @param {MapData} head */
  resetState({ key, selection, picked, cameras }) {
    this.key = key;
    this.selection = selection;
    this.picked = picked;
    this.cameras = this.panels.map((_, i) => cameras && cameras[i]);
  }

  onResize() {
    if (!this.panels.length || !this.root.clientWidth) return;
    for (const panel of this.panels) panel.resize();
    this.home = this.panels.map((panel, i) => fitCamera(this.boxes[i], panel.size));
    this.requestDraw();
  }

  requestDraw() {
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
    this.panels.forEach((each, i) => {
      if (each === panel || this.head.link === "place") this.cameras[i] = camera;
    });
    this.requestDraw();
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => {
      const at = this.cameras.map((own) => (own ? own.map(fiveDigits) : null));
      this.send("cameras", at.some(Boolean) ? at : null);
    }, 700);
  }

  // --- Highlighted images -----------------------------------------------------------------------

  /** Highlight images that match the search, the isolated category, and the selection. */
  updateHighlighted() {
    const { head, isolated, selection } = this, sought = head.sought && new Set(head.sought);
    const drawn = selection && this.imagesInside(selection);
    /** @type {((image: number) => unknown)[]} */
    const wishes = [];
    if (sought) wishes.push((image) => sought.has(head.class[image]));
    if (isolated !== null) wishes.push((image) => head.category[image] === isolated);
    if (drawn) wishes.push((image) => drawn[image]);
    this.highlighted = wishes.length ? Uint8Array.from({ length: head.n }, (_, image) =>
      Number(wishes.every((wish) => wish(image)))) : null;
    this.showSelectionSize(drawn);
  }

  /**
   * Return the images inside an outline: on all maps if they share one plane, else on its map.
   * @param {Selection} selection
   */
  imagesInside({ panel, polygon }) {
    const out = new Uint8Array(this.head.n);
    this.panels.forEach(({ data }, p) => {
      if (p !== panel && this.head.link !== "place") return;
      for (let i = 0; i < data.n; i++)
        if (isInside(polygon, data.xy[2 * i], data.xy[2 * i + 1])) out[data.image[i]] = 1;
    });
    return out;
  }

  /** @param {Panel} panel */
  outlineIn(panel) {
    if (!this.selection) return null;
    const here = this.panels.indexOf(panel) === this.selection.panel;
    return here || this.head.link === "place" ? this.selection.polygon : null;
  }

  /** @param {Uint8Array | null} drawn */
  showSelectionSize(drawn) {
    this.clearButton.hidden = !drawn;
    const count = drawn ? drawn.reduce((sum, one) => sum + one, 0) : 0;
    this.status.textContent = drawn ? `${formatCount(count)} of ${formatCount(this.head.n)} selected` : "";
  }

  /** @param {Panel} panel @param {Point[] | null} polygon */
  select(panel, polygon) {
    const outline = polygon && simplifyOutline(polygon, MOST_CORNERS).map(([x, y]) =>
      /** @type {Point} */ ([fiveDigits(x), fiveDigits(y)]));
    this.selection = outline && { panel: this.panels.indexOf(panel), polygon: outline };
    this.updateHighlighted();
    this.requestDraw();
    this.send("selection", this.selection);
  }

  /** @param {number | null} image */
  pick(image) {
    this.picked = image;
    this.drawMarks();
    this.send("picked", this.picked);
  }

  // --- Tooltip ----------------------------------------------------------------------------------

  /** @param {Panel} panel @param {number | null} image @param {Point} at */
  hover(panel, image, at) {
    if (image !== this.hovered) {
      this.hovered = image;
      this.drawMarks();
    }
    for (const each of this.panels) each.tip.hidden = each !== panel || image === null;
    if (image === null) return;
    const lines = this.tooltipLines(image).map((words) => createElement("div", {}, words));
    panel.showTooltip([...this.tooltipPicture(image), ...lines], at);
  }

  /** @param {number} image */
  tooltipLines(image) {
    const { head } = this, { label } = head.palette[head.category[image]];
    const name = head.classes[head.class[image]];
    const where = `${head.sets[head.part[image]]}, image ${head.row[image]}`;
    return label && label !== name ? [name, label, where] : [name, where];
  }

  /** Return a list with a canvas of the image; empty without pictures. @param {number} image */
  tooltipPicture(image) {
    const { picture, pixels } = this.head;
    if (!picture || !pixels) return [];
    const [height, width] = picture, canvas = createElement("canvas", { width, height });
    const ctx = getContext(canvas), out = ctx.createImageData(width, height);
    for (let k = 0; k < width * height; k++) {
      const dark = 255 - pixels[image * width * height + k];
      out.data.set([dark, dark, dark, 255], 4 * k);
    }
    ctx.putImageData(out, 0, 0);
    return [canvas];
  }

  // --- The legend -------------------------------------------------------------------------------

  drawLegend() {
    const { legend, palette } = this.head;
    this.legend.replaceChildren();
    // A short legend is in the row of the tools.
    if (legend === "list" && palette.length < 4) this.bar.prepend(this.legend);
    else this.root.after(this.legend);
    if (legend === "scale") this.drawScale();
    if (legend === "list") this.drawList();
  }

  drawList() {
    this.head.palette.forEach(({ label, color, symbol }, c) => {
      const act = () => this.isolateCategory(this.isolated === c ? null : c);
      const made = createButton("Show only these", act, legendSymbol(color, symbol), label);
      setPressed(made, false);
      this.legend.append(made);
    });
  }

  drawScale() {
    const { palette, ends } = this.head, bar = createElement("span", { className: "scale" });
    bar.style.background = `linear-gradient(90deg, ${palette.map(({ color }) => color).join()})`;
    this.legend.append(ends[0], bar, ends[1]);
  }

  /** Highlight one category, or all categories if null. @param {number | null} category */
  isolateCategory(category) {
    this.isolated = category;
    [...this.legend.children].forEach((each, c) => setPressed(each, c === category));
    this.updateHighlighted();
    this.requestDraw();
  }

  // --- Saved pictures ---------------------------------------------------------------------------

  saveSVG() {
    downloadFile(new Blob([drawVectors(this)], { type: "image/svg+xml" }), `${this.head.file}.svg`);
  }
}

/** @param {string} color @param {string} symbol */
function legendSymbol(color, symbol) {
  const canvas = createElement("canvas", { width: 28, height: 28 }), ctx = getContext(canvas);
  traceSymbol(ctx, symbol, 14, 14, 9);
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}
