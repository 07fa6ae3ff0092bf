"""A hang is told by what processes do, not by how long they take."""

import subprocess
import sys
import time

import pytest

from torchstone.learn.grading.stalls import LOOKS, StallWatch

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux's /proc")
READY = "import sys; print('ready', flush=True); "


def start(code: str) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([sys.executable, "-S", "-c", READY + code], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def end(*children: subprocess.Popen[bytes]) -> None:
    for child in children:
        child.kill()
        child.communicate()


def test_one_that_waits_is_stalled() -> None:
    child = start("sys.stdin.read()")
    watch = StallWatch()
    try:
        while not watch.look([child.pid]):  # the test's own time limit ends it
            time.sleep(0.001)
    finally:
        end(child)


def test_one_that_works_is_not() -> None:
    child = start("\nwhile True: pass")
    watch = StallWatch()
    try:
        assert not any(watch.look([child.pid]) for _ in range(4 * LOOKS))
    finally:
        end(child)


def test_all_of_them_must_wait() -> None:
    waiting, working = start("sys.stdin.read()"), start("\nwhile True: pass")
    watch = StallWatch()
    try:
        assert not any(watch.look([waiting.pid, working.pid]) for _ in range(4 * LOOKS))
    finally:
        end(waiting, working)
