// @ts-check
// Streamlit stores a chosen theme for the address at which a visit began, so that other pages open
// without it. Here all pages get the theme once a visitor leaves the tab or the page.

import { isDark } from "../../../zslcore/interactive/canvas.js";

/** @typedef {Pick<Window, "localStorage" | "location" | "performance" | "addEventListener">} Browser */

const MENU = "[data-testid=stMainMenu] button";

/**
 * Chooses the other theme in Streamlit's own menu, which applies and stores it.
 * @param {Document} page
 */
export function changeTheme(page) {
  const menu = page.querySelector(MENU), app = page.querySelector(".stApp");
  if (!(menu instanceof HTMLElement) || !app) return;
  const wantedTheme = isDark(getComputedStyle(app).backgroundColor) ? "Light" : "Dark";
  const findItem = () => page.querySelector(`[data-testid=stMainMenuItem-theme-${wantedTheme}]`);
  const pressItem = () => {
    const item = findItem();
    if (!(item instanceof HTMLElement)) return false;
    item.click();
    if (menu.ariaExpanded === "true" || findItem()) menu.click();
    return true;
  };
  menu.click();
  if (pressItem()) return;
  const observer = new MutationObserver(() => pressItem() && observer.disconnect());
  observer.observe(page.body, { childList: true, subtree: true });
}

/** @type {WeakSet<object>} */
const sharing = new WeakSet();

/** Share the theme, starting once per window. @param {Browser} browser @param {string[]} pages names in addresses */
export function shareTheme(browser, pages) {
  if (sharing.has(browser)) return;
  sharing.add(browser);
  const [visit] = browser.performance.getEntriesByType("navigation");
  const from = new URL(visit?.name ?? browser.location.href).pathname;
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  for (const left of ["pagehide", "visibilitychange"])
    browser.addEventListener(left, () => copyTheme(browser.localStorage, from, pages.map((page) => folder + page)), true);
}

/** Copy the stored theme of one address to other addresses. @param {Storage} storage @param {string} from @param {string[]} others */
function copyTheme(storage, from, others) {
  const start = `stActiveTheme-${from}-v`;
  for (const key of Array.from({ length: storage.length }, (_, k) => storage.key(k) ?? "")) {
    if (!key.startsWith(start)) continue;
    const version = key.slice(start.length), theme = storage.getItem(key) ?? "";
    for (const other of others) storage.setItem(`stActiveTheme-${other}-v${version}`, theme);
  }
}
