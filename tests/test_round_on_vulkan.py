"""A quick round of everything on the real second device, which is a hundred times slower than the CPU.

What is asserted does not depend on how fast the machine is: each experiment says something of the device, nothing that
it says is without a status, and what could not be done says why.
"""

import json
import subprocess
import sys

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
    # A contest that was not begun for want of time is recorded under its baseline, the CPU.
    assert {one.name.split("/")[0] for one in run.measurements} == set(experiment_names())
    assert on_device
    assert {one.status for one in on_device} <= STATUSES, [one.reason for one in on_device if one.status == "failed"]
    assert all(one.reason for one in on_device if one.status != "ok")
    assert all(one.samples for one in on_device if one.status == "ok")


@pytest.mark.parametrize("experiment", ["images", "inference", "training"])
def test_the_small_case_that_comes_first_is_right(experiment: str) -> None:
    """Judged by the CPU in float64; skipped with its reason where the machine is too slow now, never wrong."""
    code = (
        "from torchstone.backends import find_device\n"
        "from torchstone.experiments import Plan, load_experiment\n"
        "from torchstone.scheduling.case import Turn\n"
        "plan = Plan(tuple(find_device(name)[1] for name in ('cpu', 'vulkan')))\n"
        f"case = next(iter(load_experiment({experiment!r}).cases(plan)))\n"
        "records = [one for one in case.run(Turn(5.0)) if one.setup.device == 'vulkan:0' and one.quantity == 'time']\n"
        "record = next(one for one in records if one.setup.dtype == 'float32')\n"
        "print(record.status, len(record.samples), record.reason)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    status, samples, reason = done.stdout.splitlines()[-1].split(maxsplit=2)
    assert status in ("ok", "skipped"), reason
    assert int(samples) > 0 or status == "skipped"
