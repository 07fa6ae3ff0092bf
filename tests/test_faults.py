"""A sample of `benchmarks/faults.py`: bad command lines, kills and signals leave nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "faults.py"


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_faults_leave_nothing_behind() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TORCHSTONE_NO_FORK"}
    command = [sys.executable, str(SCRIPT), "--quick"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["bad_lines"] == 60
    assert sum(found["hit"].values()) == 5
    # How late anything was is not asked: the machine may be busy.
    kinds = ("tracebacks", "survivors", "folders", "lost_records", "wrong_codes", "terminals")
    assert {kind: found[kind] for kind in kinds} == dict.fromkeys(kinds, 0), found["told"]
