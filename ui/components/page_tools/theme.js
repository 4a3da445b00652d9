// @ts-check
// Streamlit stores a chosen theme under the address that a visit began at, so that a link to another
// page opens without it. Here all pages get it, once a visitor leaves the tab or the page.

/** @typedef {Pick<Window, "localStorage" | "location" | "performance" | "addEventListener">} Browser */

/** @type {WeakSet<object>} */
const sharing = new WeakSet();

/** Once for every window. @param {Browser} browser @param {string[]} pages names in addresses */
export function shareTheme(browser, pages) {
  if (sharing.has(browser)) return;
  sharing.add(browser);
  const [visit] = browser.performance.getEntriesByType("navigation");
  const from = new URL(visit?.name ?? browser.location.href).pathname;
  const folder = from.slice(0, from.lastIndexOf("/") + 1);
  for (const left of ["pagehide", "visibilitychange"])
    browser.addEventListener(left, () => copyTheme(browser.localStorage, from, pages.map((page) => folder + page)), true);
}

/** Stores for other addresses what is stored for one. @param {Storage} storage @param {string} from @param {string[]} others */
export function copyTheme(storage, from, others) {
  const start = `stActiveTheme-${from}-v`;
  for (const key of Array.from({ length: storage.length }, (_, k) => storage.key(k) ?? "")) {
    if (!key.startsWith(start)) continue;
    const version = key.slice(start.length), theme = storage.getItem(key) ?? "";
    for (const other of others) storage.setItem(`stActiveTheme-${other}-v${version}`, theme);
  }
}
