// @ts-check
// Copies the address, and makes a step in the browser's history of every choice.

import { keepSteps } from "./steps.js";

const SHOWN = 1600; // milliseconds that "Copied" stands on the button

/** @param {{ parentElement: ParentNode }} component */
export default function ({ parentElement }) {
  keepSteps(window);
  const copy = parentElement.querySelector(".copy"), said = parentElement.querySelector(".said");
  if (!(copy instanceof HTMLButtonElement) || !said) return;
  copy.onclick = async () => {
    const done = await copied(location.href);
    copy.textContent = done ? "Copied" : "Copy it from the address bar";
    said.textContent = copy.textContent;
    setTimeout(() => {
      copy.textContent = "Copy link";
      said.textContent = "";
    }, SHOWN);
  };
}

/** Whether a text is in the clipboard now. @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
