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
from dataclasses import dataclass, field
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
    """What a component is mounted from: its HTML, style sheet and joined modules."""

    html: str
    css: str
    js: str


def one_file(
    parts: Parts, data: bytes, *, title: str, caption: str, made: str, theme: str = ""
) -> str:
    """Return a page that shows a figure of ``data``, packed as its script takes it.

    ``theme`` is "light" or "dark", by default as the reader's system has it.
    """
    body = (
        f"<h1>{escape(title)}</h1>\n<p>{escape(caption)}</p>\n{element(parts)}\n"
        f"<p><small>{escape(made)}</small></p>"
    )
    return page_of(body, title=title, style=parts.css, script=script_of(parts, data), theme=theme)


def page_of(body: str, *, title: str, style: str = "", script: str = "", theme: str = "") -> str:
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

_COMMENT = re.compile(r"\s*(//.*|(/\*|\*)((?!\*/).)*(\*/\s*)?)")
_IMPORT = re.compile(
    r"import \{ ([\w$]+(?:, [\w$]+)*) \} "
    r'from "(\.\.?/|(?:\.\./)+zslcore/interactive/)([\w.]+\.js)";'
)
_EXPORT = re.compile(r"export (default )?")
_DEFINED = re.compile(r"(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)")
_SEVERAL = re.compile(r"(?:const|let|var) [\[{]")
_OTHER = re.compile(r"\b(?:import|export)\b")


class ModuleError(ValueError):
    """A module that cannot be joined with others; the message says where and why."""


@dataclass(slots=True)
class _Module:
    name: str
    lines: list[str] = field(default_factory=list)
    imports: dict[Path, list[str]] = field(default_factory=dict)
    defined: list[str] = field(default_factory=list)
    exported: list[str] = field(default_factory=list)
    default: bool = False

    def take(self, line: str) -> None:
        """Sort one line in."""
        if _COMMENT.fullmatch(line):
            self.lines.append(line)
            return
        if found := _IMPORT.fullmatch(line):
            shared = found[2].endswith("/interactive/")
            where = SHARED / found[3] if shared else Path(found[2]) / found[3]
            self.imports.setdefault(where, []).extend(found[1].split(", "))
            return
        export = _EXPORT.match(line)
        rest = line[export.end() :] if export else line
        if _OTHER.search(rest) or _SEVERAL.match(rest):
            raise ModuleError(f"{self.name} cannot be joined with others: {line.strip()}")
        defined = _DEFINED.match(rest)
        if defined:
            self.defined.append(defined[1])
        if export and export[1]:
            self.default = True
            rest = line
        elif export:
            if not defined:
                raise ModuleError(f"{self.name} may export only what it defines there: {line}")
            self.exported.append(defined[1])
        self.lines.append(rest)


def joined(entry: Path) -> str:
    """Return a module with the default export and all that it imports as one, in the order of need.

    Raises ModuleError for any other form of import or export, imports of what is not exported or in
    a circle, and names defined twice.
    """
    modules: dict[Path, _Module] = {}
    _collect(entry.resolve(), modules, ())
    if [module.name for module in modules.values() if module.default] != [entry.name]:
        raise ModuleError(f"{entry.name}, and no other, must have a default export.")
    owners: dict[str, str] = {}
    for module in modules.values():
        for name in module.defined:
            if name in owners:
                raise ModuleError(f"{module.name} and {owners[name]} both define {name}.")
            owners[name] = module.name
    return "\n".join(line for module in modules.values() for line in module.lines) + "\n"


def styled(*sheets: Path) -> str:
    """Return style sheets as one; what a later one says of the same thing holds."""
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def _collect(path: Path, modules: dict[Path, _Module], above: tuple[Path, ...]) -> None:
    if path in above:
        circle = ", ".join(each.name for each in (*above, path))
        raise ModuleError(f"Modules import each other: {circle}.")
    if path in modules:
        return
    module = _Module(path.name)
    for line in path.read_text(encoding="utf-8").splitlines():
        module.take(line)
    for other, names in module.imports.items():
        where = (path.parent / other).resolve()
        _collect(where, modules, (*above, path))
        if missing := set(names) - set(modules[where].exported):
            raise ModuleError(f"{where.name} does not export {', '.join(sorted(missing))}.")
    modules[path] = module


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
