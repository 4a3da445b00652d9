// @ts-check
// Changes the theme, copies the address, records choices in the browser's history, and shares the theme between pages.

import { keepSteps } from "./steps.js";
import { changeTheme, shareTheme } from "./theme.js";

const SHOWN = 1600; // milliseconds for which "Copied" is shown

/** @param {{ data?: { pages: string[] }, parentElement: ParentNode }} component */
export default function ({ data, parentElement }) {
  keepSteps(window);
  focusSearch(document);
  shareTheme(window, data?.pages ?? []);
  const theme = parentElement.querySelector(".theme");
  if (theme instanceof HTMLButtonElement) theme.onclick = () => changeTheme(document);
  const copy = parentElement.querySelector(".copy"), said = parentElement.querySelector(".said");
  if (!(copy instanceof HTMLButtonElement) || !said) return;
  copy.onclick = async () => {
    const done = await copied(location.href);
    const icon = copy.firstElementChild;
    said.textContent = done ? "Copied" : "Copy it from the address bar";
    copy.ariaLabel = said.textContent;
    copy.replaceChildren(done ? "✓" : said.textContent);
    setTimeout(() => {
      copy.ariaLabel = "Copy link";
      if (icon) copy.replaceChildren(icon);
      said.textContent = "";
    }, SHOWN);
  };
}

/** @type {WeakSet<object>} */
const watched = new WeakSet();

/** Focus the input of the search when it opens. @param {Document} page */
function focusSearch(page) {
  if (watched.has(page)) return;
  watched.add(page);
  new MutationObserver(() => {
    const box = page.querySelector("[role=dialog] .st-key-search_found input");
    if (!(box instanceof HTMLElement) || watched.has(box)) return;
    watched.add(box);
    box.focus();
  }).observe(page.body, { childList: true, subtree: true });
}

/** Copy a text to the clipboard; return whether that worked. @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
