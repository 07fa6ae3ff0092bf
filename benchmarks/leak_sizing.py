"""Are planted leaks found and sized, and do leak-free workloads stay without alarm?

Why: a leak detector that cries wolf is switched off, and one that only says "memory grows" is no use. Leaks are
planted in the process (1, 4, 10 and 100 KiB a call, kept between a layer's tensors of one shape or of four) and on the
pretend device's allocator and driver; long series and short ones, which memory freed before could hide. The interval
must hold the truth. The 20 leak-free workloads are ordinary PyTorch, half of them with shapes that vary. Each runs in a
fresh process. The last line is one JSON document.

    python benchmarks/leak_sizing.py
"""

import json
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from torchstone.experiments.leak import Size
from torchstone.measuring.floors import WARM_UP_WINDOWS
from torchstone.measuring.leaks import THRESHOLD_BYTES, find_leaks
from torchstone.processes import ForkServer, Limits
from torchstone.records import Finding

KIBIBYTE = 1024
WINDOWS = 24
CALLS_PER_WINDOW = 200
SHORT_WINDOWS, SHORT_CALLS = 12, 10
PLANTED_KIB = (1, 4, 10, 100)
PLANTED_SHORT_KIB = (10, 100)
"""A series of 120 calls needs 9 KiB a call for an alarm, in both halves: 10 KiB may be unclear, but never ok."""
TOLERANCE = 0.01
"""So far may the interval's ends be off: a footprint is counted in pages."""
SHORT_TOLERANCE = 0.03
"""Of a series of 1.2 MiB, 300 pages."""
HEAP_HEADER = 8
"""What glibc's malloc takes for each block."""
LIMITS = Limits(seconds=600)
Sized = tuple[str, float, float, float]
"""A verdict, and bytes per 1,000 calls: the estimate and its interval."""
Found = dict[str, Sized]


def verdicts(
    call: Callable[[int], Any],
    varied: Callable[[int], Any] | None = None,
    device: str = "cpu",
    windows: int = WINDOWS,
    calls_per_window: int = CALLS_PER_WINDOW,
    threshold_bytes: float = THRESHOLD_BYTES,
) -> Found:
    report = find_leaks(
        call,
        varied=varied,
        device=device,
        windows=windows,
        calls_per_window=calls_per_window,
        threshold_bytes=threshold_bytes,
    )
    failures = [one.reason for one in report.measurements if one.status == "failed"]
    if failures:
        raise RuntimeError(f"a workload failed: {failures[0]}")
    return {one.subject: sized(one) for one in report.findings}


def sized(finding: Finding) -> Sized:
    estimate, low, high = (float(finding.facts[name] or 0) for name in ("bytes_per_1000_calls", "low", "high"))
    return finding.verdict, estimate, low, high


def leak_in_the_process(kib: int, windows: int, calls_per_window: int) -> Found:
    """Bytes objects of just the size that takes so much from the heap, a layer's tensors between them."""
    import torch
    from torch import nn

    phases = 3
    kept: list[bytes | None] = [None] * (phases * (windows + WARM_UP_WINDOWS) * calls_per_window)
    payload = kib * KIBIBYTE - sys.getsizeof(b"") - HEAP_HEADER
    linear, rows = nn.Linear(64, 64), torch.ones(8, 64)
    free = iter(range(len(kept)))

    def call(number: int, times: int = 1) -> None:
        with torch.no_grad():
            x = torch.cat([rows] * times)
            kept[next(free)] = bytes([number % 255]) * payload
            linear(x)

    size = Size(windows, calls_per_window)
    return verdicts(
        call,
        varied=lambda number: call(number, 1 + number % 4),
        windows=windows,
        calls_per_window=calls_per_window,
        threshold_bytes=size.threshold_bytes,
    )


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

        leaks: dict[str, tuple[Sized, int, float]] = {
            "device": (run(partial(leak_on_the_device, False))["call: allocator, fixed shapes"], 1, TOLERANCE),
            "driver": (run(partial(leak_on_the_device, True))["call: driver, fixed shapes"], 1, TOLERANCE),
        }
        for kib, windows, calls, tolerance in (
            *((kib, WINDOWS, CALLS_PER_WINDOW, TOLERANCE) for kib in PLANTED_KIB),
            *((kib, SHORT_WINDOWS, SHORT_CALLS, SHORT_TOLERANCE) for kib in PLANTED_SHORT_KIB),
        ):
            for subject, found in run(partial(leak_in_the_process, kib, windows, calls)).items():
                leaks[f"{subject}, {kib} KiB, {windows * calls} calls"] = found, kib, tolerance
        for name, (found, kib, _) in leaks.items():
            told = ", ".join(f"{value / KIBIBYTE / 1000:.4g}" for value in found[1:])
            print(f"planted {kib} KiB a call, {name}: {found[0]}, {told} KiB", file=sys.stderr)
        alarms = []
        for varied in (False, True):
            for index in range(10):
                clean = run(partial(clean_workload, index, varied))
                alarms += [
                    f"{index} {varied} {subject}" for subject, (verdict, *_) in clean.items() if verdict == "leak"
                ]
                print(f"clean workload {index}, varied {varied}: {len(alarms)} alarms so far", file=sys.stderr)
    missed = [name for name, (found, kib, tolerance) in leaks.items() if not holds(found, kib, tolerance)]
    errors = {name: found[1] / (kib * KIBIBYTE * 1000) - 1 for name, (found, kib, _) in leaks.items()}
    result = {"benchmark": "leak_sizing", "size_errors": errors, "missed": missed, "false_alarms": alarms}
    print(json.dumps({**result, "within": not missed and not alarms}))


def holds(found: Sized, kib: int, tolerance: float) -> bool:
    """Whether it is called a leak, of a short series at least not ok, and the interval holds what was planted."""
    verdict, _, low, high = found
    truth = kib * KIBIBYTE * 1000
    is_told = verdict == "leak" or (tolerance == SHORT_TOLERANCE and verdict == "unclear")
    return is_told and low * (1 - tolerance) <= truth <= high * (1 + tolerance)


if __name__ == "__main__":
    main()
