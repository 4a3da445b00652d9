// @ts-check
// Reader of packed maps from the server: a JSON head and arrays, as `PointMap.packed` writes them.

import { readPacked } from "../bytes.js";

/** @typedef {[x: number, y: number]} Point in the plane of the data, or on the screen */
/** @typedef {[x: number, y: number, extent: number]} Camera centre and visible extent */
/** @typedef {{ label: string, color: string, symbol: string }} LegendEntry look of a category */
/** @typedef {{ text: string, x: number, y: number }} Name */
/** @typedef {{ panel: number, polygon: Point[] }} Selection */

/**
 * @typedef {object} PanelData one map
 * @property {string} title
 * @property {string} alt
 * @property {number} n
 * @property {number} behind
 * @property {Name[]} names most important first
 * @property {Uint32Array} image number of the image of each point
 * @property {Float32Array} xy alternating x and y
 */

/**
 * @typedef {object} MapData data of the figure; see `PointMap` in Python
 * @property {string} key
 * @property {string} file
 * @property {string} title
 * @property {number} n
 * @property {PanelData[]} panels
 * @property {LegendEntry[]} palette
 * @property {string[]} classes
 * @property {string[]} sets
 * @property {"list" | "scale" | "none"} legend
 * @property {[low: string, high: string]} ends
 * @property {boolean} tools
 * @property {"place" | "image"} link
 * @property {number[] | null} matching
 * @property {[height: number, width: number] | null} picture
 * @property {Selection | null} selection
 * @property {number | null} picked
 * @property {(Camera | null)[] | null} cameras
 * @property {Uint16Array} category
 * @property {Uint16Array} class
 * @property {Uint8Array} part
 * @property {Uint32Array} row
 * @property {Uint8Array} [pixels]
 */

/**
 * @param {Uint8Array} bytes
 * @returns {MapData}
 */
export function readMaps(bytes) {
  const { head, readArray } = readPacked(bytes);
  head.category = readArray(Uint16Array, head.n);
  head.class = readArray(Uint16Array, head.n);
  head.part = readArray(Uint8Array, head.n);
  head.row = readArray(Uint32Array, head.n);
  for (const panel of head.panels) {
    panel.image = readArray(Uint32Array, panel.n);
    panel.xy = readArray(Float32Array, 2 * panel.n);
  }
  if (head.picture) head.pixels = readArray(Uint8Array, head.n * head.picture[0] * head.picture[1]);
  return head;
}
