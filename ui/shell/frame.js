// Runs before Streamlit's app. States the address of the server, which a deep link would otherwise
// guess by two requests that fail; sets a cookie that tells the first run the width of the window.
const isNarrow = matchMedia("(max-width: 640px)").matches; // the width in components/window/window.js
document.cookie = `window_is_narrow=${Number(isNarrow)}; path=/; SameSite=Lax`;
Object.assign(window, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });
