"""A sweep that is stopped before its first verdict is still the last run."""

from pathlib import Path
from typing import NoReturn

from torchstone import backends
from torchstone.machine.environment import describe_environment
from torchstone.ops.atlas import Request, run_atlas
from torchstone.store import find_run, start_run


def stop(_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_a_run_that_was_begun_can_be_gone_on_with(tmp_path: Path) -> None:
    device = backends.find_device("cpu")[1]
    writer = start_run("ops", describe_environment(), (device,), str(tmp_path), ("abs", "--dtype=float32"))
    ended = run_atlas(Request(device, ("abs",), ("float32",), samples=1, jobs=1), writer, stop)
    assert isinstance(ended.interrupted, KeyboardInterrupt)
    assert ended.run.records == ()
    assert find_run("last", str(tmp_path)) == ended.url
