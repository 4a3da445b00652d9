// @ts-check
// Points painted pixel by pixel: tens of thousands in each frame of a move.

/** @import { Stencil } from "./look.js" */

export class Painting {
  /**
   * @param {number} width
   * @param {number} height
   * @param {ArrayLike<number>} paper red, green and blue
   */
  constructor(width, height, paper) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8ClampedArray(4 * width * height);
    new Uint32Array(this.pixels.buffer)
      .fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
  }

  /**
   * Paint one point, cut at the edges of the picture.
   * @param {number} px column of the centre
   * @param {number} py row of the centre
   * @param {Stencil} stencil
   * @param {ArrayLike<number>} color
   * @param {number} strength opacity; 1 hides everything below
   */
  paintPoint(px, py, { dx, dy, cover }, color, strength) {
    const { width, height, pixels } = this;
    if (px < -9 || py < -9 || px > width + 9 || py > height + 9) return;
    const red = color[0], green = color[1], blue = color[2];
    for (let i = 0; i < cover.length; i++) {
      const x = px + dx[i], y = py + dy[i];
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const k = 4 * (y * width + x), a = cover[i] * strength;
      pixels[k] += (red - pixels[k]) * a;
      pixels[k + 1] += (green - pixels[k + 1]) * a;
      pixels[k + 2] += (blue - pixels[k + 2]) * a;
    }
  }
}
