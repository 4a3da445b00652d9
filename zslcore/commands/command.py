"""Declare a command with its options, and print its output as text or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from zslcore.texts import strict_json


class Option(NamedTuple):
    """Option or argument, declared by its usage line."""

    usage: str
    text: str
    settings: dict[str, Any]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser or a group."""
        name, _, value = self.usage.partition(" ")
        settings = dict(self.settings)
        if value.startswith("{"):
            settings["choices"] = tuple(value.strip("{}").split(","))
        elif value:
            settings["metavar"] = value.strip("[.]")
            if value.startswith("["):
                settings["nargs"] = "?"
            elif value.endswith("..."):
                settings["nargs"] = "+"
        elif name.startswith("--"):
            settings["action"] = "store_true"
        parser.add_argument(name, help=self.text, **settings)


class OptionGroup(NamedTuple):
    """Options under a heading of the help; options without a heading exclude each other."""

    title: str
    options: tuple[Option, ...]

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the group with its options."""
        group: argparse._ActionsContainer
        if self.title:
            group = parser.add_argument_group(self.title)
        else:
            group = parser.add_mutually_exclusive_group()
        for option in self.options:
            option.add_to(group)


def worst_status(statuses: Iterable[int]) -> int:
    """Return the worst of several exit statuses: leaks, then errors, then open questions."""
    return min(statuses, key=(1, 2, 3, 0).index)


@dataclass(frozen=True)
class Command:
    """Function of a command with its options."""

    run: Callable[[argparse.Namespace], object]
    options: tuple[Option | OptionGroup, ...]

    def add_to(self, parser: argparse.ArgumentParser, description: str) -> None:
        """Add the options and the description."""
        parser.description = plain(description)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.set_defaults(run=self.run)
        for option in self.options:
            option.add_to(parser)


def plain(docstring: str) -> str:
    """Return a docstring as plain text, without the second colon before an example."""
    return docstring.replace("::\n", ":\n")


class Output(NamedTuple):
    """Output of a command: values for ``--json``, text otherwise, and the exit status.

    ``values`` and ``text`` may be functions, called only if their result is printed.
    """

    text: object
    values: object
    status: int = 0


def option(usage: str, text: str, **settings: Any) -> Option:
    """Declare an option: ``--json``, ``--seed N``, ``--dataset NAME...`` or ``--side {base,new}``.

    The usage of an argument is its name and its values: ``files FILE...``, ``name
    [NAME]``. ``text`` is the help; ``settings`` are passed to
    :meth:`argparse.ArgumentParser.add_argument`.
    """
    return Option(usage, text, settings)


def command(
    *options: Option | OptionGroup,
) -> Callable[[Callable[[argparse.Namespace], object]], Command]:
    """Return a decorator that makes a function the command with these options."""
    return lambda function: Command(function, options)


def print_output(output: Any, *, as_json: bool) -> int:
    """Print the output of a command, and return its exit status.

    ``output`` without values is printed as text even with ``as_json``; an exit status or None
    prints nothing.
    """
    if isinstance(output, int | None):
        return int(output or 0)
    if not isinstance(output, Output):
        output = Output(output, None)
    printed = output.values if as_json and output.values is not None else output.text
    printed = printed() if callable(printed) else printed
    if printed is not None:
        print(printed.removesuffix("\n") if isinstance(printed, str) else json_of(printed))
    return output.status


def json_of(value: Any) -> str:
    """Return values as indented JSON; a table has one object per row."""
    if hasattr(value, "to_json"):
        value = json.loads(value.to_json(orient="records", double_precision=15))
    return strict_json(value, ensure_ascii=False, indent=2)
