// @ts-check
// Numbers as text, with the same digits as in Python (`zslcore/numbers.py`).

/** Write a fraction as percent with one decimal. @param {number} fraction */
export function formatPercent(fraction) {
  const value = 100 * fraction;
  // The only numbers halfway between two tenths end in .25 or .75; Python rounds these to even.
  const down = Number.isInteger(4 * value) && (4 * value) % 4 === 1;
  return `${(down ? value - 0.05 : value).toFixed(1)} %`.replace("-", "−");
}

/** Write a number with three significant digits. @param {number} value */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf").replace("-", "−");
  const rounded = roundToThree(value), [digits, power] = rounded.split("e"), exponent = Number(power);
  if (exponent >= -4 && exponent < 3)
    return trimZeros(Number(rounded).toFixed(2 - exponent)).replace("-", "−");
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${trimZeros(digits)}e${exponent < 0 ? "-" : "+"}${size}`.replaceAll("-", "−");
}

/** Round to three digits, and halves to even. @param {number} value */
function roundToThree(value) {
  const half = /^(-?\d\.\d[02468])50*(e.*)$/.exec(value.toExponential(60)); // exact decimal value
  return half ? half[1] + half[2] : value.toExponential(2);
}

/** Remove trailing zeros after the point. @param {string} digits */
function trimZeros(digits) {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

/** Units and counted words that stay with their number. */
const WITH_NUMBER = "points?|min|h|s|pairs?|checks?|related|separately|seen|unseen|to";
const UNBROKEN = new RegExp(` (?=[%=<>]|\\+ )|(?<=[=<>+]) |(?<=\\d) (?=(?:${WITH_NUMBER})\\b)|` +
  "(?<=\\d (?:min|h|to)) (?=[+−\\d])|(?<=\\bPS) (?=v\\d)", "g");

/** Keep values, sums and names with a number on one line, by spaces without a break and by word
 * joiners. @param {string} words */
export function keepTogether(words) {
  return words.replace(UNBROKEN, "\u00a0").replace(/(?<=[A-Za-z]-)(?=\d)/g, "\u2060");
}

/** Write a count with commas between thousands. @param {number} count */
export function formatCount(count) {
  return count.toLocaleString("en");
}
