"""One thin file per command: the file's name is the command's, its first docstring line the summary in --help.

The list of commands is read from the first line of each file, and a command is imported only when it is called:
`--help` must stay quick.
"""

import importlib
from pathlib import Path

import click

import torchstone

_FOLDER = Path(__file__).parent


class CommandFolder(click.Group):
    """A group whose commands are the files of a folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem != "__init__")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"torchstone.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _summary(_FOLDER / f"{name}.py")) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _summary(path: Path) -> str:
    """The first line of a command's docstring, without importing the command."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')


@click.group(cls=CommandFolder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(torchstone.__version__, package_name="torchstone", message="%(prog)s %(version)s")
def torchstone_command() -> None:
    """What your hardware is worth for PyTorch: every number can be trusted, every limit is said out loud."""
