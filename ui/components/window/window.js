// @ts-check
// Tells the server if the visitor's theme or window width differs from the theme and width for which
// the page was made, which is rare.

/** @typedef {{ dark: boolean, narrow: boolean }} Look theme and width of a visitor */
/** @typedef {(name: string, value: Look) => void} Say tells the server */

const NARROW = "(max-width: 640px)"; // Streamlit stacks columns at this width

/** Whether a colour is nearer to black than to white. @param {string} color of CSS, as rgb */
export function isDark(color) {
  const [red = 255, green = 255, blue = 255] = (color.match(/[\d.]+/g) || []).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

/** @param {{ data: Look, parentElement: ParentNode, setStateValue: Say }} component */
export default function ({ data, parentElement, setStateValue }) {
  const probe = parentElement.querySelector(".zsl-window");
  const width = matchMedia(NARROW);
  if (!probe) return () => {};
  const tell = () => {
    const seen = { dark: isDark(getComputedStyle(probe).backgroundColor), narrow: width.matches };
    if (seen.dark !== data.dark || seen.narrow !== data.narrow) setStateValue("seen", seen);
  };
  // The probe follows the page's colour by a CSS transition, so that a change ends in an event.
  probe.addEventListener("transitionend", tell);
  width.addEventListener("change", tell);
  tell();
  return () => {
    probe.removeEventListener("transitionend", tell);
    width.removeEventListener("change", tell);
  };
}
