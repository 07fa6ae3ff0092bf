"""The command line: finds the commands in `commands/`, shows help, turns a UserError into a message and a code.

Exit codes: 0 fine, 1 the answer is no, 2 misuse, 130 interrupted. `--help` must stay quick, so the list of commands
is read from the first line of each file, and a command is imported only when it is called.
"""

import importlib
import io
import sys
import warnings
from pathlib import Path
from typing import Any, TextIO

import click

import torchstone
from torchstone.errors import UserError

_COMMANDS = Path(__file__).parent / "commands"
MISUSE = 2
INTERRUPTED = 130


class CommandFolder(click.Group):
    """A group whose commands are the files of a folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(path.stem for path in _COMMANDS.glob("*.py") if path.stem != "__init__")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"torchstone.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _summary(_COMMANDS / f"{name}.py")) for name in self.list_commands(ctx)]
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


def main(arguments: list[str] | None = None) -> None:
    """The entry point of the `torchstone` program."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a × that this terminal cannot show is no reason to end
    try:
        code: Any = torchstone_command.main(arguments, prog_name="torchstone", standalone_mode=False)
    except UserError as error:
        return _misuse(error.message, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _misuse(error.format_message(), _click_hint(error))
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough.
        sys.stderr.close()
        return 0
    return code if isinstance(code, int) else 0


def _misuse(message: str, hint: str) -> int:
    click.echo(f"error: {message}", err=True)
    click.echo(f"hint: {hint}", err=True)
    return MISUSE


def _click_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "torchstone"
    return f"`{path} --help` shows what can be given"


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Our own warnings as a line for people; a library's with its name, so that nobody takes it for ours."""
    own = category.__module__.startswith("torchstone")
    text = str(message).strip().splitlines()[0] if str(message).strip() else category.__name__
    click.echo(f"warning: {text}" if own else f"warning ({category.__name__}): {text}", err=True)
