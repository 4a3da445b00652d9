// @ts-check
// Tells the server if the visitor's theme or window width differs from the theme and width for which
// the page was made, which is rare.

import { isDark } from "../../../zslcore/interactive/canvas.js";

/** @typedef {{ dark: boolean, narrow: boolean }} Look theme and width of a visitor */
/** @typedef {(name: string, value: Look) => void} Send tells the server */

const NARROW = "(max-width: 640px)"; // Streamlit stacks columns at this width

/** @param {{ data: Look, parentElement: ParentNode, setStateValue: Send }} component */
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
