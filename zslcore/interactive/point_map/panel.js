// @ts-check
// One map: its canvases, drawing, pointer and keys.

import { getContext, createElement } from "../dom.js";
import { findBox, findNearest, shuffleNumbers } from "./geometry.js";
import { FAINT_OPACITY, pointRadius, createStencil, pointOpacity } from "./look.js";
import { Painting } from "./painting.js";
import { View, placeNames, zoomCamera } from "./view.js";

/** @import { Stencil } from "./look.js" */
/** @import { PointMaps } from "./point_map.js" */
/** @import { Camera, PanelData, Point } from "./wire.js" */

/**
 * @typedef {object} Drag drag in progress
 * @property {Point} from
 * @property {Camera} before
 * @property {number} distance largest distance in pixels from the start: a closed outline is no click
 * @property {string} tool
 * @property {Point[] | null} outline corners drawn so far
 */

/** @typedef {{ r: number, plain: Stencil, looks: Stencil[] }} Stencils at radius r */

const HOVER_REACH = 10; // largest distance in pixels from the pointer to a hovered point
const BEHIND_OPACITY = 0.22; // opacity of the points of another map

export class Panel {
  /**
   * @param {PointMaps} maps
   * @param {Element} root
   * @param {PanelData} data
   */
  constructor(maps, root, data) {
    this.maps = maps;
    this.data = data;
    this.order = new Uint32Array(0);
    this.size = { width: 1, height: 1, ratio: 1 };
    /** @type {Map<number, number> | null} */
    this.pointOfImage = null;
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {Stencils | null} */
    this.stencils = null;
    this.caption = createElement("figcaption");
    this.points = createElement("canvas", { className: "points" });
    this.marks = createElement("canvas", { className: "marks", tabIndex: 0, role: "application" });
    this.tip = createElement("div", { className: "tip", role: "status", hidden: true });
    this.stage = createElement("div", { className: "stage" }, this.points, this.marks, this.tip);
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
    const box = this.stage.getBoundingClientRect();
    this.size = { width: box.width, height: box.height, ratio };
    for (const canvas of [this.points, this.marks]) {
      canvas.width = Math.max(1, Math.round(box.width * ratio));
      canvas.height = Math.max(1, Math.round(box.height * ratio));
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
    const picture = new ImageData(painting.pixels, width, height);
    getContext(this.points).putImageData(picture, 0, 0);
    this.drawMarks();
  }

  /** Paint points of the other map, then faint points, then the rest. @param {Painting} painting */
  drawPoints(painting) {
    const { head, highlighted: meant, theme } = this.maps, { ratio } = this.size, { view, order } = this;
    const { n, image, xy, behind } = this.data, other = head.panels[behind];
    const { plain, looks } = this.stencilsAt(this.radius * ratio);
    /**
     * @param {Float32Array} from @param {number} i
     * @param {Stencil} look @param {ArrayLike<number>} color @param {number} strength
     */
    const put = (from, i, look, color, strength) => {
      const [u, v] = view.toScreen(from[2 * i], from[2 * i + 1]);
      painting.paintPoint(Math.round(u * ratio), Math.round(v * ratio), look, color, strength);
    };
    if (other) for (let i = 0; i < other.n; i++) put(other.xy, i, plain, theme.grey, BEHIND_OPACITY);
    if (meant) for (const i of order) if (!meant[image[i]]) put(xy, i, plain, theme.grey, FAINT_OPACITY);
    const strength = pointOpacity(n);
    for (const i of order) {
      if (meant && !meant[image[i]]) continue;
      const c = head.category[image[i]];
      put(xy, i, looks[c], theme.colors[c], strength);
    }
  }

  /** Return stencils of radius `r`, cached for the next frames of a move. @param {number} r */
  stencilsAt(r) {
    if (this.stencils && this.stencils.r === r) return this.stencils;
    const looks = this.maps.head.palette.map(({ symbol }) => createStencil(symbol, r));
    this.stencils = { r, plain: createStencil("circle", 0.7 * r), looks };
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
    /** @param {string} text */
    const widthOf = (text) => ctx.measureText(text).width;
    const shown = placeNames(this.data.names, this.view, widthOf);
    this.maps.showNameCount(this, shown.length);
    for (const { text, u, v } of shown) {
      ctx.lineWidth = 3;
      ctx.strokeStyle = theme.halo;
      ctx.strokeText(text, u, v);
      ctx.fillStyle = theme.ink;
      ctx.fillText(text, u, v);
    }
  }

  /** Draw the outline in progress, else the selection. @param {CanvasRenderingContext2D} ctx */
  drawOutline(ctx) {
    const drawn = this.drag && this.drag.outline, { view } = this;
    const outline = drawn || this.maps.outlineIn(this);
    if (!outline || outline.length < 2) return;
    ctx.beginPath();
    outline.forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](...view.toScreen(x, y)));
    if (!drawn) ctx.closePath();
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
   * @param {number} wide
   */
  drawRing(ctx, image, wide) {
    const place = this.placeOf(image);
    if (!place) return;
    ctx.beginPath();
    ctx.arc(...this.view.toScreen(...place), this.radius + 4, 0, 2 * Math.PI);
    ctx.strokeStyle = this.maps.theme.ink;
    ctx.lineWidth = wide;
    ctx.stroke();
  }

