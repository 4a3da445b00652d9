// @ts-check
// Buttons that save a figure as PNG or SVG: they send an event on which the figure saves itself.

/** @typedef {{ key: string, scale: number }} Figure */

const FORMATS = ["png", "svg"];

/** @param {{ data: Figure, parentElement: ParentNode }} component */
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".files");
  root?.replaceChildren(...FORMATS.map((format) => saver(data, format)));
}

/** @param {Figure} figure @param {string} format */
function saver({ key, scale }, format) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = format.toUpperCase();
  made.addEventListener("click", () => {
    const detail = { key, format, scale: format === "png" ? scale : 1, file: `${key}.${format}` };
    document.dispatchEvent(new CustomEvent("zsl-save", { detail }));
  });
  return made;
}
