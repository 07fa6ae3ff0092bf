"""How long does `--help` take, beside a Python that does nothing?

Why: help that takes seconds is help that nobody reads; importing torch for it would take two. Rounds of each command
in random order; the figure is the ratio of medians. The last line is one JSON document.

    python benchmarks/help_time.py --rounds 30
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

LIMIT = 8.0
PROGRAM = str(Path(sys.executable).with_name("torchstone"))
COMMANDS = {
    "nothing": [sys.executable, "-c", "pass"],
    "click": [sys.executable, "-c", "import click"],
    "help": [PROGRAM, "--help"],
    "devices_help": [PROGRAM, "devices", "--help"],
}


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def imports_torch(*arguments: str) -> bool:
    """Whether a call of our program imports torch."""
    command = [sys.executable, "-X", "importtime", "-m", "torchstone", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return any(line.split("|")[-1].strip() == "torch" for line in done.stderr.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(options.rounds):
        for name in random.sample(list(COMMANDS), len(COMMANDS)):
            times[name].append(seconds(COMMANDS[name]))
    ratios = {name: median(found) / median(times["nothing"]) for name, found in times.items()}
    print(
        json.dumps(
            {
                "benchmark": "help_time",
                "times_python_c_pass": ratios,
                "imports_torch": imports_torch("--help") or imports_torch("devices", "--help"),
                "within": max(ratios["help"], ratios["devices_help"]) <= LIMIT,
            }
        )
    )


if __name__ == "__main__":
    main()
