"""What lies in the current folder is never imported by us: not in the program, its servers or its children."""

import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.processes import fork_is_safe, python, run_spawned

TRAP = "open('executed', 'w').close()\nraise RuntimeError('this file is the person\\'s, not ours')\n"
NAMES = ("random", "json", "torch", "socket", "pickle", "msgspec", "runpy", "selectors", "typing", "site")
PROGRAM = """
import sys
sys.path[:] = [place for place in sys.path if place]
from torchstone.processes import ForkServer, run_spawned
with ForkServer(preload=("json",)) as server:
    print(server.run(lambda: __import__("random").__file__).value)
print(run_spawned(lambda: __import__("random").__file__).value)
"""


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(TRAP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    return tmp_path


def test_a_child_does_not_see_the_current_folder(trapped: Path) -> None:
    outcome = run_spawned(lambda: __import__("random").__file__)
    assert outcome.ended == "returned", outcome.detail
    assert Path(outcome.value).parent != trapped
    assert not (trapped / "executed").exists()


def test_nor_do_a_server_and_its_children(trapped: Path) -> None:
    # -c puts the current folder first; the program takes it off as the command line does.
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert not (trapped / "executed").exists()


def test_the_current_folder_of_a_notebook_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/somewhere"])
    assert python.path_for_a_child() == ["/somewhere", str(tmp_path)]
    monkeypatch.setattr(sys, "path", ["/somewhere"])
    assert python.path_for_a_child() == ["/somewhere"]


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_spawned(lambda: 1).value == 1


@pytest.mark.parametrize(("value", "safe"), [(None, True), ("", True), ("0", True), ("1", False)])
def test_forking_can_be_forbidden(value: str | None, safe: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(python.NO_FORK_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    if value is not None:
        monkeypatch.setenv(python.NO_FORK_VARIABLE, value)
    assert fork_is_safe() is safe
