"""The pretend device for every test of this folder, with its knobs at rest again after each."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

import torchstone.pretend as pretend

RunPython = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def device() -> Iterator[str]:
    """The name of the installed device."""
    pretend.install()
    yield "pretend"
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture
def run_python() -> RunPython:
    """Run a program in a fresh process: only one device can be installed in this one."""

    def run(program: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)

    return run
