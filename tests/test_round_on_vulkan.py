"""A quick round of everything on the real second device, which is a hundred times slower than the CPU.

What is asserted does not depend on how fast the machine is: each experiment says something of the device, nothing that
it says is without a status, and what could not be done says why.
"""

import json

import pytest
from tests.conftest import Program

from torchstone.experiments import experiment_names
from torchstone.store import read_run

pytestmark = pytest.mark.vulkan
BUDGET_S = "20"
STATUSES = {"ok", "unsupported", "out_of_memory", "wrong", "skipped"}


def test_every_experiment_says_something_of_the_device(program: Program) -> None:
    done = program("bench", "--device", "vulkan", "--budget", BUDGET_S, "--json")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    run = read_run(json.loads(done.stdout)["run"])
    assert [device.id for device in run.devices] == ["cpu", "vulkan:0"]
    on_device = [one for one in run.measurements if one.setup.device == "vulkan:0"]
    assert {one.name.split("/")[0] for one in on_device} == set(experiment_names())
    assert {one.status for one in on_device} <= STATUSES, [one.reason for one in on_device if one.status == "failed"]
    assert all(one.reason for one in on_device if one.status != "ok")
    assert all(one.samples for one in on_device if one.status == "ok")


def test_what_runs_on_the_device_is_right_and_set_against_the_cpu(program: Program) -> None:
    """Transfers are quick even there: with enough seconds, some are measured on any machine."""
    done = program("bench", "transfer", "--device", "vulkan", "--budget", "24", "--json")
    assert done.returncode == 0, done.stderr
    run = read_run(json.loads(done.stdout)["run"])
    timed = {one.setup.device for one in run.measurements if one.status == "ok" and one.samples}
    assert timed == {"cpu", "vulkan:0"}
