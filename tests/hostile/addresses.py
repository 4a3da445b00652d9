"""Malformed addresses: choices in the address with invalid values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tests.hostile.looking import CANARY, FOREIGN

#: Choices that all pages share in their addresses.
SHARED = ("dataset", "split", "method")
#: Parameters that pages read from the address, in addition to those of their widgets.
BY_HAND: Mapping[str, Sequence[str]] = {
    "play": ("playground_gamma", "playground_ruler", "playground_value"),
    "lessons": ("lesson", "lessons_step", "lessons_shown", "room"),
    "map": ("awa1_lasso", "awa1_look", "awa1_image"),
    "gains": ("gain_class", "decisions"),
    "drop": ("decisions",),
    "contamination": ("decisions",),
}
_SCRIPT = f"window.{CANARY}=1"

#: Kind -> values as written in an address, after the equals sign.
VALUES: Mapping[str, Sequence[str]] = {
    "number": (
        *("nan", "-inf", "1e308", "1e-400", "-1", "9" * 20, "9" * 5000, "0x1F", "1_0", "1.5.2"),
        *(quote("٣"), quote("²"), "true", "2026-13-45", "0000-00-00", "99999-01-01"),
    ),
    "structure": (
        *("", "%20", ",,", "null", "%5B%5D", "%7B%7D", "%5B" * 3000, "%7B%22a%22:%5B1%5D%7D"),
        *("1.2.3.4", "a:b:c", "%7B%22digits%22:%7B%22imagenet-1k%22:7%7D%7D", "digits,digits"),
    ),
    "script": (
        quote(f"<script>{_SCRIPT}</script>"),
        quote(f'"><img src=x onerror={_SCRIPT}>'),
        quote(f"<svg/onload={_SCRIPT}>"),
        quote(f"javascript:{_SCRIPT}"),
    ),
    "markdown": (
        quote(f"[x](http://{FOREIGN}/)"),
        quote(f"![x](http://{FOREIGN}/a.png)"),
        quote(f"<http://{FOREIGN}/>"),
        quote("$\\frac{1}{0}$ :red[x] :material/home: **b** `c`"),
    ),
    "bytes": (
        *("%00", "%0A%0D%1B%5B2J", "%FF%FE", "%C0%AF", "%ED%A0%80", "%", "%zz", "%F4%90%80%80"),
        *(quote("\u202egnp.exe"), quote("\u200b"), quote("\ufffe\U0010ffff"), quote("\u0000x")),
    ),
    "name": (
        *("..%2F..%2Fetc%2Fpasswd", "%27;%20DROP%20TABLE%20runs;%20--", "%7B0.__class__%7D"),
        *("__proto__", "constructor", "%25s%25n", "file:///etc/passwd", "CON", "~", "nobody"),
    ),
    "long": (
        "x" * 4000,
        quote("\u202e" * 500),
        "a%20" * 1000,
        "%26amp;" * 500,
        ",".join("ab" * 900),
    ),
    "twice": ("1&{key}=2", "digits&{key}=%FF&{key}=", "nan&{key}[]=1&{key}[a]=2"),
}


def bound(app: Any) -> set[str]:
    """Return the names of a page's choices that are bound to its address."""
    return {key for key, _ in _bound(app._tree)}


def _bound(block: Any) -> Iterator[tuple[str, Any]]:
    for child in block.children.values():
        proto = getattr(child, "proto", None)
        for item in (proto, getattr(proto, "tab_container", None)):
            if key := getattr(item, "query_param_key", ""):
                yield key, child
        if hasattr(child, "children"):
            yield from _bound(child)
