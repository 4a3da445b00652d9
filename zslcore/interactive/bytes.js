// @ts-check
// What comes down from the server: a head of JSON, then arrays, as `one_file.packed` writes them.

/**
 * @template {ArrayBufferView} T
 * @typedef {new (buffer: ArrayBuffer, at: number, count: number) => T} Kind of typed arrays
 */

const WORD = 8; // bytes of the largest number: every array begins at a multiple of it

/**
 * The head, and what takes one array after the other.
 * @param {Uint8Array} bytes
 */
export function opened(bytes) {
  const raw = bytes.slice().buffer; // aligned: typed arrays want multiples of their size
  const length = new DataView(raw).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(raw, 4, length)));
  let at = 4 + length;
  /**
   * @template {ArrayBufferView} T
   * @param {Kind<T>} kind
   * @param {number} count
   */
  const take = (kind, count) => {
    at = Math.ceil(at / WORD) * WORD;
    const array = new kind(raw, at, count);
    at += array.byteLength;
    return array;
  };
  return { head, take };
}
