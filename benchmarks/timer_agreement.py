"""Does our median agree with torch.utils.benchmark's on the same kernels?

Why: a new harness must first show that it does not invent numbers. Five kernels from about 20 µs to 50 ms, the same
thread count; in each round `Timer.adaptive_autorange`, our `measure`, and the first again, so that drift hits both; the
figure is the median over rounds of the ratio. The last line is one JSON document.

A short kernel is timed in samples of many calls. Ours last about 1 ms, so that most have no interruption in them and
their median leaves interruptions out; torch's timer takes the next power of ten of calls (25 ms of the shortest kernel
here), so that each has its share. The ratio that must agree is therefore taken at their number of calls; the one at our
own is printed beside it, and falls below 1 by as much as the machine is interrupted.

    python benchmarks/timer_agreement.py --rounds 15
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Callable
from functools import partial
from statistics import median

import torch
from torch.utils.benchmark import Measurement, Timer

from torchstone.measuring.timing import measure

TOLERANCE = 0.03
THREADS = 1
LEAST_SAMPLES = 30
"""Of the longest kernel, in each median."""
Row = dict[str, float]


def kernels() -> dict[str, Callable[[], torch.Tensor]]:
    """Five kernels, a factor of about seven apart."""
    vector = torch.ones(120_000)
    image = torch.ones(1, 16, 56, 56)
    weight = torch.ones(16, 16, 3, 3)
    sides = {name: torch.eye(side) for name, side in (("matmul_256", 256), ("matmul_640", 640), ("matmul_1560", 1560))}
    return {
        "exp_120k": lambda: vector.exp(),
        "conv2d_56": lambda: torch.conv2d(image, weight),
        **{name: partial(torch.matmul, matrix, matrix) for name, matrix in sides.items()},
    }


def torch_timer(call: Callable[[], torch.Tensor], budget_s: float) -> Measurement:
    timer = Timer("call()", globals={"call": call}, num_threads=THREADS)
    return timer.adaptive_autorange(min_run_time=budget_s, max_run_time=2 * budget_s)


def compare_timers(call: Callable[[], torch.Tensor], rounds: int, budget_s: float) -> Row:
    """The medians over the rounds of ours over theirs, which is taken before and after."""
    found: dict[str, list[float]] = {"seconds": [], "ratio": [], "ratio_by_default": [], "theirs_over_theirs": []}
    for _ in range(rounds):
        before = torch_timer(call, budget_s)
        ours = {"ratio": before.number_per_run, "ratio_by_default": None}
        medians = {
            way: median(measure(call, budget_s=budget_s, calls_per_sample=ours[way]).samples)
            for way in random.sample(sorted(ours), len(ours))
        }
        after = torch_timer(call, budget_s)
        theirs = math.sqrt(before.median * after.median)
        found["seconds"].append(theirs)
        found["theirs_over_theirs"].append(after.median / before.median)
        for way, seconds in medians.items():
            found[way].append(seconds / theirs)
    return {what: median(values) for what, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--budget", type=float, default=0.5, help="seconds of each timer in each round, at least")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    rows: dict[str, Row] = {}
    for name, call in kernels().items():
        budget_s = max(options.budget, LEAST_SAMPLES * torch_timer(call, options.budget).median)
        row = rows[name] = compare_timers(call, options.rounds, budget_s)
        print(
            f"{name}: {row['seconds']:.3g} s, ours over theirs {row['ratio']:.4f} with as many calls a sample, "
            f"{row['ratio_by_default']:.4f} with our own number; theirs over theirs {row['theirs_over_theirs']:.4f}",
            file=sys.stderr,
        )
    worst = max(abs(row["ratio"] - 1) for row in rows.values())
    worst_by_default = max(abs(row["ratio_by_default"] - 1) for row in rows.values())
    found = {"worst": worst, "worst_by_default": worst_by_default, "within": worst <= TOLERANCE}
    print(json.dumps({"benchmark": "timer_agreement", "kernels": rows, **found}))


if __name__ == "__main__":
    main()
