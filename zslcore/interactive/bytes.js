// @ts-check
// Reader of packed data from the server: a JSON head, then arrays (see `one_file.packed`).

/**
 * @template {ArrayBufferView} T
 * @typedef {new (buffer: ArrayBuffer, at: number, count: number) => T} ArrayKind of typed arrays
 */

const WORD = 8; // bytes of the largest number; every array begins at a multiple of this size

/**
 * Return the head, and a function that reads the next array.
 * @param {Uint8Array} bytes
 */
export function readPacked(bytes) {
  const raw = bytes.slice().buffer; // a copy: typed arrays need aligned positions
  const length = new DataView(raw).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(raw, 4, length)));
  let at = 4 + length;
  /**
   * @template {ArrayBufferView} T
   * @param {ArrayKind<T>} kind
   * @param {number} count
   */
  const readArray = (kind, count) => {
    at = Math.ceil(at / WORD) * WORD;
    const array = new kind(raw, at, count);
    at += array.byteLength;
    return array;
  };
  return { head, readArray };
}
