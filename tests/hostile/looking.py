"""Faults of a page in a browser, for any input."""

from __future__ import annotations

import re
from typing import Any

#: Target of hostile links and images; it does not exist, and no page of the app names it.
FOREIGN = "192.0.2.1"
#: Variable that hostile scripts set.
CANARY = "__hit"

#: Names of exceptions, as Python prints them; "Error" alone is a word of the app.
_PYTHON = re.compile(r"Traceback|\b[A-Z]\w+(?:Error|Exception|Warning)\b")
#: Heading of the guard of a page after an exception.
_GUARD = "This page could not be shown to its end"

#: Everything on a page, including content of components.
_ALL = """
const all = [], texts = [], roots = [document.body];
while (roots.length) {
    const what = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
    const walk = document.createTreeWalker(roots.pop(), what);
    for (let node = walk.currentNode; node; node = walk.nextNode()) {
        if (node.shadowRoot) roots.push(node.shadowRoot);
        const hidden = ["SCRIPT", "STYLE"].includes(node.parentNode?.nodeName);
        if (node.nodeType !== Node.TEXT_NODE) all.push(node);
        else if (node.data.trim() && !hidden) texts.push(node.data);
    }
}
const away = url =>
    URL.canParse(url, location.href) && new URL(url, location.href).host === foreign;
"""
_SEEN = f"""([canary, foreign]) => {{ {_ALL}
return {{
    hit: canary in window,
    exceptions: all.filter(each => each.matches?.(".stException")).length,
    texts,
    links: all.filter(each => each.localName === "a")
        .map(a => a.href?.baseVal ?? a.href ?? "")
        .filter(href => away(href) || /^(javascript|data|vbscript):/i.test(href)),
    made: all.filter(each => ["img", "image", "iframe", "object", "embed"].includes(each.localName))
        .map(each => each.src || each.data || each.href?.baseVal || "").filter(away),
}} }}"""


def python_words(text: str) -> list[str]:
    """Return the parts of a text that come from Python, such as names of exceptions."""
    hits = _PYTHON.findall(text)
    return [*hits, _GUARD] if _GUARD in text else hits


class Watch:
    """Watches a browser window: its requests to other machines, and its content.

    Parameters
    ----------
    page : page of Playwright; requests to other machines are stopped and recorded

    Attributes
    ----------
    texts : all texts on the page at the last check
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.faults_seen: list[str] = []
        self.texts: list[str] = []
        page.on("dialog", self._dismiss)
        page.route(re.compile(rf"^\w+://{re.escape(FOREIGN)}\b"), self._stop)

    def _stop(self, route: Any) -> None:
        self.faults_seen.append(f"it asks for {route.request.url[:200]}")
        route.abort()

    def _dismiss(self, dialog: Any) -> None:
        self.faults_seen.append(f"a script has opened a dialog: {dialog.message[:200]}")
        dialog.dismiss()

    def faults(self) -> list[str]:
        """Return the faults of the page in its current state, as sentences."""
        seen = self.page.evaluate(_SEEN, [CANARY, FOREIGN])
        self.texts = seen["texts"]
        result, self.faults_seen = self.faults_seen, []
        if seen["hit"]:
            result.append("a script ran")
        if seen["exceptions"]:
            result.append("an exception is on the page")
        result += [f"it says {word!r}" for word in python_words("\n".join(self.texts))]
        result += [f"a link leads to {link[:200]}" for link in seen["links"]]
        return result + [f"it shows {source[:200]}" for source in seen["made"]]
