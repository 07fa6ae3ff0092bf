"""What the tests share: skipping what a machine lacks, unless CI demands all; and running the program for real."""

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.from_npm import NotInstalledError, npm_packages

from forked_program import WarmPrograms, can_be_forked

REQUIRE_ALL = os.environ.get("TORCHSTONE_REQUIRE_ALL") == "1"
_CHROMIUM = Path("/usr/bin/chromium")
LONGEST_S = 240.0
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@functools.cache
def _why_no_vulkan() -> str | None:
    """Asked in another process: a process can hold one out-of-tree device only, and the tests use the pretend one."""
    code = "import torchvulkan, torch; assert torch.ones(2, device='vulkan').sum().item() == 2"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"no working Vulkan device: {done.stderr.strip()[-200:]}"


def _why_no_browser() -> str | None:
    return None if _CHROMIUM.exists() else "Debian's chromium is not installed"


def _why_no_npm() -> str | None:
    try:
        npm_packages()
    except NotInstalledError as error:
        return str(error)
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="Write the golden files anew; then read `git diff`.")


def pytest_configure() -> None:
    """A shell starts background jobs with Ctrl-C ignored, and children inherit that; the tests on Ctrl-C need it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """The pretend device before anything else: torch's autograd counts the devices at its first backward pass, and one
    that comes later cannot compute gradients in that process."""
    from torchstone import pretend

    pretend.install()


def pytest_runtest_setup(item: pytest.Item) -> None:
    needs = (("vulkan", _why_no_vulkan), ("browser", _why_no_browser), ("npm", _why_no_npm))
    for marker, why in needs:
        if item.get_closest_marker(marker) is None:
            continue
        reason = why()
        if reason is None:
            continue
        if REQUIRE_ALL:
            pytest.fail(f"CI must run this test, but {reason}")
        pytest.skip(reason)


@pytest.fixture(autouse=True)
def process_as_found() -> Iterator[None]:
    """What runs in a worker process of its own in a real run leaves its switches set; here the next test shares it."""
    from tests.isolation import as_found

    with as_found():
        yield


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Small sums on many threads take longer, and the tests run side by side."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Holds a text to the one that was looked at and kept, or with `--regenerate` keeps this one."""

    def hold(kept: Path, text: str) -> None:
        if request.config.getoption("--regenerate"):
            kept.write_text(text, encoding="utf-8")
            pytest.skip(f"{kept.name} was written anew: read `git diff` before you commit it")
        assert text == kept.read_text(encoding="utf-8"), "if this is meant: pytest tests/report --regenerate"

    return hold


@pytest.fixture(scope="session")
def warm_programs() -> Iterator[WarmPrograms]:
    one = WarmPrograms()
    yield one
    one.close()


@pytest.fixture
def program(tmp_path: Path, warm_programs: WarmPrograms) -> Program:
    """Runs `torchstone …` as a person would, in a process of its own, with its runs in a temporary folder.

    Forked from one that has torch loaded, where a fresh start would do nothing else.
    """

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        variables = {**os.environ, "TORCHSTONE_RUNS": str(tmp_path / "runs"), **environment}
        if can_be_forked(arguments, environment):
            return warm_programs.run(arguments, variables, LONGEST_S)
        command = [sys.executable, "-m", "torchstone", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=LONGEST_S, check=False)

    return run