  /** @param {HTMLElement[]} lines @param {Point} at */
  showTooltip(lines, [u, v]) {
    const { tip } = this, { width, height } = this.size;
    const right = u > width / 2, low = v > height / 2;
    tip.replaceChildren(...lines);
    Object.assign(tip.style, {
      left: right ? "" : `${u + 14}px`,
      right: right ? `${width - u + 14}px` : "",
      top: low ? "" : `${v + 14}px`,
      bottom: low ? `${height - v + 14}px` : "",
    });
  }

  // --- Positions --------------------------------------------------------------------------------

  /** @param {number | null} image @returns {Point | null} */
  placeOf(image) {
    if (image === null) return null;
    if (!this.pointOfImage) this.pointOfImage = new Map(Array.from(this.data.image, (id, i) => [id, i]));
    const i = this.pointOfImage.get(image);
    return i === undefined ? null : [this.data.xy[2 * i], this.data.xy[2 * i + 1]];
  }

  /**
   * Return the image nearest to the pointer; null if no image is near.
   * @param {Point} at on the screen
   * @returns {number | null}
   */
  imageAt([u, v]) {
    const { view } = this, { xy, image } = this.data, { highlighted: meant } = this.maps;
    const counts = (/** @type {number} */ i) => !meant || meant[image[i]];
    const found = findNearest(xy, view.toData(u, v), HOVER_REACH / view.scale, counts);
    return found < 0 ? null : image[found];
  }

  // --- Pointer and keys -------------------------------------------------------------------------

  listen() {
    const { marks } = this;
    marks.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    marks.addEventListener("pointermove", (event) => this.onPointerMove(this.pointerPlace(event)));
    marks.addEventListener("pointerup", (event) => this.onPointerUp(this.pointerPlace(event)));
    marks.addEventListener("pointercancel", () => (this.drag = null));
    marks.addEventListener("pointerleave", () => this.maps.hover(this, null, [0, 0]));
    marks.addEventListener("dblclick", () => this.maps.setCamera(this, null));
    marks.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), this.pointerPlace(event));
    }, { passive: false });
    marks.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Return pixels of the pointer on this map. @param {MouseEvent} event @returns {Point} */
  pointerPlace(event) {
    const box = this.marks.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  onPointerDown(event) {
    if (event.button) return;
    this.marks.setPointerCapture(event.pointerId);
    const from = this.pointerPlace(event), tool = event.shiftKey ? "pan" : this.maps.tool;
    const outline = tool === "pan" ? null : [this.view.toData(...from)];
    this.drag = { from, before: this.camera, distance: 0, tool, outline };
  }

  /** @param {Point} at */
  onPointerMove(at) {
    const { drag, view } = this;
    if (!drag) return this.maps.hover(this, this.imageAt(at), at);
    const [u, v] = at, [from, to] = drag.from;
    drag.distance = Math.max(drag.distance, Math.hypot(u - from, v - to));
    if (!drag.outline) {
      const [cx, cy, extent] = drag.before;
      const moved = [cx - (u - from) / view.scale, cy + (v - to) / view.scale];
      return this.maps.setCamera(this, [moved[0], moved[1], extent]);
    }
    if (drag.tool === "box") {
      const [a, b] = drag.outline[0], [c, d] = view.toData(u, v);
      drag.outline = [[a, b], [c, b], [c, d], [a, d], [a, b]];
    } else drag.outline.push(view.toData(u, v));
    return this.drawMarks();
  }

  /** @param {Point} at */
  onPointerUp(at) {
    const { drag } = this;
    if (!drag) return;
    this.drag = null;
    if (drag.distance < 4) this.maps.pick(this.imageAt(at));
    else if (drag.outline) this.maps.select(this, drag.outline);
    this.drawMarks();
  }

  /** @param {number} factor @param {Point} at */
  zoom(factor, [u, v] = [this.size.width / 2, this.size.height / 2]) {
    const place = this.view.toData(u, v), [, , whole] = this.maps.homeOf(this);
    this.maps.setCamera(this, zoomCamera(this.camera, factor, place, whole));
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { maps } = this, [cx, cy, extent] = this.camera, step = extent / 10;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => maps.setCamera(this, [cx - step, cy, extent]),
      ArrowRight: () => maps.setCamera(this, [cx + step, cy, extent]),
      ArrowUp: () => maps.setCamera(this, [cx, cy + step, extent]),
      ArrowDown: () => maps.setCamera(this, [cx, cy - step, extent]),
      "+": () => this.zoom(0.8),
      "-": () => this.zoom(1.25),
      0: () => maps.setCamera(this, null),
      Escape: () => maps.select(this, null),
      Enter: () => maps.select(this, this.visibleOutline()),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Return the outline of the visible part of the plane. */
  visibleOutline() {
    const { view } = this, { width, height } = this.size;
    return [view.toData(0, 0), view.toData(width, 0), view.toData(width, height),
      view.toData(0, height)];
  }
}
