"""What the atlas costs on the CPU: every operator and dtype, beside PyTorch's own `@ops` machinery on the same pairs.

    python benchmarks/ops_sweep.py [--quick]

The atlas runs on two workers, forward with its float64 reference and backward; PyTorch's test class, instantiated for
the CPU, calls each operator on all of its samples once, as `test_ops.py` does at the least. CPU seconds are of all
processes. `--quick` takes every twelfth operator. The last line is JSON.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from torchstone.ops.atlas import PRELOAD, Request, make_runner
from torchstone.ops.catalog import all_operators
from torchstone.processes import ForkServer
from torchstone.records import Device, Finding, Line

EVERY = 12
PEER = """
import sys, unittest, torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops, OpDTypes
from torch.testing._internal.common_utils import TestCase

torch.set_num_threads(1)
names = set(sys.argv.pop(1).split())
chosen = [op for op in op_db if not names or op.name in names]

class TestAll(TestCase):
    @ops(chosen, dtypes=OpDTypes.supported)
    def test_forward(self, device, dtype, op):
        for sample in op.sample_inputs(device, dtype, requires_grad=False):
            op(sample.input, *sample.args, **sample.kwargs)

instantiate_device_type_tests(TestAll, globals(), only_for="cpu")
suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
result = unittest.TextTestRunner(verbosity=0, stream=open("/dev/null", "w")).run(suite)
print(result.testsRun, len(result.failures) + len(result.errors))
"""


def cpu_seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sweep(names: list[str]) -> dict[str, object]:
    """The atlas on the CPU: its verdicts and what it took."""
    device = Device(id="cpu", kind="cpu", vendor="", name="", memory_bytes=None, unified_memory=True)
    counts: Counter[str] = Counter()
    wrong: list[str] = []

    def keep(line: Line) -> None:
        if isinstance(line, Finding):
            counts[f"{line.facts['direction']} {line.verdict}"] += 1
            if line.level == "problem":
                wrong.append(f"{line.subject}: {line.evidence}")

    before, began = cpu_seconds_of_children(), time.monotonic()
    with ForkServer(PRELOAD) as server:
        make_runner(Request(device, tuple(names)), server, keep).run()
    took = cpu_seconds_of_children() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return {
        "verdicts": dict(counts),
        "wrong": wrong,
        "cpu_s": took,
        "wall_s": time.monotonic() - began,
        "peak_bytes": peak,
    }


def peer(names: list[str]) -> dict[str, object]:
    """PyTorch's own machinery, forward alone and without a reference."""
    before, began = cpu_seconds_of_children(), time.monotonic()
    script = Path(__file__).with_name("_peer_ops.py")
    script.write_text(PEER, encoding="utf-8")
    try:
        variables = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, str(script), " ".join(names)]
        done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    finally:
        script.unlink()
    ran, failed = done.stdout.split()[-2:] if done.stdout.split() else (None, done.stderr[-300:])
    took = cpu_seconds_of_children() - before
    return {"tests": ran, "failed": failed, "cpu_s": took, "wall_s": time.monotonic() - began}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    every = sorted({one.name for one in all_operators() if one.source == "OpInfo"})
    names = every[::EVERY] if chosen.quick else []
    print(json.dumps({"operators": len(names or every), "atlas": sweep(names), "pytorch_ops": peer(names)}))


if __name__ == "__main__":
    main()
