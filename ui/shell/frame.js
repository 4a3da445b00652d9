// Sets a cookie before the app connects, so that the first run of a page knows the width of the window.
const isNarrow = matchMedia("(max-width: 640px)").matches; // as in components/window/window.js
document.cookie = `window_is_narrow=${Number(isNarrow)}; path=/; SameSite=Lax`;
