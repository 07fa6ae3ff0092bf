"""What `program` forks is what a fresh start gives, and what a fork could hide is started anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Program

from forked_program import WarmPrograms, can_be_forked
from torchstone.processes import fork_is_safe
from torchstone.processes.python import NO_FORK_VARIABLE

forked = pytest.mark.skipif(not fork_is_safe(), reason="processes are started anew here")


@forked
@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--version",),
        ("nonsense",),
        ("bench", "--list"),
        ("ops", "diff", "one"),
        ("bench", "peak", "--budget", "0"),
    ],
    ids=" ".join,
)
def test_it_says_and_gives_what_a_fresh_start_does(program: Program, arguments: tuple[str, ...]) -> None:
    fresh = subprocess.run(
        [sys.executable, "-m", "torchstone", *arguments], capture_output=True, text=True, check=False
    )
    assert can_be_forked(arguments, {})
    done = program(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)


@forked
def test_environment_folder_and_path_are_those_of_the_call(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "wants.py").write_text("import os, torch\nprint(os.environ['SAID'], torch.get_num_threads())\n")
    (tmp_path / "random.py").write_text("raise SystemExit('taken from the folder')\n")
    monkeypatch.chdir(tmp_path)
    for threads in ("1", "2"):
        environment = {"SAID": "here", "OMP_NUM_THREADS": threads, "PYTHONPATH": str(packages)}
        assert can_be_forked((), environment)
        told = program("devices", "--no-probe", TORCHSTONE_IMPORT="wants", **environment)
        assert told.stdout.startswith(f"here {threads}\n"), told.stderr


@forked
def test_an_error_of_ours_keeps_its_traceback_and_its_code(program: Program, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "import click\n\n@click.command()\ndef command():\n    raise RuntimeError('a bug')\n"
    )
    done = program("bad", TORCHSTONE_COMMANDS=str(tmp_path))
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert done.stderr.endswith("RuntimeError: a bug\n")


@forked
def test_a_program_that_is_killed_or_hangs_is_no_answer(warm_programs: WarmPrograms, tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("import click, os\n\n@click.command()\ndef command():\n    os.abort()\n")
    (tmp_path / "hangs.py").write_text("import click, time\n\n@click.command()\ndef command():\n    time.sleep(600)\n")
    environment = {**os.environ, "TORCHSTONE_COMMANDS": str(tmp_path)}
    with pytest.raises(ChildProcessError, match="SIGABRT"):
        warm_programs.run(("dies",), environment, 60.0)
    with pytest.raises(subprocess.TimeoutExpired):
        warm_programs.run(("hangs",), environment, 0.5)


@pytest.mark.parametrize(
    "environment",
    [
        {NO_FORK_VARIABLE: "1"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTORCH_ENABLE_MPS_FALLBACK": "1"},
        {"LD_PRELOAD": "any"},
    ],
    ids="".join,
)
def test_what_is_read_at_the_start_is_started_anew(environment: dict[str, str]) -> None:
    assert not can_be_forked(("devices",), environment)


def test_a_module_of_the_path_that_is_loaded_already_is_started_anew(tmp_path: Path) -> None:
    assert can_be_forked((), {"PYTHONPATH": str(tmp_path)}) == fork_is_safe()
    (tmp_path / "torch.py").touch()
    assert not can_be_forked((), {"PYTHONPATH": str(tmp_path)})
    assert not can_be_forked(("bench", "--device", "vulkan"), {})
