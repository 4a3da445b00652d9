// @ts-check
// Canvases: contexts, sizes on fine screens, pixels and colours.

/** @param {HTMLCanvasElement} canvas */
export function getContext(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** @param {number} width @param {number} height */
export function createOffscreen(width, height) {
  const ctx = new OffscreenCanvas(width, height).getContext("2d");
  return /** @type {OffscreenCanvasRenderingContext2D} */ (ctx);
}

/**
 * Resize a canvas that is drawn in pixels of the page.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @param {number} ratio pixels of the screen per pixel of the page
 */
export function resizeCanvas(canvas, width, height, ratio) {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  getContext(canvas).setTransform(ratio, 0, 0, ratio, 0, 0);
}

/**
 * Set all pixels of a rectangle at the left edge of a canvas.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} ctx
 * @param {{ width: number, height: number, top?: number }} rectangle
 * @param {(k: number) => number[]} colorAt red, green, blue and opacity of a pixel, from 0 to 255
 */
export function paintPixels(ctx, { width, height, top = 0 }, colorAt) {
  const picture = ctx.createImageData(width, height);
  for (let k = 0; k < width * height; k++) picture.data.set(colorAt(k), 4 * k);
  ctx.putImageData(picture, 0, top);
}

/** Return red, green, blue and opacity of a CSS colour. @param {string} color */
export function readColor(color) {
  const ctx = createOffscreen(1, 1);
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

/** Return the value of a CSS variable. @param {Element} element @param {string} name */
export function readVariable(element, name) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

/** Return how bright a colour is, from 0 to 255. @param {ArrayLike<number>} color */
export function brightnessOf({ 0: red, 1: green, 2: blue }) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Whether a colour is nearer to black than to white. @param {string} color such as "rgb(0, 0, 0)" */
export function isDark(color) {
  const [red = 255, green = 255, blue = 255] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return brightnessOf([red, green, blue]) < 128;
}
