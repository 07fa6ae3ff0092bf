"""What the tests share: skipping what a machine lacks, unless CI demands all; and running the program for real."""

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REQUIRE_ALL = os.environ.get("TORCHSTONE_REQUIRE_ALL") == "1"
_CHROMIUM = Path("/usr/bin/chromium")
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@functools.cache
def _why_no_vulkan() -> str | None:
    """Asked in another process: a process can hold one out-of-tree device only, and the tests use the pretend one."""
    code = "import torchvulkan, torch; assert torch.ones(2, device='vulkan').sum().item() == 2"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"no working Vulkan device: {done.stderr.strip()[-200:]}"


def _why_no_browser() -> str | None:
    return None if _CHROMIUM.exists() else "Debian's chromium is not installed"


def pytest_configure() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests on Ctrl-C need it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, why in (("vulkan", _why_no_vulkan), ("browser", _why_no_browser)):
        if item.get_closest_marker(marker) is None:
            continue
        reason = why()
        if reason is None:
            continue
        if REQUIRE_ALL:
            pytest.fail(f"CI must run this test, but {reason}")
        pytest.skip(reason)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Runs `torchstone …` as a person would, in a process of its own, with its runs in a temporary folder."""

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        variables = {**os.environ, "TORCHSTONE_RUNS": str(tmp_path / "runs"), **environment}
        command = [sys.executable, "-m", "torchstone", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=240, check=False)

    return run
