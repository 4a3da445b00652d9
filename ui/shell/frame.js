// Runs before the app of Streamlit: states where its server is, which deep links would search for
// with two failing requests, and sets a cookie so that the first run knows the width of the window.
const isNarrow = matchMedia("(max-width: 640px)").matches; // as in components/window/window.js
document.cookie = `window_is_narrow=${Number(isNarrow)}; path=/; SameSite=Lax`;
Object.assign(window, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });
