"""Malformed addresses: ``python -m tests.hostile.addresses --count 800``; prints a table.

Every page, every choice that it reads from its address, and values that no choice has. They are
opened in Chromium, one after the other, on one server. No exception may be seen, no script may run,
nothing may be asked of another machine, and the server has to answer to the end.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.hostile.looking import CANARY, FOREIGN, Watch

__all__ = ["BY_HAND", "SHARED", "VALUES", "Address", "addresses", "bound", "parameters"]

ROOT = Path(__file__).parents[2]
#: Choices that pages share, in the address of each of them.
SHARED = ("dataset", "split", "method")
#: What pages read from the address by themselves, beside what their widgets are bound to.
BY_HAND: Mapping[str, Sequence[str]] = {
    "play": ("playground_gamma", "playground_ruler", "playground_value"),
    "lessons": ("lesson", "lessons_step", "lessons_shown", "room"),
    "map": ("awa1_lasso", "awa1_look", "awa1_image"),
    "gains": ("gain_class", "decisions"),
    "drop": ("decisions",),
    "contamination": ("decisions",),
}
_SCRIPT = f"window.{CANARY}=1"

#: Kind -> values as they stand in an address, after the equals sign.
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


@dataclass(frozen=True, slots=True)
class Address:
    """One malformed address.

    Attributes
    ----------
    page : "play", ...
    kind : of the value, a key of :data:`VALUES`, or "unknown" for names that nobody has
    query : what stands after the question mark
    """

    page: str
    kind: str
    query: str

    @property
    def path(self) -> str:
        """What stands after the server's name."""
        from tests.browser.reading import present  # which imports the app

        return present(f"/{self.page}?{self.query}")


def addresses(count: int, seed: int, choices: Mapping[str, Sequence[str]]) -> list[Address]:
    """Return ``count`` addresses, each page and each of its choices as often as any other.

    Parameters
    ----------
    count : how many
    seed : of the values that are drawn for a choice
    choices : page -> names of what it reads from its address
    """
    rng = random.Random(seed)
    turns = [(page, name) for page, names in choices.items() for name in names]
    turns += [(page, "") for page in choices]
    rng.shuffle(turns)
    kinds = list(VALUES)
    return [_one(*turns[n % len(turns)], kinds[n % len(kinds)], rng) for n in range(count)]


def _one(page: str, name: str, kind: str, rng: random.Random) -> Address:
    """Return an address with one malformed choice, or without a name with one that nobody knows."""
    value = rng.choice(VALUES[kind])
    if not name:
        name, kind = (
            rng.choice(("__class__", "%FF", "", "a" * 3000, "%3Cb%3E", "embed[]")),
            "unknown",
        )
    return Address(page, kind, f"{name}={value.replace('{key}', name)}")


# --- What a page reads from its address -----------------------------------------------------------


def parameters() -> dict[str, tuple[str, ...]]:
    """Return page -> names of what it reads from its address, on any of its tabs.

    What is drawn is asked; what is drawn only after a long run is found in the source.
    """
    from tests.pages import visit  # they import the app, which only this needs
    from ui import site_map

    found = {}
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "ui").rglob("*.py"))
    for page in (view.name for place in site_map.PAGES for view in place.views):
        app = visit(page)
        own = re.compile(rf'key="({page.split("_")[0]}_\w+)",\s+bind=')
        names = {*SHARED, *BY_HAND.get(page, ()), *bound(app), *own.findall(source)}
        for key, labels in _tabs(app):
            for label in labels[1:]:
                app.session_state[key] = label
                names |= bound(app.run())
        found[page] = tuple(sorted(names))
    return found


def bound(app: Any) -> set[str]:
    """Return the names of the choices on a page that are bound to its address."""
    return {key for key, _ in _bound(app._tree)}


def _bound(block: Any) -> Iterator[tuple[str, Any]]:
    for child in block.children.values():
        proto = getattr(child, "proto", None)
        for each in (proto, getattr(proto, "tab_container", None)):
            if key := getattr(each, "query_param_key", ""):
                yield key, child
        if hasattr(child, "children"):
            yield from _bound(child)


def _tabs(app: Any) -> list[tuple[str, list[str]]]:
    """Return key and labels of every row of tabs that follows the address."""
    return [
        (key, [tab.label for tab in child.children.values()])
        for key, child in _bound(app._tree)
        if child.type == "tab_container"
    ]


# --- The campaign ---------------------------------------------------------------------------------


def main() -> int:
    """Open what is asked for; return 1 where something failed, ran or was asked elsewhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time")
    args = parser.parse_args()
    asked = addresses(args.count, args.seed, parameters())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        opened, said = _open_all(asked, Path(folder), start + 60 * args.minutes)
    found = {address: faults for address, faults in opened.items() if faults}
    return _told(list(opened), found, said, time.monotonic() - start)


def _open_all(
    asked: Sequence[Address], folder: Path, end: float
) -> tuple[dict[Address, list[str]], list[str]]:
    """Return what was wrong with each address that was opened, and the exceptions in the log."""
    from playwright.sync_api import sync_playwright

    from benchmarks.serving import FLAGS, Server

    opened: dict[Address, list[str]] = {}
    server = Server(folder)
    try:
        server.wait()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch_persistent_context(
                folder / "chromium", executable_path="/usr/bin/chromium", args=FLAGS
            )
            browser.set_default_timeout(180_000)  # for states; a machine may have other work
            watch = Watch(browser.new_page())
            for each in asked:
                if time.monotonic() > end:
                    break
                if found := opened.setdefault(each, _opened(watch, server, each)):
                    sys.stderr.write(f"{len(opened)}: {each.path[:200]}: {'; '.join(found)}\n")
            browser.close()
        server.wait(30)  # it still answers
    finally:
        server.stop()
    log = Path(server.log.name).read_text(encoding="utf-8", errors="replace")
    return opened, re.findall(r"^\w*(?:Error|Exception)\b.*|^.*A page failed.*", log, re.MULTILINE)


def _opened(watch: Watch, server: Any, address: Address) -> list[str]:
    """Open an address, wait for it, and return what is wrong."""
    from playwright.sync_api import Error

    from tests.browser.reading import settle

    try:
        watch.page.goto(server.url + address.path, wait_until="commit")
        watch.page.locator("h1").first.wait_for()
        settle(watch.page)
        return watch.faults()
    except Error as error:
        return [f"it was not shown: {str(error).splitlines()[0]}", *watch.faults()]


def _told(
    asked: Sequence[Address],
    wrong: Mapping[Address, list[str]],
    said: Sequence[str],
    seconds: float,
) -> int:
    """Print the table and what is wrong."""
    write = sys.stdout.write
    opened, failed = Counter(each.kind for each in asked), Counter(each.kind for each in wrong)
    write(f"{'value':12} {'addresses':>10} {'wrong':>7}\n")
    for kind in opened:
        write(f"{kind:12} {opened[kind]:10,} {failed[kind]:7,}\n")
    pages = len({each.page for each in asked})
    write(
        f"{len(asked):,} addresses of {pages} pages in {seconds / 60:.0f} min: {len(wrong)} wrong, "
        f"{len(said)} exceptions in the log\n"
    )
    for each, found in list(wrong.items())[:20]:
        write(f"\n{each.path[:200]}\n    {'; '.join(found)}\n")
    for line in dict.fromkeys(said):
        write(f"{line[:300]}\n")
    return int(bool(wrong or said))


if __name__ == "__main__":
    sys.exit(main())
