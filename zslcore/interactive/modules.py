"""JavaScript modules of an interactive figure, joined into one.

A page of its own has one script, and Streamlit serves several files of a component only for
installed packages. So modules are limited to what can be joined line by line: imports of names from
files of the same folder, of its parent, or of this folder, each on one line; exports where
something is defined; no name defined twice, since joined modules share one scope.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

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
