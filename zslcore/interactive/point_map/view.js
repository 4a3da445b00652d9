// @ts-check
// Visible part of a plane: conversion between data and screen pixels, and zoom.

/** @import { Box } from "./geometry.js" */
/** @import { Camera, Name, Point } from "./wire.js" */

/** @typedef {{ width: number, height: number }} Size in pixels of the screen */

export class View {
  /** @param {Size} size @param {Camera} camera */
  constructor({ width, height }, [x, y, extent]) {
    this.width = width;
    this.height = height;
    this.x = x;
    this.y = y;
    this.scale = Math.min(width, height) / extent;
  }

  /** @param {number} x @param {number} y @returns {Point} */
  toScreen(x, y) {
    return [
      this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale,
    ];
  }

  /** @param {number} u @param {number} v @returns {Point} */
  toData(u, v) {
    return [
      this.x + (u - this.width / 2) / this.scale, this.y - (v - this.height / 2) / this.scale,
    ];
  }
}

const SMALL = 480; // width of a map with fewer names, in pixels

/**
 * Return the camera that shows a box with a margin; its extent is along the shorter side.
 * @param {Box} box
 * @param {Size} size
 * @returns {Camera}
 */
export function fitCamera([left, right, low, high], { width, height }) {
  const side = Math.min(width, height);
  const extent = Math.max(((right - left) * side) / width, ((high - low) * side) / height);
  return [(left + right) / 2, (low + high) / 2, 1.06 * extent || 1];
}

/**
 * Return a camera with a scaled extent that leaves one place where it is on the screen.
 * @param {Camera} camera
 * @param {number} factor multiplier of the extent
 * @param {Point} place
 * @param {number} whole extent of the whole map, which limits panning and zooming
 * @returns {Camera}
 */
export function zoomCamera([cx, cy, extent], factor, [x, y], whole) {
  const next = Math.min(4 * whole, Math.max(whole / 400, extent * factor)), f = next / extent;
  return [x + (cx - x) * f, y + (cy - y) * f, next];
}

/**
 * Return names that fit on the map without overlap; earlier names have precedence. On a small map
 * names are farther apart.
 * @param {Name[]} names
 * @param {View} view
 * @param {(text: string) => number} widthOf
 */
export function placeNames(names, view, widthOf) {
  /** @type {{ text: string, u: number, v: number, half: number }[]} */
  const placed = [], spacing = view.width < SMALL ? 2 : 1;
  for (const { text, x, y } of names) {
    const [u, v] = view.toScreen(x, y), half = widthOf(text) / 2 + 2;
    if (u - half < 0 || u + half > view.width || v < 8 || v > view.height - 8) continue;
    const overlaps = placed.some((other) =>
      Math.abs(u - other.u) < half + other.half + 8 * (spacing - 1) && Math.abs(v - other.v) < 14 * spacing);
    if (!overlaps) placed.push({ text, u, v, half });
  }
  return placed;
}
