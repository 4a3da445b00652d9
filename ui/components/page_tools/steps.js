// @ts-check
// Streamlit replaces the current entry of the browser's history at each choice, so that Back would
// leave the page, and adds two entries for a link to another page. Here each action of a visitor is
// one entry: its first new address adds an entry, and all further addresses replace that entry.

/** @typedef {{ history: History, location: Location,
 *   addEventListener: Window["addEventListener"] }} Browser */

/** @type {WeakSet<object>} */
const patchedHistories = new WeakSet();

/** Patch the history of a window, once. @param {Browser} browser */
export function recordSteps(browser) {
  const { history, location } = browser;
  if (patchedHistories.has(history)) return;
  patchedHistories.add(history);
  let hasActed = false;
  for (const type of ["pointerdown", "keydown", "input", "change"]) {
    browser.addEventListener(type, () => { hasActed = true; }, true);
  }
  browser.addEventListener("popstate", () => { hasActed = false; }, true);
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  /** @type {History["pushState"]} */
  const write = (state, title, url) => {
    const isStep = hasActed && isNewStep(location.href, String(url ?? ""));
    if (isStep) hasActed = false;
    (isStep ? push : replace)(state, title, url);
  };
  history.pushState = history.replaceState = write;
}

/** Whether an address leads to another page, or to other choices. @param {string} here @param {string} url */
export function isNewStep(here, url) {
  const current = new URL(here), next = new URL(url, here);
  return current.pathname !== next.pathname || current.search !== next.search;
}
