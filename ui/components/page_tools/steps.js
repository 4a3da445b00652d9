// @ts-check
// Streamlit writes a choice over the entry of the browser's history that is there, so that Back
// would leave the page. Here the entry before the choice is put back, and the choice comes after it.

/** @typedef {{ history: History, location: Location, navigation?: EventTarget,
 *   addEventListener: Window["addEventListener"] }} Browser */

/** @type {WeakSet<object>} */
const patched = new WeakSet();

/** Once for every window. @param {Browser} browser */
export function keepSteps(browser) {
  const { history, location, navigation } = browser;
  if (!navigation || patched.has(history)) return; // a browser without it goes on as it did
  patched.add(history);
  let before = location.href, byHand = false, ours = false;
  for (const done of ["pointerdown", "keydown", "input", "change"]) {
    browser.addEventListener(done, () => { byHand = true; }, true);
  }
  browser.addEventListener("popstate", () => { byHand = false; }, true);
  navigation.addEventListener("currententrychange", (event) => {
    const now = location.href, from = before;
    before = now;
    const type = /** @type {{ navigationType?: string }} */ (event).navigationType;
    if (ours || !byHand || type !== "replace" || !isStep(from, now)) return;
    ours = true;
    history.replaceState(history.state, "", from);
    history.pushState(history.state, "", now);
    ours = false;
    before = now;
  });
}

/** Whether two addresses are of one page with other choices. @param {string} a @param {string} b */
export function isStep(a, b) {
  const one = new URL(a), two = new URL(b);
  return one.pathname === two.pathname && one.search !== two.search;
}
