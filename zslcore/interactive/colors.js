// @ts-check
// Colours as numbers.

/** Return red, green and blue of a CSS colour. @param {string} color */
export function readColor(color) {
  const ctx = createOffscreen(1, 1);
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

/** Whether a colour is nearer to black than to white. @param {string} color such as "rgb(0, 0, 0)" */
export function isDark(color) {
  const [red = 255, green = 255, blue = 255] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

/** @param {number} width @param {number} height */
export function createOffscreen(width, height) {
  const ctx = new OffscreenCanvas(width, height).getContext("2d");
  return /** @type {OffscreenCanvasRenderingContext2D} */ (ctx);
}
