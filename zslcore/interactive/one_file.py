"""An interactive figure as one HTML file: the component of the app, no server, no network.

Its JavaScript modules are joined into one: a page of its own has one script, and Streamlit serves
several files of a component only for installed packages. So modules are limited to what can be
joined line by line: imports of names from files of the same folder, of its parent, or of this
folder, each on one line; exports where something is defined; no name defined twice, since joined
modules share one scope. Data go down as a head of JSON and arrays, as ``bytes.js`` opens them.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

#: Theme -> variable that figures read -> colour, those of the app in .streamlit/config.toml.
THEMES = {
    "light": {
        "background-color": "#FFFFFF",
        "secondary-background-color": "#F4F5F7",
        "text-color": "#14181C",
        "border-color": "#D8DCE1",
        "primary-color": "#0072B2",
    },
    "dark": {
        "background-color": "#101418",
        "secondary-background-color": "#1A2027",
        "text-color": "#E8EAED",
        "border-color": "#333B45",
        "primary-color": "#56B4E9",
    },
}
#: The file may run what it holds, and load nothing.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
)
#: Pixels that a figure with its title and caption needs at the width of a page.
HEIGHT = 1000


@dataclass(frozen=True, slots=True)
class Parts:
    """HTML, style sheet and joined modules of a component."""

    html: str
    css: str
    js: str


def one_file(
    parts: Parts, data: bytes, *, title: str, caption: str, footnote: str, theme: str = ""
) -> str:
    """Return a page that shows a figure of ``data``, packed as its script takes it.

    ``theme`` is "light" or "dark", by default as the reader's system has it.
    """
    body = (
        f"<h1>{escape(title)}</h1>\n<p>{escape(caption)}</p>\n{element(parts)}\n"
        f"<p><small>{escape(footnote)}</small></p>"
    )
    return html_page(body, title=title, style=parts.css, script=script_of(parts, data), theme=theme)


def html_page(body: str, *, title: str, style: str = "", script: str = "", theme: str = "") -> str:
    """Return a page that loads nothing, with a module as its script or none.

    In ``body``, HTML, every text from outside is escaped; in ``style`` the colours of the app are
    variables.
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(title)}</title>
<style>
:root {{ color-scheme: {theme or "light dark"}; --st-font: system-ui, sans-serif;
  --st-base-radius: 0.35rem; {_theme(theme or "light")} }}
{"" if theme else f"@media (prefers-color-scheme: dark) {{ :root {{ {_theme('dark')} }} }}"}
body {{ max-width: 70rem; margin: 1.5rem auto; padding: 0 1rem; font-family: var(--st-font);
  color: var(--st-text-color); background: var(--st-background-color); }}
{style}
</style>
</head>
<body>
<main>
{body}
</main>
{f'<script type="module">{script}</script>' if script else ""}
</body>
</html>
"""


def element(parts: Parts) -> str:
    """Return the element of a page in which :func:`script_of` draws."""
    return f'<div id="figure">{parts.html}</div>'


def script_of(parts: Parts, data: bytes) -> str:
    """Return the module that draws a figure, of one default export, from packed data."""
    script = parts.js.replace("export default function", "const draw = function", 1)
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    return f"""
{script}
const packed = Uint8Array.from(atob("{packed}"), (sign) => sign.charCodeAt(0));
const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const data = new Uint8Array(await new Response(plain).arrayBuffer());
draw({{ data, parentElement: document.getElementById("figure"), setStateValue() {{}} }});
"""


def framed(page: str, title: str, *, height: int = HEIGHT) -> str:
    """Return a page as an element of a notebook or of another page, closed off from both.

    ``title`` is what readers who cannot see it hear; ``height`` is in pixels.
    """
    return (
        f'<iframe srcdoc="{escape(page)}" title="{escape(title)}" '
        f'sandbox="allow-scripts allow-downloads" width="100%" height="{height}" '
        'style="border: 0"></iframe>'
    )


def frame_line(file: str, title: str, *, height: int = HEIGHT) -> str:
    """Return the line that shows a page, which lies next to it, on another page.

    Parameters
    ----------
    file : name of the page's file
    title : what readers who cannot see it hear
    height : in pixels

    Examples
    --------
    >>> frame_line("curve.html", "Curve of CUB", height=600)
    '<iframe src="curve.html" title="Curve of CUB" width="100%" height="600" style="border: 0"></iframe>'
    """  # noqa: E501 - one line to copy
    return (
        f'<iframe src="{escape(quote(file))}" title="{escape(title)}" width="100%" '
        f'height="{height}" style="border: 0"></iframe>'
    )


def _theme(theme: str) -> str:
    """Return the colours of the app's light or dark theme as variables."""
    return " ".join(f"--st-{name}: {colour};" for name, colour in THEMES[theme].items())


#: Folder of the modules and style sheets that figures share.
SHARED = Path(__file__).parent

_IMPORT = re.compile(r'import \{ [\w$, ]+ \} from "([\w./]+\.js)";')


def joined(entry: Path) -> str:
    """Return a module and all that it imports as one, every module after those that it needs.

    The checks of ESLint and of TypeScript on the modules hold for the whole, too; a name that two
    of them define is a syntax error in the browser, and one of ``tests/ui/test_components.py``.
    """
    texts: dict[Path, str] = {}

    def collect(path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for line in lines:
            if statement := _IMPORT.match(line):
                imported = _imported_file(path, statement[1])
                if imported not in texts:
                    collect(imported)
        own = (re.sub("^export (?!default)", "", each) for each in lines if not _IMPORT.match(each))
        texts[path] = "".join(own)

    collect(entry.resolve())
    return "".join(texts.values())


def _imported_file(path: Path, name: str) -> Path:
    """Return the file that a module imports; the app's come from an installed package, too."""
    _, shared, rest = name.rpartition("zslcore/interactive/")
    return (SHARED / rest if shared else path.parent / name).resolve()


def styled(*sheets: Path) -> str:
    """Join style sheets; later rules win."""
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


WORD = 8


def packed(head: Mapping[str, Any], blocks: Iterable[bytes]) -> bytes:
    """Return everything as bytes: length of the head, head as JSON, arrays on words of 8.

    The head has no number that is infinite or missing; blocks are those of :func:`as_bytes`.
    """
    text = json.dumps(head, allow_nan=False).encode()
    out = bytearray(struct.pack("<I", len(text)) + text)
    for block in blocks:
        out += bytes(-len(out) % WORD) + block
    return bytes(out)


def as_bytes(array: np.ndarray, dtype: str) -> bytes:
    """Return the numbers of an array one after the other, in a type of NumPy's such as "<f8"."""
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
