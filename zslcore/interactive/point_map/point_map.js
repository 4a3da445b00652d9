// @ts-check
// One or two linked maps of many points: hover, lasso, rectangle, pan, zoom, search, pictures.
//
// The server sends points as bytes. They are painted pixel by pixel in shuffled order, so that no
// category covers the other categories; 70,000 points take some milliseconds. The browser returns
// the outline of a selection, a clicked point and the view, but never a list of points.

import { button, contextOf, create, mounted, onNewPaper, partOf, press, save } from "../dom.js";
import { counted } from "../numbers.js";
import { trace } from "../symbols.js";
import { around, inside, simplified } from "./geometry.js";
import { themeOf } from "./look.js";
import { Panel } from "./panel.js";
import { savePixels, shapesOf } from "./saving.js";
import { showing } from "./view.js";
import { unpack } from "./wire.js";

/** @import { Box } from "./geometry.js" */
/** @import { Camera, Head, Point, Selection } from "./wire.js" */

/** @typedef {(name: string, value: unknown) => void} Say sends a value to the server */

/** @param {{ data: Uint8Array, parentElement: ParentNode, setStateValue: Say }} component */
export default function ({ data, parentElement, setStateValue }) {
  const head = unpack(data);
  return mounted(parentElement, () => new PointMaps(parentElement, head), (maps) => {
    maps.say = setStateValue;
    maps.show(head);
  });
}

const OUTLINE = 64; // most corners of a selection sent to the server
const TOOLS = { lasso: "Lasso", box: "Rectangle", pan: "Move" };

/** @param {number} value */
const short = (value) => Number(value.toPrecision(5));

export class PointMaps {
  /** @param {ParentNode} parent @param {Head} head */
  constructor(parent, head) {
    this.root = partOf(parent, ".maps", HTMLElement);
    this.bar = partOf(parent, ".bar", HTMLElement);
    this.legend = partOf(parent, ".legend", HTMLElement);
    this.status = partOf(parent, ".status", HTMLElement);
    this.head = head;
    this.theme = themeOf(this.root, head.palette);
    /** @type {string | null} */
    this.key = null;
    /** @type {Say} */
    this.say = () => {};
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {Box[]} */
    this.boxes = [];
    /** @type {Camera[]} views of the whole maps */
    this.home = [];
    /** @type {(Camera | null)[]} current view of each map; null for the whole map */
    this.cameras = [];
    this.names = true;
    /** @type {number | null} number of an image, like `picked` */
    this.hovered = null;
    /** @type {number | null} */
    this.picked = null;
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {number | null} a category */
    this.isolated = null;
    /** @type {Uint8Array | null} 1 for each highlighted image; null for all images */
    this.meant = null;
    this.frame = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    this.tool = "lasso";
    this.tools = Object.entries(TOOLS).map(([tool, label]) =>
      ({ tool, made: button(`${label}: drag with the pointer`, () => this.use(tool), label) }));
    this.naming = button("Class names", () => {
      this.names = !this.names;
      press(this.naming, this.names);
      this.mark();
    }, "Names");
    this.clear = button("Escape", () => this.select(this.panels[0], null), "Clear");
    this.addButtons();
    this.use("lasso");
    onNewPaper(this.root, () => this.recolor());
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    clearTimeout(this.later);
  }

  // --- The bar ----------------------------------------------------------------------------------

  /** Add all buttons, rarely used ones in a menu. */
  addButtons() {
    const whole = () => this.panels.forEach((panel) => this.look(panel, null));
    const [lasso, box, pan] = this.tools.map(({ made }) => made);
    const rarely = create("div", { onclick: () => (menu.open = false) },
      box,
      button("Double-click or 0", whole, "Whole map"),
      button("Save as a bitmap", () => savePixels(this), "PNG"),
      button("Save as a vector graphic", () => this.saveSVG(), "SVG"),
    );
    const menu = create("details", {}, create("summary", {}, "More"), rarely);
    menu.addEventListener("keydown", ({ key }) => key === "Escape" && (menu.open = false));
    this.bar.append(lasso, pan, this.clear, this.naming, menu);
  }

  /** @param {string} tool */
  use(tool) {
    this.tool = tool;
    for (const each of this.tools) press(each.made, each.tool === tool);
    this.root.dataset.tool = tool;
  }

  /** Say on the button how many names have room on the first map. @param {Panel} panel @param {number} n */
  countNames(panel, n) {
    const all = panel.data.names.length;
    if (panel === this.panels[0]) this.naming.textContent = n < all ? `${n}/${all} names` : "Names";
  }

  // --- Data and layout --------------------------------------------------------------------------

  /** @param {Head} head */
  show(head) {
    this.head = head;
    while (this.panels.length > head.panels.length) this.panels.pop()?.root.remove();
    head.panels.forEach((data, i) => {
      this.panels[i] ??= new Panel(this, this.root, data);
      this.panels[i].hold(data);
    });
    this.boxes = this.panels.map((panel) => panel.box);
    if (head.link === "place") this.boxes = this.boxes.map(() => around(this.boxes));
    if (head.key !== this.key) this.begin(head);
    this.cameras.length = this.panels.length;
    this.bar.hidden = !head.tools;
    this.naming.hidden = !head.panels.some((panel) => panel.names.length);
    press(this.naming, this.names);
    this.isolated = null;
    this.theme = themeOf(this.root, head.palette);
    this.drawLegend();
    this.remember();
    this.fit();
  }

