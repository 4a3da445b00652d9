// @ts-check
// One map: its canvases, drawing, pointer and keys.

import { getContext } from "../canvas.js";
import { createElement, pointerOn } from "../dom.js";
import { findBox, findNearest, shuffleNumbers } from "./geometry.js";
import { FAINT_OPACITY, createStencil, pointOpacity, pointRadius } from "./look.js";
import { Painting } from "./painting.js";
import { View, placeNames, zoomCamera } from "./view.js";

/** @import { Stencil } from "./look.js" */
/** @import { PointMaps } from "./point_map.js" */
/** @import { Camera, PanelData, Point } from "./wire.js" */

/**
 * @typedef {object} Drag drag in progress
 * @property {Point} from
 * @property {Camera} camera at the start
 * @property {number} distance largest distance in pixels from the start so far; an outline that ends at its start is no click
 * @property {string} tool
 * @property {Point[] | null} outline corners drawn so far
 */

/** @typedef {{ r: number, plain: Stencil, categories: Stencil[] }} Stencils at radius r */

const REACH = 10; // largest distance in pixels from the pointer to a hovered point
const CLICK = 4; // largest distance in pixels of a drag that counts as a click
const BEHIND_OPACITY = 0.22; // opacity of the points of another map

export class Panel {
  order = new Uint32Array(0);
  size = { width: 1, height: 1, ratio: 1 };
  /** @type {Map<number, number> | null} point of each image */
  pointOfImage = null;
  /** @type {Drag | null} */
  drag = null;
  /** @type {Stencils | null} */
  stencils = null;

  /**
   * @param {PointMaps} maps
   * @param {Element} root
   * @param {PanelData} data
   */
  constructor(maps, root, data) {
    this.maps = maps;
    this.data = data;
    this.caption = createElement("figcaption");
    this.points = createElement("canvas", { className: "points" });
    this.marks = createElement("canvas", { className: "marks", tabIndex: 0, role: "application" });
    this.stage = createElement("div", { className: "stage" }, this.points, this.marks);
    this.root = createElement("figure", {}, this.caption, this.stage);
    root.append(this.root);
    this.listen();
  }

  /** @param {PanelData} data */
  setData(data) {
    this.data = data;
    this.pointOfImage = this.stencils = null;
    if (this.order.length !== data.n) this.order = shuffleNumbers(data.n);
    this.caption.textContent = data.title;
    this.caption.hidden = !data.title;
    this.marks.setAttribute("aria-label", data.alt);
  }

