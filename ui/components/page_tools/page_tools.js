// @ts-check
// Changes the theme, copies the address, records choices in the browser's history, shares the theme
// between pages, and keeps values on one line with their units.

import { keepTogether } from "../../../zslcore/interactive/numbers.js";
import { recordSteps } from "./steps.js";
import { changeTheme, shareTheme } from "./theme.js";

const MESSAGE_TIME = 1600; // milliseconds for which "Copied" is shown

/** @param {{ data?: { pages: string[] }, parentElement: ParentNode }} component */
export default function ({ data, parentElement }) {
  recordSteps(window);
  followChanges(document);
  shareTheme(window, data?.pages ?? []);
  const theme = parentElement.querySelector(".theme");
  if (theme instanceof HTMLButtonElement) theme.onclick = () => changeTheme(document);
  const copy = parentElement.querySelector(".copy");
  const status = parentElement.querySelector(".said");
  if (!(copy instanceof HTMLButtonElement) || !status) return;
  copy.onclick = async () => {
    const isCopied = await copyText(location.href), icon = copy.firstElementChild;
    status.textContent = isCopied ? "Copied" : "Copy the link from the address bar";
    copy.ariaLabel = status.textContent;
    copy.replaceChildren(isCopied ? "✓" : status.textContent);
    setTimeout(() => {
      copy.ariaLabel = "Copy link";
      if (icon) copy.replaceChildren(icon);
      status.textContent = "";
    }, MESSAGE_TIME);
  };
}

/** @type {WeakSet<object>} */
const watched = new WeakSet();

/** Follow the changes of a page. @param {Document} page */
function followChanges(page) {
  if (watched.has(page)) return;
  watched.add(page);
  const follow = () => {
    focusSearch(page);
    keepUnitsTogether(page);
  };
  follow();
  new MutationObserver(follow).observe(page.body,
    { childList: true, characterData: true, subtree: true });
}

/** Focus the input of the search when it opens. @param {Document} page */
function focusSearch(page) {
  const box = page.querySelector("[role=dialog] .st-key-search_found input");
  if (!(box instanceof HTMLElement) || watched.has(box)) return;
  watched.add(box);
  box.focus();
}

/** Keep values in sentences on one line with their units. @param {Document} page */
function keepUnitsTogether(page) {
  const boxes = "[data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]";
  for (const box of page.querySelectorAll(boxes)) {
    const texts = page.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const before = text.nodeValue ?? "", after = keepTogether(before);
      if (after !== before && !text.parentElement?.closest("code")) text.nodeValue = after;
    }
  }
}

/** Copy a text to the clipboard; return whether that worked. @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
