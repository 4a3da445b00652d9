"""Interactive figures as one HTML file without server or network.

The page contains the same component as the app. Its JavaScript modules are joined into one script,
here and in the app, since Streamlit serves several files of a component only for installed
packages. Modules are joined line by line, which sets three rules. An import statement is on one
line, and its file is in the same folder, the parent folder, or this folder. Exports are part of
definitions. A name is defined only once, since joined modules share one scope. Data are a JSON head
followed by arrays, which ``bytes.js`` reads.
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
from typing import Any, Self
from urllib.parse import quote

import numpy as np

#: Theme -> CSS variable -> colour, equal to the app's colours in .streamlit/config.toml.
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
#: Content security policy: the page runs its own script, and loads nothing.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)
#: Height in pixels of a figure with title and caption, at the width of a page.
HEIGHT = 1000


@dataclass(frozen=True, slots=True)
class Parts:
    """HTML, style sheet and joined modules of a component."""

    html: str
    css: str
    js: str

    @classmethod
    def of(cls, folder: Path, html: str = "", *shared: Path) -> Self:
        """Read the files of a component, which have the name of their folder.

        ``html`` replaces the HTML file of a component without one; ``shared`` are style sheets of
        other folders.
        """
        stem = folder / folder.name
        html = html or stem.with_suffix(".html").read_text(encoding="utf-8")
        css = join_styles(*shared, stem.with_suffix(".css"))
        return cls(html, css, join_modules(stem.with_suffix(".js")))

    @property
    def script(self) -> str:
        """The modules, with their default export as the function ``draw``."""
        return self.js.replace("export default function", "const draw = function", 1)


def one_file(
    parts: Parts, data: bytes, *, title: str, caption: str, footnote: str, theme: str = ""
) -> str:
    """Return a page with a figure; ``data`` are packed in the format that its script reads.

    ``theme`` is "light" or "dark", by default the theme of the reader's system.
    """
    body = (
        f"<h1>{escape(title)}</h1>\n<p>{escape(caption)}</p>\n{element(parts)}\n"
        f"<p><small>{escape(footnote)}</small></p>"
    )
    return html_page(body, title=title, style=parts.css, script=script_of(parts, data), theme=theme)


def html_page(body: str, *, title: str, style: str = "", script: str = "", theme: str = "") -> str:
    """Return a page that loads nothing; ``script`` is a JavaScript module.

    ``body`` is HTML in which the caller has escaped untrusted text. ``style`` can use the colours
    of the app as CSS variables.
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
    """Return the HTML element in which the module of :func:`script_of` draws."""
    return f'<div id="figure">{parts.html}</div>'


def script_of(parts: Parts, data: bytes) -> str:
    """Return the JavaScript module that draws a figure from packed data."""
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    return f"""
{parts.script}
const packed = Uint8Array.from(atob("{packed}"), (sign) => sign.charCodeAt(0));
const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const data = new Uint8Array(await new Response(plain).arrayBuffer());
draw({{ data, parentElement: document.getElementById("figure"), setStateValue() {{}} }});
"""


def frame_page(page: str, title: str, *, height: int = HEIGHT) -> str:
    """Return a page as a sandboxed frame for a notebook or another page.

    ``title`` is the text for screen readers; ``height`` is in pixels.
    """
    return (
        f'<iframe srcdoc="{escape(page)}" title="{escape(title)}" '
        f'sandbox="allow-scripts allow-downloads" width="100%" height="{height}" '
        'style="border: 0"></iframe>'
    )


def frame_line(file: str, title: str, *, height: int = HEIGHT) -> str:
    """Return the HTML line that shows a page on another page in the same folder.

    Parameters
    ----------
    file : file name of the page
    title : text for screen readers
    height : height of the frame in pixels

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
    """Return the colours of the app's light or dark theme as CSS variables."""
    return " ".join(f"--st-{name}: {colour};" for name, colour in THEMES[theme].items())


#: Folder of shared modules and style sheets.
SHARED = Path(__file__).parent

_IMPORT = re.compile(r'import \{ [\w$, ]+ \} from "([\w./]+\.js)";')


def join_modules(entry: Path) -> str:
    """Return a module joined with all modules that it imports, each after its imports.

    ESLint and TypeScript check the modules, not the joined text. A name defined in two modules is a
    syntax error in the browser, and fails ``tests/ui/test_components.py``.
    """
    texts: dict[Path, str] = {}

    def collect(path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for line in lines:
            if statement := _IMPORT.match(line):
                imported = _imported_file(path, statement[1])
                if imported not in texts:
                    collect(imported)
        body = (
            re.sub("^export (?!default)", "", line) for line in lines if not _IMPORT.match(line)
        )
        texts[path] = "".join(body)

    collect(entry.resolve())
    return "".join(texts.values())


def _imported_file(path: Path, name: str) -> Path:
    """Return the path of an imported file: in its folder, the parent folder, or this folder."""
    _, shared, shared_path = name.rpartition("zslcore/interactive/")
    return (SHARED / shared_path if shared else path.parent / name).resolve()


def join_styles(*sheets: Path) -> str:
    """Join style sheets; later rules have precedence."""
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


WORD = 8


def packed(head: Mapping[str, Any], blocks: Iterable[bytes]) -> bytes:
    """Return packed bytes: the length of the head, the head as JSON, and aligned arrays.

    Arrays start at multiples of 8 bytes. Numbers in the head must be finite; blocks are from
    :func:`as_bytes`.
    """
    text = json.dumps(head, allow_nan=False).encode()
    out = bytearray(struct.pack("<I", len(text)) + text)
    for block in blocks:
        out += bytes(-len(out) % WORD) + block
    return bytes(out)


def as_bytes(array: np.ndarray, dtype: str) -> bytes:
    """Return the bytes of an array in C order, in a NumPy type such as "<f8"."""
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
