"""The command line: takes the signals over, runs a command, turns what goes wrong into a message and an exit code.

Exit codes: 0 fine, 1 the answer is no, 2 misuse, 128 plus the signal's number when interrupted (130 after Ctrl-C).
Until the signals are taken over this imports next to nothing, and nothing from the folder where it was called.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import click

MISUSE = 2
MESSAGE_LIMIT = 2_000
"""Characters: what a person or a library hands us may hold a whole tensor."""
SAFE_PATH_VARIABLE = "PYTHONSAFEPATH"


def main() -> None:
    """The entry point of the `torchstone` program."""
    _forget_the_current_folder()
    from torchstone import interrupting

    interrupting.install()
    interrupting.end(run())


def _forget_the_current_folder() -> None:
    """`python -m` puts it first on the path: a `random.py` there would be taken for Python's own, by us and by every
    Python that we start."""
    os.environ[SAFE_PATH_VARIABLE] = "1"
    if getattr(sys.flags, "safe_path", False) or not sys.path:
        return
    # Not with pathlib, which is yet to be imported.
    if sys.path[0] == "" or os.path.isdir(sys.path[0]):  # noqa: PTH112 - a zip file there may be the program itself
        del sys.path[0]
        sys.path.append(__file__[: -len("/torchstone/cli.py")])  # that may have been how we are found


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    from torchstone import interrupting

    try:
        code = _run_and_flush(arguments)
    except KeyboardInterrupt:
        _tell_of_nothing(sys.argv[1:] if arguments is None else arguments)
        _say("interrupted")
        interrupting.note_said()
        return interrupting.exit_code()
    except BaseException:
        if not interrupting.was_interrupted():
            raise
    # A signal that made something else fail on its way is still what ended us.
    return interrupting.exit_code() if interrupting.was_interrupted() else code


def _tell_of_nothing(arguments: list[str]) -> None:
    """`--json` promises one document: also of a command that was interrupted before it had anything to say."""
    if "--json" not in arguments:
        return
    try:
        from torchstone import options

        if not options.has_printed():
            options.print_json(next((word for word in arguments if not word.startswith("-")), ""), interrupted=True)
    except (Exception, KeyboardInterrupt):  # a closed pipe, another signal: the exit code says it as well
        _let_go_of_output()


def _run_and_flush(arguments: list[str] | None) -> int:
    try:
        code = _run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough.
        _let_go_of_output()
        return 0
    except OSError as error:  # what a disk or a terminal can refuse, wherever nobody could say it better
        _let_go_of_output()
        what = f"use {error.filename}" if error.filename else "write"
        return _misuse(f"cannot {what}: {error.strerror or error}", "check the path, its permissions and its disk")
    return code


def _run(arguments: list[str] | None) -> int:
    import warnings

    import click

    from torchstone.commands import torchstone_command
    from torchstone.errors import UserError

    if "" in (sys.argv if arguments is None else arguments)[1 if arguments is None else 0 :]:
        return _misuse("an argument is empty", "is it a variable of your shell that is not set?")
    warnings.showwarning = _show_warning
    _show_all_characters()
    _let_words_be_lost()
    if not {"-h", "--help"} & set(sys.argv if arguments is None else arguments):
        from torchstone.files import sweep_temporary_folders

        sweep_temporary_folders()
    output = sys.stdout
    try:
        code: object = torchstone_command.main(arguments, prog_name="torchstone", standalone_mode=False)
    except UserError as error:
        return _misuse(error.message, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _misuse(error.format_message(), _click_hint(error))
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:
        if sys.stdout is not output:  # click met a closed pipe: it wraps the stream, and its answer is 1
            raise BrokenPipeError from None
        raise
    return code if isinstance(code, int) else 0


def _show_all_characters() -> None:
    """A × that this terminal cannot show is no reason to end."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _let_words_be_lost() -> None:
    """A full disk behind stderr is no reason to end: what is measured counts for more than what is said meanwhile."""
    import io

    class Forgiving(io.TextIOWrapper):
        def write(self, text: str) -> int:
            try:
                return super().write(text)
            except BrokenPipeError:
                raise
            except OSError:
                return len(text)

        def flush(self) -> None:
            try:
                super().flush()
            except BrokenPipeError:
                raise
            except OSError:
                pass

    stream = sys.stderr
    if isinstance(stream, io.TextIOWrapper) and stream is sys.__stderr__:
        sys.stderr = Forgiving(stream.buffer, stream.encoding, "replace", line_buffering=True)


def _let_go_of_output() -> None:
    """Python writes what is left in its buffer when it ends, and would complain of the same again."""
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _misuse(message: str, hint: str) -> int:
    short = message if len(message) <= MESSAGE_LIMIT else f"{message[:MESSAGE_LIMIT]} …"
    _say(f"error: {short}")
    _say(f"hint: {hint}")
    return MISUSE


def _say(line: str) -> None:
    import contextlib

    import click

    with contextlib.suppress(OSError):  # nobody is there to read it
        click.echo(line, err=True)


def _click_hint(error: "click.ClickException") -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "torchstone"
    return f"`{path} --help` shows what can be given"


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: str | None = None,
) -> None:
    """Our own warnings as a line for people; a library's with its name, so that nobody takes it for ours."""
    own = category.__module__.startswith("torchstone")
    text = str(message).strip().splitlines()[0] if str(message).strip() else category.__name__
    _say(f"warning: {text}" if own else f"warning ({category.__name__}): {text}")
