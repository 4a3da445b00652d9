// @ts-check
// Buttons that save a figure as PNG or SVG: they send an event on which the figure saves itself.

import { createElement } from "../../../zslcore/interactive/dom.js";

const FORMATS = ["png", "svg"];

/** @param {{ data: { key: string, scale: number }, parentElement: ParentNode }} component */
export default function ({ data: { key, scale }, parentElement }) {
  parentElement.querySelector(".files")?.replaceChildren(...FORMATS.map((format) => {
    const detail = { key, format, scale: format === "png" ? scale : 1, file: `${key}.${format}` };
    const onclick = () => document.dispatchEvent(new CustomEvent("zsl-save", { detail }));
    return createElement("button", { type: "button", onclick }, format.toUpperCase());
  }));
}
