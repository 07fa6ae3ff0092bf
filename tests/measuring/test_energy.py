"""Energy: idle power off, the source named, and no figure without a counter."""

import pytest

from torchstone.backends import NoEnergyCounter
from torchstone.measuring.energy import _Timeline, measure_energy

IDLE_WATTS = 5.0
BUSY_WATTS = 35.0
CALL_S = 0.01


class Machine:
    """A machine whose time passes only when it waits or works, and whose counter follows."""

    source = "a counter made up for the test"

    def __init__(self) -> None:
        self.now_s = 0.0
        self.joules = 100.0

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        self.joules += IDLE_WATTS * seconds

    def work(self) -> None:
        self.now_s += CALL_S
        self.joules += BUSY_WATTS * CALL_S

    def read_joules(self) -> float:
        return self.joules


def test_idle_power_is_measured_and_taken_off() -> None:
    machine = Machine()
    timeline = _Timeline(now=lambda: machine.now_s, pause=machine.pause)
    found = measure_energy(machine.work, budget_s=2.0, counter=machine, timeline=timeline)
    assert found.unit == "J"
    assert found.samples == pytest.approx([(BUSY_WATTS - IDLE_WATTS) * CALL_S] * len(found.samples))
    assert found.facts["idle_watts"] == pytest.approx(IDLE_WATTS)
    assert found.facts["gross_joules_per_call"] == pytest.approx(BUSY_WATTS * CALL_S)
    assert found.facts["source"] == machine.source


def test_without_a_counter_there_is_no_figure() -> None:
    found = measure_energy(lambda: None, counter=NoEnergyCounter("no RAPL here"))
    assert found.samples == ()
    assert (found.status, found.reason) == ("skipped", "unavailable: no RAPL here")


def test_a_call_that_fails_is_a_status() -> None:
    found = measure_energy(lambda: 1 / 0, counter=Machine())
    assert found.status == "failed"
