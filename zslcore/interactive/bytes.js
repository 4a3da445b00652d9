// @ts-check
// Reader of packed data from the server: a JSON head, then arrays (see `one_file.packed`).

/**
 * @template {ArrayBufferView} T
 * @typedef {new (buffer: ArrayBuffer, offset: number, count: number) => T} ArrayKind of typed arrays
 */

const WORD = 8; // bytes of the largest number; every array begins at a multiple of this size

/**
 * Return the head, and a function that reads the next array.
 * @param {Uint8Array} bytes
 */
export function readPacked(bytes) {
  const buffer = bytes.slice().buffer; // a copy: typed arrays need aligned positions
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let offset = 4 + length;
  /**
   * @template {ArrayBufferView} T
   * @param {ArrayKind<T>} kind
   * @param {number} count
   */
  const readArray = (kind, count) => {
    offset = Math.ceil(offset / WORD) * WORD;
    const array = new kind(buffer, offset, count);
    offset += array.byteLength;
    return array;
  };
  return { head, readArray };
}
