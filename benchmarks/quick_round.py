"""How much does a quick round decide? `bench --budget 180` on the CPU, twice: the share of comparisons decided, whether
both rounds agree in what both declare, and how busy the machine was.

    python benchmarks/quick_round.py [--quick] [--budget 180] [--rounds 2] [--busy 2]

The last line is one JSON document.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from torchstone.records import Measurement, Run
from torchstone.report.speedups import plain_of
from torchstone.stats import PairedRatio, paired_ratio
from torchstone.store import read_run

Row = tuple[str, str]
COMPARED = ("images/", "inference/", "training/")
"""What is a contest: of these a case that was skipped for want of time counts as undecided."""


def run_round(budget_s: float, folder: Path, experiments: Iterable[str]) -> Run:
    """One round as a person would run it."""
    command = [sys.executable, "-m", "torchstone", "bench", *experiments, "--device", "cpu"]
    command += ["--budget", f"{budget_s:g}", "--runs", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    if done.returncode:
        raise SystemExit(f"bench ended with {done.returncode}: {done.stderr[-2000:]}")
    return read_run(json.loads(done.stdout)["run"])


@contextmanager
def kept_busy(processes: int) -> Iterator[None]:
    """Others that compute all the time."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(10**6))"]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def comparisons(run: Run) -> dict[Row, PairedRatio | None]:
    """Every rival against the plain CPU of its contest; None where one of the two has no samples."""
    contests: dict[str, list[Measurement]] = {}
    for one in run.measurements:
        is_compared = one.contest is not None or (one.status == "skipped" and one.name.startswith(COMPARED))
        if one.quantity == "time" and is_compared:
            contests.setdefault(one.contest or one.name, []).append(one)
    found: dict[Row, PairedRatio | None] = {}
    for name, rivals in contests.items():
        timed = [one for one in rivals if one.samples and one.status == "ok"]
        baseline = plain_of(timed) or (timed[0] if timed else None)
        for rival in rivals:
            if rival is not baseline:
                key = (name, rival.setup.key)
                usable = baseline is not None and rival.samples and rival.status in ("ok", "wrong")
                found[key] = paired_ratio(baseline.samples, rival.samples) if usable and baseline else None
    return found


def verdict_words(ratio: PairedRatio | None) -> str:
    """With the interval, for who wants to know why a row is undecided or two rounds differ."""
    if ratio is None or ratio.interval is None:
        return "unclear" if ratio is None else f"unclear in {ratio.rounds} rounds"
    return f"{ratio.verdict} {ratio.interval.low:.3f}–{ratio.interval.high:.3f} in {ratio.rounds} rounds"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="One round of 60 s, of images and inference.")
    parser.add_argument("--budget", type=float, default=180.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--busy", type=int, default=0, help="So many processes that compute beside it.")
    asked = parser.parse_args()
    experiments = ("images", "inference") if asked.quick else ()
    budget_s, rounds = (60.0, 1) if asked.quick else (asked.budget, asked.rounds)
    with TemporaryDirectory() as folder, kept_busy(asked.busy):
        runs = [run_round(budget_s, Path(folder), experiments) for _ in range(rounds)]
    compared = [comparisons(run) for run in runs]
    found = [{row: "unclear" if one is None else one.verdict for row, one in rows.items()} for rows in compared]
    shares = [sum(one != "unclear" for one in rows.values()) / max(len(rows), 1) for rows in found]
    both = [row for row in found[0] if all(rows.get(row, "unclear") != "unclear" for rows in found)]
    differing = [row for row in both if len({rows[row] for rows in found}) > 1]
    for row, ratio in sorted(compared[-1].items(), key=lambda item: item[0]):
        print(f"{verdict_words(ratio):40} {row[0]}  {row[1]}")
    for row in differing:
        print("differs", *row, *(verdict_words(rows[row]) for rows in compared), sep="  ")
    for run in runs:
        print(
            *(f"{one.verdict}: {one.subject}: {one.evidence}" for one in run.findings if one.kind == "machine"),
            sep="\n",
        )
    summary = {
        "benchmark": "quick_round",
        "budget_s": budget_s,
        "busy processes": asked.busy,
        "comparisons": [len(rows) for rows in found],
        "decided share": [round(share, 3) for share in shares],
        "declared by all rounds": len(both),
        "of these alike": len(both) - len(differing),
        "skipped": [sum(one.status == "skipped" for one in run.measurements) for run in runs],
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
