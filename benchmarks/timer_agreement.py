"""Does our median agree with torch.utils.benchmark's on the same kernels?

Why: a new harness must first show that it does not invent numbers. Five kernels from about 20 µs to 50 ms, the same
thread count, our `measure` and `Timer.adaptive_autorange` taken in turns so that drift hits both; the figure is the
median over rounds of the ratio. The last line is one JSON document.

    python benchmarks/timer_agreement.py --rounds 15
"""

import argparse
import json
import random
import sys
from collections.abc import Callable
from functools import partial
from statistics import median

import torch
from torch.utils.benchmark import Timer

from torchstone.measuring.timing import measure

TOLERANCE = 0.03
THREADS = 1


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


def ours(call: Callable[[], torch.Tensor], budget_s: float) -> float:
    return median(measure(call, budget_s=budget_s).samples)


def theirs(call: Callable[[], torch.Tensor], budget_s: float) -> float:
    timer = Timer("call()", globals={"call": call}, num_threads=THREADS)
    return timer.adaptive_autorange(min_run_time=budget_s, max_run_time=2 * budget_s).median


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--budget", type=float, default=0.5, help="seconds a kernel and harness in each round")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    rows = {}
    for name, call in kernels().items():
        ratios = []
        seconds = 0.0
        for _ in range(options.rounds):
            found = {}
            harnesses = [("ours", ours), ("theirs", theirs)]
            random.shuffle(harnesses)
            for harness, ask in harnesses:
                found[harness] = ask(call, options.budget)
            ratios.append(found["ours"] / found["theirs"])
            seconds = found["theirs"]
        rows[name] = {"seconds": seconds, "ratio": median(ratios)}
        print(f"{name}: {seconds:.3g} s, ours over theirs {median(ratios):.4f}", file=sys.stderr)
    worst = max(abs(row["ratio"] - 1) for row in rows.values())
    print(json.dumps({"benchmark": "timer_agreement", "kernels": rows, "worst": worst, "within": worst <= TOLERANCE}))


if __name__ == "__main__":
    main()
