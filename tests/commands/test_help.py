"""Every command: help that is quick, complete and free of torch; misuse that is a sentence; exit codes."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import torchstone
from torchstone import cli
from torchstone.experiments import experiment_names

COMMANDS = sorted(path for path in (Path(cli.__file__).parent / "commands").glob("*.py") if path.stem != "__init__")
SLOW_PACKAGES = {"torch", "numpy", "msgspec", "rich", "fsspec", "psutil"}


def run(*arguments: str, python: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *python, "-m", "torchstone", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def imported(importtime: str) -> set[str]:
    return {line.split("|")[-1].strip() for line in importtime.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize(
    "arguments",
    [(), *((path.stem,) for path in COMMANDS), *(("bench", name) for name in experiment_names())],
    ids=" ".join,
)
def test_help_imports_nothing_slow(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--help", python=("-X", "importtime"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(" ".join(("Usage: torchstone", *arguments)))
    assert "torchstone.cli" in imported(done.stderr)
    assert imported(done.stderr) & SLOW_PACKAGES == set()


def test_the_list_of_commands_is_the_folder() -> None:
    text = run("--help").stdout
    for path in COMMANDS:
        summary = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]
        assert re.search(rf"^  {path.stem} +{re.escape(summary[:40])}", text, re.MULTILINE), path.stem


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_every_command_explains_itself(path: Path) -> None:
    import importlib

    command: click.Command = importlib.import_module(f"torchstone.commands.{path.stem}").command
    module_summary = path.read_text(encoding="utf-8").splitlines()[0].strip('"')
    assert module_summary.endswith(".")
    assert (command.help or "").strip()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{path.stem} {parameter.opts}"


def test_no_arguments_show_the_help() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--help").stdout


def test_short_help() -> None:
    assert run("-h").stdout == run("--help").stdout


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"torchstone {torchstone.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("nonsense",), "No such command 'nonsense'", "`torchstone --help`"),
        (("--nonsense",), "No such option", "`torchstone --help`"),
        (("devices", "--nonsense"), "No such option", "`torchstone devices --help`"),
        (("devices", "extra"), "unexpected extra argument", "`torchstone devices --help`"),
        (("selftest", "--budget"), "requires an argument", "--help`"),
        *(
            (("selftest", "--budget", value), words, "`torchstone selftest --help`")
            for value, words in {
                "0": "0 seconds cannot be",
                "-1": "-1 seconds cannot be",
                "abc": "'abc' is not a number of seconds",
                "nan": "nan seconds cannot be",
                "inf": "inf seconds cannot be",
                "1e9": "1e9 seconds cannot be",
                " ": "' ' is not a number of seconds",
                "5s": "'5s' is not a number of seconds",
            }.items()
        ),
    ],
)
def test_misuse_is_a_sentence_with_a_hint(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
    hint: str,
) -> None:
    import warnings

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # run() sets its own; give it back afterwards
    assert cli.run(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.startswith("error: ")
    assert message in first
    assert second.startswith("hint: ")
    assert hint in second


def test_misuse_ends_the_program_with_2() -> None:
    done = run("selftest", "--budget", "abc")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", [UserWarning, RuntimeWarning])
def test_a_librarys_warning_is_one_line_with_its_kind(capsys: pytest.CaptureFixture[str], kind: type[Warning]) -> None:
    cli._show_warning("first line\nsecond line", kind, "file.py", 3)
    assert capsys.readouterr().err == f"warning ({kind.__name__}): first line\n"


def test_our_own_warning_is_a_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    from torchstone.store import RunFileWarning

    cli._show_warning(RunFileWarning("the last line is torn"), RunFileWarning, "file.py", 3)
    assert capsys.readouterr().err == "warning: the last line is torn\n"


@pytest.mark.parametrize("arguments", [("--help",), ("devices", "--no-probe")], ids=" ".join)
def test_a_reader_that_has_seen_enough(arguments: tuple[str, ...]) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "torchstone", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    program.stdout.close()
    program.stdout = None
    _, err = program.communicate()
    assert err == ""
