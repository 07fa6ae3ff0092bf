"""Is a leak of 1 KiB a call found and sized, and do leak-free workloads stay without alarm?

Why: a leak detector that cries wolf is switched off, and one that only says "memory grows" is no use. Leaks are
planted in the process (bytes kept in a list) and on the pretend device's allocator and driver; the 20 leak-free
workloads are ordinary PyTorch, half of them with shapes that vary. Each runs in a fresh process. The last line is one
JSON document.

    python benchmarks/leak_sizing.py
"""

import json
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from torchstone.measuring.leaks import find_leaks
from torchstone.processes import ForkServer, Limits

KIBIBYTE = 1024
WINDOWS = 24
CALLS_PER_WINDOW = 200
TOLERANCE = 0.2
LIMITS = Limits(seconds=600)
Found = dict[str, tuple[str, float | None]]


def verdicts(call: Callable[[int], Any], varied: Callable[[int], Any] | None = None, device: str = "cpu") -> Found:
    report = find_leaks(call, varied=varied, device=device, windows=WINDOWS, calls_per_window=CALLS_PER_WINDOW)
    failures = [one.reason for one in report.measurements if one.status == "failed"]
    if failures:
        raise RuntimeError(f"a workload failed: {failures[0]}")
    return {one.subject: (one.verdict, one.facts["bytes_per_1000_calls"]) for one in report.findings}  # type: ignore[misc]


def leak_in_the_process() -> Found:
    """Bytes objects of just the size that, with their header and the list's slot, takes 1 KiB from the allocator."""
    kept: list[bytes] = []
    payload = KIBIBYTE - sys.getsizeof(b"") - 8
    return verdicts(lambda number: kept.append(bytes([number % 255]) * payload))


def leak_on_the_device(driver_only: bool) -> Found:
    import torch

    import torchstone.pretend as pretend

    pretend.install()
    x = torch.ones(4, device="pretend")
    planted = frozenset({"aten::mul.Tensor"})
    with pretend.configure(leak_bytes_per_call=KIBIBYTE, leak_ops=planted, leak_driver_only=driver_only):
        return verdicts(lambda _: x * x, device="pretend")


def clean_workload(index: int, varied: bool) -> Found:
    """One of ten ordinary workloads, with one shape or with many."""
    import torch
    from torch import nn

    draw = random.Random(index)
    torch.manual_seed(index)

    def size(number: int) -> int:
        return draw.randrange(4, 64) if varied else 32

    linear, conv, norm = nn.Linear(32, 32), nn.Conv2d(3, 8, 3), nn.LayerNorm(32)
    recurrent = nn.GRU(32, 32, batch_first=True)
    optimizer = torch.optim.SGD(linear.parameters(), lr=1e-3)

    def train(number: int) -> None:
        optimizer.zero_grad()
        linear(torch.ones(size(number), 32)).sum().backward()
        optimizer.step()

    workloads: tuple[Callable[[int], Any], ...] = (
        lambda number: torch.randn(size(number), 100).sum(),
        lambda number: torch.ones(size(number), 64) @ torch.ones(64, size(number)),
        lambda number: linear(torch.ones(size(number), 32)),
        lambda number: conv(torch.ones(1, 3, size(number) + 3, 20)),
        lambda number: norm(torch.ones(size(number), 32)).softmax(-1),
        lambda number: torch.cat([torch.ones(size(number)), torch.ones(size(number))]).sort(),
        lambda number: torch.nn.functional.interpolate(torch.ones(1, 1, 16, 16), size=size(number)),
        lambda number: recurrent(torch.ones(1, size(number), 32)),
        train,
        lambda number: {str(key): torch.ones(size(number)) for key in range(5)},
    )
    call = workloads[index]
    return verdicts(call, varied=call if varied else None)


def main() -> None:
    with ForkServer() as server:

        def run(job: Callable[[], Found]) -> Found:
            outcome = server.run(job, LIMITS)
            if outcome.ended != "returned":
                raise RuntimeError(outcome.detail)
            found: Found = outcome.value
            return found

        sized = {
            "process": run(leak_in_the_process)["call: process, fixed shapes"],
            "device": run(partial(leak_on_the_device, False))["call: allocator, fixed shapes"],
            "driver": run(partial(leak_on_the_device, True))["call: driver, fixed shapes"],
        }
        print(f"planted 1 KiB a call: {sized}", file=sys.stderr)
        alarms = []
        for varied in (False, True):
            for index in range(10):
                found = run(partial(clean_workload, index, varied))
                alarms += [
                    f"{index} {varied} {subject}" for subject, (verdict, _) in found.items() if verdict == "leak"
                ]
                print(f"clean workload {index}, varied {varied}: {len(alarms)} alarms so far", file=sys.stderr)
    errors = {
        where: abs((size or 0) / (KIBIBYTE * 1000) - 1) if verdict == "leak" else None
        for where, (verdict, size) in sized.items()
    }
    within = all(error is not None and error <= TOLERANCE for error in errors.values()) and not alarms
    print(json.dumps({"benchmark": "leak_sizing", "size_errors": errors, "false_alarms": alarms, "within": within}))


if __name__ == "__main__":
    main()
