// @ts-check
// Colours as numbers.

/** Return red, green and blue of a CSS colour. @param {string} color */
export function rgb(color) {
  const ctx = offscreen(1, 1);
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, 1, 1);
  return ctx.getImageData(0, 0, 1, 1).data;
}

/** @param {number} width @param {number} height */
export function offscreen(width, height) {
  const ctx = new OffscreenCanvas(width, height).getContext("2d");
  return /** @type {OffscreenCanvasRenderingContext2D} */ (ctx);
}
