// @ts-check
// How numbers are written, to the digit as `ui/shell/numbers.py` writes them on the rest of the page.

/** A fraction as percent with one decimal. @param {number} fraction */
export function percent(fraction) {
  const value = 100 * fraction;
  // The only numbers halfway between two tenths end in .25 or .75; Python rounds these to even.
  const down = Number.isInteger(4 * value) && (4 * value) % 4 === 1;
  return `${(down ? value - 0.05 : value).toFixed(1)} %`.replace("-", "−");
}

/** A number with three digits that count. @param {number} value */
export function threeDigits(value) {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").replace("-", "−");
  const rounded = toThree(value), [digits, power] = rounded.split("e"), exponent = Number(power);
  if (exponent >= -4 && exponent < 3)
    return bare(Number(rounded).toFixed(2 - exponent)).replace("-", "−");
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${bare(digits)}e${exponent < 0 ? "-" : "+"}${size}`.replaceAll("-", "−");
}

/** Three digits; halfway between two of them to the even one. @param {number} value */
function toThree(value) {
  const half = /^(-?\d\.\d[02468])50*(e.*)$/.exec(value.toExponential(60)); // all digits there are
  return half ? half[1] + half[2] : value.toExponential(2);
}

/** Without zeros behind the point that say nothing. @param {string} digits */
function bare(digits) {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

/** A count with commas. @param {number} count */
export function counted(count) {
  return count.toLocaleString("en");
}