  recolor() {
    this.theme = themeOf(this.root, this.head.palette);
    this.paint();
  }

  /** Restore the state of a link, after a change of coordinates. @param {Head} head */
  begin({ key, selection, picked, cameras }) {
    this.key = key;
    this.selection = selection;
    this.picked = picked;
    this.cameras = this.panels.map((_, i) => cameras && cameras[i]);
  }

  fit() {
    if (!this.panels.length || !this.root.clientWidth) return;
    for (const panel of this.panels) panel.fit();
    this.home = this.panels.map((panel, i) => showing(this.boxes[i], panel.size));
    this.paint();
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.panels.forEach((panel) => panel.paint()));
  }

  mark() {
    this.panels.forEach((panel) => panel.mark());
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
  look(panel, camera) {
    this.panels.forEach((each, i) => {
      if (each === panel || this.head.link === "place") this.cameras[i] = camera;
    });
    this.paint();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      const at = this.cameras.map((own) => (own ? own.map(short) : null));
      this.say("cameras", at.some(Boolean) ? at : null);
    }, 700);
  }

  // --- Highlighted images -----------------------------------------------------------------------

  /** Highlight images that match the search, the isolated category, and the selection. */
  remember() {
    const { head, isolated, selection } = this, sought = head.sought && new Set(head.sought);
    const drawn = selection && this.chosen(selection);
    /** @type {((image: number) => unknown)[]} */
    const wishes = [];
    if (sought) wishes.push((image) => sought.has(head.class[image]));
    if (isolated !== null) wishes.push((image) => head.category[image] === isolated);
    if (drawn) wishes.push((image) => drawn[image]);
    this.meant = wishes.length ? Uint8Array.from({ length: head.n }, (_, image) =>
      Number(wishes.every((wish) => wish(image)))) : null;
    this.tell(drawn);
  }

  /**
   * Return the images inside an outline: on all maps if they share one plane, else on its map.
   * @param {Selection} selection
   */
  chosen({ panel, polygon }) {
    const out = new Uint8Array(this.head.n);
    this.panels.forEach(({ data }, p) => {
      if (p !== panel && this.head.link !== "place") return;
      for (let i = 0; i < data.n; i++)
        if (inside(polygon, data.xy[2 * i], data.xy[2 * i + 1])) out[data.image[i]] = 1;
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
  tell(drawn) {
    this.clear.hidden = !drawn;
    const count = drawn ? drawn.reduce((sum, one) => sum + one, 0) : 0;
    this.status.textContent = drawn ? `${counted(count)} of ${counted(this.head.n)} selected` : "";
  }

  /** @param {Panel} panel @param {Point[] | null} polygon */
  select(panel, polygon) {
    const outline = polygon && simplified(polygon, OUTLINE).map(([x, y]) =>
      /** @type {Point} */ ([short(x), short(y)]));
    this.selection = outline && { panel: this.panels.indexOf(panel), polygon: outline };
    this.remember();
    this.paint();
    this.say("selection", this.selection);
  }

  /** @param {number | null} image */
  pick(image) {
    this.picked = image;
    this.mark();
    this.say("picked", this.picked);
  }

  // --- Tooltip ----------------------------------------------------------------------------------

  /** @param {Panel} panel @param {number | null} image @param {Point} at */
  hover(panel, image, at) {
    if (image !== this.hovered) {
      this.hovered = image;
      this.mark();
    }
    for (const each of this.panels) each.tip.hidden = each !== panel || image === null;
    if (image === null) return;
    const lines = this.wordsOf(image).map((words) => create("div", {}, words));
    panel.showTip([...this.pictureOf(image), ...lines], at);
  }

  /** @param {number} image */
  wordsOf(image) {
    const { head } = this, { label } = head.palette[head.category[image]];
    const name = head.classes[head.class[image]];
    const where = `${head.sets[head.part[image]]}, image ${head.row[image]}`;
    return label && label !== name ? [name, label, where] : [name, where];
  }

  /** Return a list with a canvas of the image; empty without pictures. @param {number} image */
  pictureOf(image) {
    const { picture, pixels } = this.head;
    if (!picture || !pixels) return [];
    const [height, width] = picture, canvas = create("canvas", { width, height });
    const ctx = contextOf(canvas), out = ctx.createImageData(width, height);
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
      const act = () => this.isolate(this.isolated === c ? null : c);
      const made = button("Show only these", act, sample(color, symbol), label);
      press(made, false);
      this.legend.append(made);
    });
  }

  drawScale() {
    const { palette, ends } = this.head, bar = create("span", { className: "scale" });
    bar.style.background = `linear-gradient(90deg, ${palette.map(({ color }) => color).join()})`;
    this.legend.append(ends[0], bar, ends[1]);
  }

  /** Highlight one category, or all categories if null. @param {number | null} category */
  isolate(category) {
    this.isolated = category;
    [...this.legend.children].forEach((each, c) => press(each, c === category));
    this.remember();
    this.paint();
  }

  // --- Saved pictures ---------------------------------------------------------------------------

  saveSVG() {
    save(new Blob([shapesOf(this)], { type: "image/svg+xml" }), `${this.head.file}.svg`);
  }
}

/** @param {string} color @param {string} symbol */
function sample(color, symbol) {
  const canvas = create("canvas", { width: 28, height: 28 }), ctx = contextOf(canvas);
  trace(ctx, symbol, 14, 14, 9);
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}