  /** @param {number} ratio canvas pixels per CSS pixel */
  resize(ratio = window.devicePixelRatio || 1) {
    const { width, height } = this.stage.getBoundingClientRect();
    this.size = { width, height, ratio };
    for (const canvas of [this.points, this.marks]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
  }

  get camera() {
    return this.maps.cameraOf(this);
  }

  get view() {
    return new View(this.size, this.camera);
  }

  get box() {
    return findBox(this.data.xy);
  }

  get radius() {
    return pointRadius(this.data.n, this.maps.homeOf(this)[2] / this.camera[2]);
  }

  // --- Drawing ----------------------------------------------------------------------------------

  draw() {
    const { width, height } = this.points;
    const painting = new Painting(width, height, this.maps.theme.paper);
    this.drawPoints(painting);
    getContext(this.points).putImageData(new ImageData(painting.pixels, width, height), 0, 0);
    this.drawMarks();
  }

  /** Paint points of the other map, then faint points, then the rest. @param {Painting} painting */
  drawPoints(painting) {
    const { head, highlighted, theme } = this.maps, { ratio } = this.size, { view, order } = this;
    const { n, image, xy, behind } = this.data, other = head.panels[behind];
    const { plain, categories } = this.stencilsAt(this.radius * ratio);
    /**
     * @param {Float32Array} places @param {number} i
     * @param {Stencil} stencil @param {ArrayLike<number>} color @param {number} opacity
     */
    const paint = (places, i, stencil, color, opacity) => {
      const [x, y] = view.toScreen(places[2 * i], places[2 * i + 1]);
      painting.paintPoint(Math.round(x * ratio), Math.round(y * ratio), stencil, color, opacity);
    };
    if (other) for (let i = 0; i < other.n; i++) paint(other.xy, i, plain, theme.grey, BEHIND_OPACITY);
    if (highlighted)
      for (const i of order)
        if (!highlighted[image[i]]) paint(xy, i, plain, theme.grey, FAINT_OPACITY);
    const opacity = pointOpacity(n);
    for (const i of order) {
      if (highlighted && !highlighted[image[i]]) continue;
      const c = head.category[image[i]];
      paint(xy, i, categories[c], theme.colors[c], opacity);
    }
  }

  /** Return stencils of radius `r`, cached for the next frames of a move. @param {number} r */
  stencilsAt(r) {
    if (this.stencils?.r !== r) {
      const categories = this.maps.head.palette.map(({ symbol }) => createStencil(symbol, r));
      this.stencils = { r, plain: createStencil("circle", 0.7 * r), categories };
    }
    return this.stencils;
  }

  drawMarks() {
    const { ratio, width, height } = this.size, ctx = getContext(this.marks);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.lineJoin = "round";
    if (this.maps.showsNames) this.drawNames(ctx);
    this.drawOutline(ctx);
    this.drawRing(ctx, this.maps.picked, 2.5);
    this.drawRing(ctx, this.maps.hovered, 1.5);
  }

  /** @param {CanvasRenderingContext2D} ctx */
  drawNames(ctx) {
    const { theme } = this.maps;
    ctx.font = `600 12px ${theme.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 3;
    ctx.strokeStyle = theme.halo;
    ctx.fillStyle = theme.ink;
    const placed = placeNames(this.data.names, this.view, (text) => ctx.measureText(text).width);
    this.maps.showNameCount(this, placed.length);
    for (const { text, u, v } of placed) {
      ctx.strokeText(text, u, v);
      ctx.fillText(text, u, v);
    }
  }

  /** Draw the outline in progress, else the selection. @param {CanvasRenderingContext2D} ctx */
  drawOutline(ctx) {
    const unfinished = this.drag?.outline, { view } = this;
    const outline = unfinished || this.maps.outlineIn(this);
    if (!outline || outline.length < 2) return;
    ctx.beginPath();
    for (const [x, y] of outline) ctx.lineTo(...view.toScreen(x, y));
    if (!unfinished) ctx.closePath();
    ctx.strokeStyle = this.maps.theme.ink;
    ctx.lineWidth = 1.5;
    ctx.setLineDash([5, 3]);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  /**
   * Draw a ring around an image, if it is on this map.
   * @param {CanvasRenderingContext2D} ctx
   * @param {number | null} image
   * @param {number} lineWidth
   */
  drawRing(ctx, image, lineWidth) {
    const place = this.placeOf(image);
    if (!place) return;
    ctx.beginPath();
    ctx.arc(...this.view.toScreen(...place), this.radius + 4, 0, 2 * Math.PI);
    ctx.strokeStyle = this.maps.theme.ink;
    ctx.lineWidth = lineWidth;
    ctx.stroke();
  }

  // --- Positions --------------------------------------------------------------------------------

  /** @param {number | null} image @returns {Point | null} */
  placeOf(image) {
    if (image === null) return null;
    this.pointOfImage ??= new Map(Array.from(this.data.image, (number, i) => [number, i]));
    const i = this.pointOfImage.get(image);
    return i === undefined ? null : [this.data.xy[2 * i], this.data.xy[2 * i + 1]];
  }

  /**
   * Return the image nearest to a place; null if no image is near.
   * @param {Point} place on the screen
   * @returns {number | null}
   */
  imageAt(place) {
    const { view } = this, { xy, image } = this.data, { highlighted } = this.maps;
    const isCandidate = (/** @type {number} */ i) => !highlighted || highlighted[image[i]];
    const i = findNearest(xy, view.toData(...place), REACH / view.scale, isCandidate);
    return i < 0 ? null : image[i];
  }

  // --- Pointer and keys -------------------------------------------------------------------------

  listen() {
    const { marks } = this;
    marks.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    marks.addEventListener("pointermove", (event) => this.onPointerMove(pointerOn(event, marks)));
    marks.addEventListener("pointerup", (event) => this.onPointerUp(pointerOn(event, marks)));
    marks.addEventListener("pointercancel", () => (this.drag = null));
    marks.addEventListener("pointerleave", () => this.maps.hover(this, null, [0, 0]));
    marks.addEventListener("dblclick", () => this.maps.setCamera(this, null));
    marks.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), pointerOn(event, marks));
    }, { passive: false });
    marks.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {PointerEvent} event */
  onPointerDown(event) {
    if (event.button) return;
    this.marks.setPointerCapture(event.pointerId);
    const from = pointerOn(event, this.marks), tool = event.shiftKey ? "pan" : this.maps.tool;
    const outline = tool === "pan" ? null : [this.view.toData(...from)];
    this.drag = { from, camera: this.camera, distance: 0, tool, outline };
  }

  /** @param {Point} place */
  onPointerMove(place) {
    const { drag, view } = this;
    if (!drag) return this.maps.hover(this, this.imageAt(place), place);
    const across = place[0] - drag.from[0], down = place[1] - drag.from[1];
    drag.distance = Math.max(drag.distance, Math.hypot(across, down));
    if (!drag.outline) {
      const [x, y, extent] = drag.camera;
      return this.maps.setCamera(this, [x - across / view.scale, y + down / view.scale, extent]);
    }
    if (drag.tool === "box") {
      const [a, b] = drag.outline[0], [c, d] = view.toData(...place);
      drag.outline = [[a, b], [c, b], [c, d], [a, d], [a, b]];
    } else drag.outline.push(view.toData(...place));
    return this.drawMarks();
  }

  /** @param {Point} place */
  onPointerUp(place) {
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    if (drag.distance < CLICK) this.maps.pick(this.imageAt(place));
    else if (drag.outline) this.maps.select(this, drag.outline);
    this.drawMarks();
  }

  /** @param {number} factor @param {Point} place */
  zoom(factor, place = [this.size.width / 2, this.size.height / 2]) {
    const fixed = this.view.toData(...place), [, , whole] = this.maps.homeOf(this);
    this.maps.setCamera(this, zoomCamera(this.camera, factor, fixed, whole));
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { maps } = this, [x, y, extent] = this.camera, step = extent / 10;
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => maps.setCamera(this, [x - step, y, extent]),
      ArrowRight: () => maps.setCamera(this, [x + step, y, extent]),
      ArrowUp: () => maps.setCamera(this, [x, y + step, extent]),
      ArrowDown: () => maps.setCamera(this, [x, y - step, extent]),
      "+": () => this.zoom(0.8),
      "-": () => this.zoom(1.25),
      0: () => maps.setCamera(this, null),
      Escape: () => maps.select(this, null),
      Enter: () => maps.select(this, this.visibleOutline),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Outline of the visible part of the plane. */
  get visibleOutline() {
    const { view } = this, { width, height } = this.size;
    return [view.toData(0, 0), view.toData(width, 0), view.toData(width, height),
      view.toData(0, height)];
  }
}
