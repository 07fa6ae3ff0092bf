"""How often does a contest cry wolf, which changes does it find, and in how many rounds?

Why: a tool that finds differences between A and A is worse than none, and one that looks after every round has many
occasions to. Each trial is a fresh process with a kernel of a few milliseconds, set against itself or against itself
with 1 %, 2.5 % or 5 % known extra work, in three ways one after the other:

    contest      rounds by lot, looked at after each, until decided; at most as many rounds as the pairs
    pairs        what torchstone did before: a fixed number of pairs by lot, one exact interval at the end, 0.5 % margin
    torch_timer  what people do with torch.utils.benchmark: A, then B, each for half of the pairs' time, then a
                 Mann-Whitney test at 5 % on the raw times

The last line is one JSON document.

    python benchmarks/contests.py            # about 20 minutes
    python benchmarks/contests.py --quick    # a minute or two: shows that it works, its shares mean little
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from scipy.stats import mannwhitneyu

from torchstone import stats
from torchstone.measuring.contest import Contest
from torchstone.measuring.rivals import Rival
from torchstone.processes import ForkServer, Limits

UNITS = 200
"""A's work in units, so that one more is half a percent."""
PLANTED = {"planted_1": 2, "planted_2.5": 5, "planted_5": 10}
"""Units of extra work."""
SIDE = 64
"""Of the matrices; a product takes some 10 µs, the kernel 2 ms."""
ALPHA = 0.05
DIFFERENCES = ("faster", "slower")

Found = dict[str, Any]
"""A verdict, and the rounds and seconds that it took."""


def make_pair(extra: int) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A and B in this process, on the same memory: nothing but the work differs."""
    import torch

    torch.set_num_threads(1)
    matrix = torch.eye(SIDE)

    def work(units: int) -> Any:
        result = matrix
        for _ in range(units):
            result = result @ matrix
        return result

    return partial(work, UNITS), partial(work, UNITS + extra)


def hold_contest(extra: int, rounds: int) -> Found:
    a, b = make_pair(extra)
    found = Contest([Rival("a", a), Rival("b", b)]).run(most_rounds=rounds)
    return {"verdict": found["b"].verdict, "rounds": found.rounds}


def time_pairs(extra: int, rounds: int) -> Found:
    """The design before contests: all pairs are taken, then one look."""
    calls = make_pair(extra)
    ratios = []
    for call in calls * 4:
        call()
    for _ in range(rounds):
        seconds = {}
        for which in random.sample((0, 1), 2):
            started = time.perf_counter()
            calls[which]()
            seconds[which] = time.perf_counter() - started
        ratios.append(seconds[1] / seconds[0])
    interval = stats.quantile_interval(ratios)
    verdict = "unclear" if interval is None else stats.verdict_of(interval.low, interval.high)
    return {"verdict": verdict, "rounds": rounds}


def time_a_then_b(extra: int, rounds: int) -> Found:
    """As long as the pairs take, and the test that people use."""
    from torch.utils.benchmark import Timer

    calls = make_pair(extra)
    started = time.perf_counter()
    calls[0]()
    seconds = rounds * (time.perf_counter() - started)
    a, b = (
        Timer("call()", globals={"call": call}, num_threads=1).blocked_autorange(min_run_time=seconds).times
        for call in calls
    )
    differ = mannwhitneyu(a, b).pvalue < ALPHA
    slower = statistics.median(b) > statistics.median(a)
    return {"verdict": ("slower" if slower else "faster") if differ else "unclear", "rounds": len(a)}


WAYS = {"contest": hold_contest, "pairs": time_pairs, "torch_timer": time_a_then_b}


def run_trial(server: ForkServer, way: str, extra: int, rounds: int) -> Found:
    outcome = server.run(partial(WAYS[way], extra, rounds), Limits(seconds=300))
    if outcome.ended != "returned":
        raise RuntimeError(outcome.detail)
    return {**outcome.value, "seconds": outcome.seconds}


def sum_up(kind: str, found: list[Found]) -> dict[str, float]:
    """Of alike rivals the share of alarms, of planted changes the share found; and what it took."""
    verdicts = [one["verdict"] for one in found]
    shares = {verdict: verdicts.count(verdict) / len(verdicts) for verdict in ("slower", "faster", "same", "unclear")}
    counted = {"alarms": shares["slower"] + shares["faster"]} if kind == "alike" else {"found": shares["slower"]}
    medians = {f"median_{what}": statistics.median(one[what] for one in found) for what in ("rounds", "seconds")}
    return {**counted, "same": shares["same"], **medians}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alike", type=int, default=120, help="trials of A against A")
    parser.add_argument("--planted", type=int, default=40, help="trials of each planted change")
    parser.add_argument("--rounds", type=int, default=200, help="most rounds of a contest, and number of pairs")
    parser.add_argument("--quick", action="store_true", help="10 and 5 trials of 60 rounds")
    options = parser.parse_args()
    alike, planted, rounds = (10, 5, 60) if options.quick else (options.alike, options.planted, options.rounds)
    started = time.monotonic()
    summary: dict[str, dict[str, dict[str, float]]] = {}
    with ForkServer() as server:
        for kind, extra in {"alike": 0, **PLANTED}.items():
            found: dict[str, list[Found]] = {way: [] for way in WAYS}
            for _ in range(alike if kind == "alike" else planted):
                for way in WAYS:
                    found[way].append(run_trial(server, way, extra, rounds))
            summary[kind] = {way: sum_up(kind, trials) for way, trials in found.items()}
            print(f"{kind}: {summary[kind]}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    trials = {"alike_trials": alike, "planted_trials": planted, "most_rounds": rounds}
    print(json.dumps({"benchmark": "contests", **trials, **summary}))


if __name__ == "__main__":
    main()
