"""One thin file per command: the file's name is the command's, its first docstring line the summary in --help.

The list of commands is read from the first line of each file, and a command is imported only when it is called:
`--help` must stay quick.
"""

import importlib
import os
from pathlib import Path

import click

import torchstone

FOLDER_VARIABLE = "TORCHSTONE_COMMANDS"
"""A folder of a person's own commands, beside ours; each file keeps to the same contract."""

if os.environ.get(FOLDER_VARIABLE):
    __path__.append(os.environ[FOLDER_VARIABLE])


class CommandFolder(click.Group):
    """A group whose commands are the files of the folders."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_files())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _load(cmd_name) if cmd_name in _files() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        files = _files()
        rows = [(name, _summary(files[name])) for name in sorted(files)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _files() -> dict[str, Path]:
    """By name; what is ours is not replaced by a file of the same name."""
    found: dict[str, Path] = {}
    for folder in __path__:
        for path in Path(folder).glob("*.py"):
            if path.stem != "__init__":
                found.setdefault(path.stem, path)
    return found


def _load(name: str) -> click.Command:
    module = importlib.import_module(f"{__name__}.{name}")
    command = getattr(module, "command", None)
    if isinstance(command, click.Command):
        return command
    from torchstone.errors import UserError

    raise UserError(
        f"the command {name} in {module.__file__} has no click command named `command`",
        "docs/extending.md says what a file of each kind offers",
    )


def _summary(path: Path) -> str:
    """The first line of a command's docstring, without importing the command."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(torchstone.__version__, package_name="torchstone", message="%(prog)s %(version)s")
def torchstone_command() -> None:
    """What your hardware is worth for PyTorch: every number can be trusted, every limit is said out loud."""
