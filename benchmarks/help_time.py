"""How long does `--help` take, beside a Python that does nothing?

Why: help that takes seconds is help that nobody reads; importing torch for it would take two. Rounds of each command
in random order, of every command's and experiment's own help too; the figure is the ratio of medians. The last line is
one JSON document.

    python benchmarks/help_time.py --rounds 20
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import click

from torchstone.commands import torchstone_command
from torchstone.experiments import experiment_names

LIMIT = 6.0
PROGRAM = str(Path(sys.executable).with_name("torchstone"))
FLOORS = {"nothing": [sys.executable, "-c", "pass"], "click": [sys.executable, "-c", "import click"]}
NAMES = torchstone_command.list_commands(click.Context(torchstone_command))
CALLS = ("", *NAMES, *(f"bench {name}" for name in experiment_names()))
HELP = {words: [PROGRAM, *words.split(), "--help"] for words in CALLS}
COMMANDS = {**FLOORS, **{f"{name} --help".strip(): command for name, command in HELP.items()}}


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""With the bytecode that an installation has: else our own files are compiled at every call, and nobody else's."""


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


def imports_torch(*arguments: str) -> bool:
    """Whether a call of our program imports torch."""
    command = [sys.executable, "-X", "importtime", "-m", "torchstone", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return any(line.split("|")[-1].strip() == "torch" for line in done.stderr.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
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
                "imports_torch": [name for name in HELP if imports_torch(*HELP[name][1:])],
                "within": max(ratio for name, ratio in ratios.items() if name not in FLOORS) <= LIMIT,
            }
        )
    )


if __name__ == "__main__":
    main()
