"""The measuring tests lean on the pretend accelerator: its true times, wrong results and leaks are known."""

import pytest
from tests.measuring.work_clock import WorkClock

import torchstone.pretend
from torchstone.pretend.clock import DeviceClock
from torchstone.pretend.machine import machine


@pytest.fixture
def steady_time(pretend_device: str, monkeypatch: pytest.MonkeyPatch) -> WorkClock:
    """A clock for the pretend device and for whoever times it, that no other program can disturb."""
    clock = WorkClock(tick_s=1e-6)
    monkeypatch.setattr(machine, "clock", DeviceClock(now=clock, sleep=clock.sleep))
    return clock


@pytest.fixture(scope="session")
def pretend_device() -> str:
    torchstone.pretend.install()
    return "pretend:0"
