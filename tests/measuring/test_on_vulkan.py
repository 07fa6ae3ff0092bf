"""The real second device: torchvulkan on Mesa's lavapipe, through the generic backend, each in its own process."""

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.vulkan


def in_fresh_python(code: str) -> dict[str, Any]:
    """A process can hold one out-of-tree device only, and this one may hold the pretend device already."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_measure_synchronizes_and_audits() -> None:
    answer = in_fresh_python(
        "import json, torchstone as ts\n"
        "ts.devices('vulkan')\n"
        "import torch\n"
        "x = torch.ones(64, 64, device='vulkan')\n"
        "m = ts.measure(lambda: x @ x, device='vulkan', budget_s=0.5)\n"
        "print(json.dumps({'status': m.status, 'device': m.setup.device, 'n': len(m.samples), 'audit': list(m.audit)}))"
    )
    assert answer["status"] == "ok"
    assert answer["device"] == "vulkan:0"
    assert {"none", "readback", "synchronize"} <= set(answer["audit"])


def test_compare_tells_ten_times_the_work_apart_over_fresh_processes() -> None:
    answer = in_fresh_python(
        "import json, torchstone as ts\n"
        "from torchstone.measuring.selftest import Work\n"
        "c = ts.compare(Work('vulkan:0', 64, 1), Work('vulkan:0', 64, 10), device='vulkan', processes=2, budget_s=2)\n"
        "print(json.dumps({'verdict': c.verdict, 'processes': len(c.process_ratios), 'reason': c.a.reason}))"
    )
    assert answer == {"verdict": "slower", "processes": 2, "reason": None}


def test_memory_comes_from_the_devices_own_counters() -> None:
    answer = in_fresh_python(
        "import json, torchstone as ts\n"
        "ts.devices('vulkan')\n"
        "import torch\n"
        "from torchstone.measuring.memory import measure_peak_memory\n"
        "peaks = measure_peak_memory(lambda: torch.ones(1 << 20, device='vulkan'), device='vulkan')\n"
        "print(json.dumps({p.facts['series']: [p.status, p.samples] for p in peaks}))"
    )
    status, samples = answer["allocator"]
    assert status == "ok"
    assert samples[0] >= 4 << 20
