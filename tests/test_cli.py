"""The program as a shell sees it: its path, its output, its exit codes where nobody can read what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from torchstone import cli

TRAP = "open('executed', 'w').close()\n"


def run(
    *arguments: str, shell: str = "", folder: Path | None = None, code: str = "-m torchstone"
) -> "subprocess.CompletedProcess[str]":
    line = f"{sys.executable} {code} {' '.join(arguments)} {shell}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.mark.parametrize("code", ["-m torchstone", "-c 'from torchstone.cli import main; main()'"])
def test_what_lies_in_the_current_folder_is_not_executed(tmp_path: Path, code: str) -> None:
    for name in ("random", "json", "torch", "click", "signal", "typing", "tempfile", "msgspec"):
        (tmp_path / f"{name}.py").write_text(TRAP)
    done = run("bench", "--list", "--json", folder=tmp_path, code=code)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("arguments", [("--help",), ("bench", "--list"), ("bench", "--list", "--json"), ()])
def test_a_closed_pipe_is_fine(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, shell="| true")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [("--help",), ("bench", "--list"), ("bench", "--list", "--json")])
def test_a_full_disk_is_a_sentence(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, shell="> /dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write: No space left on device\nhint: ")


@pytest.mark.parametrize("shell", ["2> /dev/full", "2>&-", "> /dev/full 2>&1", ">&- 2>&-"])
def test_nobody_hears_a_mistake(shell: str) -> None:
    assert run("nonsense", shell=shell).returncode == 2


def test_words_that_a_full_disk_does_not_take_stop_nothing() -> None:
    said = "for _ in range(9): print(9_000 * chr(43), file=sys.stderr)"
    code = f"-c 'import sys; from torchstone import cli; cli._let_words_be_lost()\n{said}\nprint(1)'"
    done = run(code=code, shell="2> /dev/full")
    assert (done.returncode, done.stdout) == (0, "1\n")


def test_a_closed_output() -> None:
    done = run("bench", "--list", shell=">&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("before", "documents"), [([], 1), (["bench"], 0)])
def test_an_early_interrupt_has_its_document_too(
    before: list[str], documents: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("torchstone.commands.torchstone_command.main", interrupt)
    monkeypatch.setattr("torchstone.options._printed", before)
    assert cli.run(["bench", "--json"]) == 130
    out = capsys.readouterr().out
    assert out.count('"interrupted": true') == documents


def test_a_long_message_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._misuse("x" * 100_000, "try less") == 2
    assert len(capsys.readouterr().err) < 2 * cli.MESSAGE_LIMIT


def test_what_the_system_refuses_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(arguments: object) -> int:
        raise OSError(36, "File name too long", "some/file")

    monkeypatch.setattr(cli, "_run", refuse)
    assert cli.run([]) == 2
    assert capsys.readouterr().err.startswith("error: cannot use some/file: File name too long\nhint: ")


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(arguments: object) -> int:
        raise ValueError("a bug")

    monkeypatch.setattr(cli, "_run", fail)
    with pytest.raises(ValueError, match="a bug"):
        cli.run([])


@pytest.mark.parametrize("arguments", [["report", ""], ["learn", "init", ""], ["bench", "--model", ""]])
def test_an_empty_argument_is_a_variable_that_is_not_set(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == 2
    assert "an argument is empty" in capsys.readouterr().err
