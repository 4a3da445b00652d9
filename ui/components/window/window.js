// @ts-check
// Tells the server if the visitor's theme or window width differs from the theme and width for which
// the page was made, which is rare.

import { isDark } from "../../../zslcore/interactive/canvas.js";

/** @typedef {{ dark: boolean, narrow: boolean }} WindowLook theme and width of a visitor */
/** @import { Send } from "../../../zslcore/interactive/figure.js" */

const NARROW = "(max-width: 640px)"; // Streamlit stacks columns at this width

/** @param {{ data: WindowLook, parentElement: ParentNode, setStateValue: Send }} component */
export default function ({ data, parentElement, setStateValue }) {
  const probe = parentElement.querySelector(".zsl-window");
  const width = matchMedia(NARROW);
  if (!probe) return () => {};
  const sendLook = () => {
    const look = { dark: isDark(getComputedStyle(probe).backgroundColor), narrow: width.matches };
    if (look.dark !== data.dark || look.narrow !== data.narrow) setStateValue("seen", look);
  };
  // The probe follows the page's colour by a CSS transition, so that a change ends in an event.
  probe.addEventListener("transitionend", sendLook);
  width.addEventListener("change", sendLook);
  sendLook();
  return () => {
    probe.removeEventListener("transitionend", sendLook);
    width.removeEventListener("change", sendLook);
  };
}
