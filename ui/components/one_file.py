"""An interactive figure as one HTML file: the component of the app, no server, no network."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

__all__ = ["Parts", "one_file"]

#: Variable that components read -> option of the theme.
_COLOURS = {
    "background-color": "backgroundColor",
    "secondary-background-color": "secondaryBackgroundColor",
    "text-color": "textColor",
    "border-color": "borderColor",
    "primary-color": "primaryColor",
}
#: The file may run what it holds, and load nothing.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a component is mounted from: its HTML, style sheet and joined modules."""

    html: str
    css: str
    js: str


def one_file(parts: Parts, data: bytes, *, title: str, caption: str, made: str) -> str:
    """Return a page that shows a component, light or dark as its reader's system.

    Parameters
    ----------
    parts : of the component; its script has one default export
    data : what the component draws, packed
    title, caption : what it shows
    made : what it was made from
    """
    script = parts.js.replace("export default function", "const draw = function", 1)
    packed = base64.b64encode(data).decode()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>
:root {{ color-scheme: light dark; --st-font: system-ui, sans-serif; --st-base-radius: 0.35rem;
  {_theme("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_theme("dark")} }} }}
body {{ max-width: 70rem; margin: 1.5rem auto; padding: 0 1rem; font-family: var(--st-font);
  color: var(--st-text-color); background: var(--st-background-color); }}
{parts.css}
</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p>{escape(caption)}</p>
<div id="figure">{parts.html}</div>
<p><small>{escape(made)}</small></p>
</main>
<script type="module">
{script}
const data = Uint8Array.from(atob("{packed}"), (sign) => sign.charCodeAt(0));
draw({{ data, parentElement: document.getElementById("figure"), setStateValue() {{}} }});
</script>
</body>
</html>
"""


def _theme(theme: str) -> str:
    """Return the colours of the app's light or dark theme as variables."""
    return " ".join(f"--st-{name}: {_colour(theme, key)};" for name, key in _COLOURS.items())


def _colour(theme: str, key: str) -> Any:
    return st.get_option(f"theme.{theme}.{key}") or st.get_option(f"theme.{key}")
