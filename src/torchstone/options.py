"""What several commands share on the command line: their common options, and the one JSON document of `--json`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from torchstone.store import RunWriter

JSON_SCHEMA = "torchstone/1"
LONGEST_BUDGET_S = 7 * 24 * 3600.0
Function = TypeVar("Function", bound=Callable[..., object])


class Seconds(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.5 on
    """A positive, finite number of seconds."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        if not 0 < seconds <= LONGEST_BUDGET_S:
            self.fail(f"{value} seconds cannot be; give a positive number up to a week", param, ctx)
        return seconds


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number within bounds; `nan` and `inf` are none."""

    name = "number"

    def __init__(self, least: float, most: float) -> None:
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{value} is not between {self.least:g} and {self.most:g}", param, ctx)
        return number


def json_option(function: Function) -> Function:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")(function)


def device_option(function: Function) -> Function:
    text = "The device, such as cpu, mps, cuda:0 or vulkan. Default: the accelerator, or the CPU where there is none."
    return click.option("--device", metavar="NAME", default=None, help=text)(function)


def runs_option(function: Function) -> Function:
    text = "Folder or fsspec URL for run files. Default: TORCHSTONE_RUNS, or the user's data folder."
    return click.option("--runs", "runs_url", metavar="URL", default=None, help=text)(function)


def budget_option(default_s: float) -> Callable[[Function], Function]:
    return click.option(
        "--budget",
        "budget_s",
        metavar="SECONDS",
        type=Seconds(),
        default=default_s,
        show_default=True,
        help="How long it may take, about.",
    )


def tell_resumed(writer: "RunWriter") -> None:
    """Say which run is gone on with, and what it was asked for: `last` may be another than a person thinks."""
    run = writer.run
    asked = " ".join((run.command, *run.asked))
    click.echo(f"going on with {writer.url} (begun {run.started}: {asked})", err=True)


_printed: list[str] = []
"""The commands whose document is out."""


def has_printed() -> bool:
    return bool(_printed)


def print_json(command: str, **content: object) -> None:
    """One document on stdout. Values are what `msgspec.to_builtins` makes of records."""
    import json  # here, as `--help` needs none

    _printed.append(command)
    # ASCII alone, so that it is the same document under every encoding of stdout.
    click.echo(json.dumps({"schema": JSON_SCHEMA, "command": command, **content}, indent=2))
