"""Code that does not end is ended, and told with the line at which it stood."""

import sys
import time
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from torchstone.checking import building, limiting
from torchstone.checking.limiting import place_in, run_limited
from torchstone.checking.trace import Place

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # no child could import the tests

STACK = """Timeout (0:00:02)!
Thread 0x00007f0000000001 (most recent call first):
  File "/home/me/other.py", line 3 in waits

Thread 0x00007f0000000002 (most recent call first):
  File "{torch}/nn/functional.py", line 40 in relu
  File "/home/me/mine.py", line 12 in forward
  File "/home/me/mine.py", line 30 in make
  File "{building}", line 25 in _load
"""


def test_the_line_is_that_of_the_first_thread_outside_torch() -> None:
    import torch

    torch_folder = str(Path(torch.__file__).parent)
    built = STACK.format(torch=torch_folder, building=building.__file__)
    assert place_in(built) == Place(phase="building", source="/home/me/mine.py:12")
    assert place_in(STACK.format(torch=torch_folder, building="x.py")).phase == "forward"
    assert place_in("") == Place()


def test_what_does_not_end_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("\nwhile True: pass\n", encoding="utf-8")
    outcome, place = run_limited(_Runs(str(path)), 5.0, Any)
    assert (outcome.ended, outcome.detail) == ("timed_out", "it had not ended after 5 s")
    assert place.source == f"{path}:2"


def test_what_ends_has_its_answer() -> None:
    outcome, _ = run_limited(lambda: 7, 60.0, int)
    assert (outcome.ended, outcome.value) == ("returned", 7)


def test_one_that_stops_its_own_clock_is_ended_by_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "START_S", 1.0)

    def waits() -> None:
        import faulthandler

        faulthandler.cancel_dump_traceback_later()
        time.sleep(1e6)

    outcome, place = run_limited(waits, 1.0, Any)
    assert (outcome.ended, place) == ("timed_out", Place())


class _Runs:
    """A file as a program."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self) -> None:
        exec(compile(Path(self._path).read_text(encoding="utf-8"), self._path, "exec"), {})
