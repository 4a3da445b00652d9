// @ts-check
// Saves a figure of the page as PNG or SVG.
//
// Plotly's figures are saved by the button of their own toolbar, which draws them anew at any
// scale. Figures that a component of ours draws hear an event and save themselves.

/** @typedef {{ key: string, scale: number }} Asked */
/** @typedef {{ filename: string, format: string, scale: number }} How */
/** @typedef {HTMLElement & { _context: { toImageButtonOptions: How } }} Graph */

const FORMATS = ["png", "svg"];

/** @param {{ data: Asked, parentElement: ParentNode }} component */
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".files");
  root?.replaceChildren(...FORMATS.map((format) => saver(data, format)));
}

/** @param {Asked} asked @param {string} format */
function saver({ key, scale }, format) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = format.toUpperCase();
  made.addEventListener("click", () => {
    const how = { filename: key, format, scale: format === "png" ? scale : 1 };
    if (!saveByPlotly(key, how)) {
      const detail = { key, format, scale: how.scale, file: `${key}.${format}` };
      document.dispatchEvent(new CustomEvent("zsl-save", { detail }));
    }
  });
  return made;
}

/** Whether a figure of Plotly's has this key, and is saved. @param {string} key @param {How} how */
function saveByPlotly(key, how) {
  const name = `.st-key-${key.replace(/[^a-zA-Z0-9_-]/g, "-")}`;
  /** @type {Graph | null} */
  const graph = document.querySelector(`${name} .js-plotly-plot`);
  /** @type {HTMLElement | null | undefined} */
  const camera = graph?.querySelector(".modebar-btn");
  if (!graph || !camera) return false;
  graph._context.toImageButtonOptions = how;
  keepMenuOpen();
  camera.dispatchEvent(new MouseEvent("click")); // one that does not bubble
  return true;
}

/** Plotly saves by a click on a link of its own, and menus close when anything else is clicked. */
function keepMenuOpen() {
  /** @param {Event} event */
  const hear = (event) => {
    if (!(event.target instanceof HTMLAnchorElement && event.target.download)) return;
    event.stopPropagation();
    window.removeEventListener("click", hear, true);
  };
  window.addEventListener("click", hear, true);
}
