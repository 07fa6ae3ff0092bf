"""How often does a comparison cry wolf, and how often does it find a real 3 % change?

Why: a tool that finds differences between A and A is worse than none. Each trial compares a kernel of a few
milliseconds with itself, or with itself plus 3 % known extra work, in two ways side by side: torchstone's `compare`
(random-order pairs over 3 fresh processes), and what people do with torch.utils.benchmark (A, then B, then a
Mann-Whitney test at 5 % on the raw times), with the same time for both. The last line is one JSON document.

    python benchmarks/false_alarms.py --trials 100 --budget 4
"""

import argparse
import json
import sys
import time
from collections import Counter

from scipy.stats import mannwhitneyu

from torchstone.measuring.pairing import compare
from torchstone.measuring.selftest import UNITS, Work, choose_side
from torchstone.processes import ForkServer, Limits
from torchstone.records import Setup

PLANTED_UNITS = 3
ALPHA = 0.05
DIFFERENCES = ("faster", "slower")


def ask_torchstone(server: ForkServer, side: int, extra: int, budget_s: float) -> bool:
    """Whether torchstone declares a difference."""
    a, b = Work("cpu", side, UNITS), Work("cpu", side, UNITS + extra)
    found = compare(a, b, setup=Setup(threads=1), budget_s=budget_s, server=server)
    if found.ratio is None:
        raise RuntimeError(found.a.reason)
    return found.verdict in DIFFERENCES


def ask_torch_timer(server: ForkServer, side: int, extra: int, budget_s: float) -> bool:
    """Whether A-then-B with torch.utils.benchmark and a rank test declares a difference."""

    def time_a_then_b() -> tuple[list[float], list[float]]:
        from torch.utils.benchmark import Timer

        works = (Work("cpu", side, UNITS), Work("cpu", side, UNITS + extra))
        a, b = (
            Timer("work()", globals={"work": work}, num_threads=1).blocked_autorange(min_run_time=budget_s / 2).times
            for work in works
        )
        return a, b

    outcome = server.run(time_a_then_b, Limits(seconds=60 + 3 * budget_s))
    if outcome.ended != "returned":
        raise RuntimeError(outcome.detail)
    a, b = outcome.value
    return bool(mannwhitneyu(a, b).pvalue < ALPHA)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100, help="comparisons of each kind")
    parser.add_argument("--budget", type=float, default=4.0, help="seconds a comparison")
    options = parser.parse_args()
    side = choose_side("cpu")
    declared: Counter[str] = Counter()
    started = time.monotonic()
    ways = {"torchstone": ask_torchstone, "torch_timer": ask_torch_timer}
    with ForkServer() as server:
        for trial in range(options.trials):
            for kind, extra in (("same", 0), ("planted", PLANTED_UNITS)):
                for name, ask in ways.items():
                    declared[f"{name}_{kind}"] += ask(server, side, extra, options.budget)
            print(f"{trial + 1}/{options.trials} {dict(declared)} {time.monotonic() - started:.0f} s", file=sys.stderr)
    rates = {
        f"{name}_{word}": declared[f"{name}_{kind}"] / options.trials
        for name in ways
        for kind, word in (("same", "false_alarms"), ("planted", "found"))
    }
    print(json.dumps({"benchmark": "false_alarms", "trials": options.trials, "budget_s": options.budget, **rates}))


if __name__ == "__main__":
    main()
