"""Whether the atlas finds every planted plain fault: missing, wrong, dtype-rejecting, crashing and hanging ops.

    python benchmarks/atlas_plants.py [--quick] [--limit SECONDS]

All are planted at once on the pretend device, and `torchstone ops` is run as a person would. Every other operator that
it judges is a control: anything but `ok` and `skipped` there, which the same sweep without faults does not say too, is
a false alarm. `--quick` judges the planted operators and a few controls in six dtypes. The last line is JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from plants import ATLAS_PLANTS, Plant

FOLDER = Path(__file__).parent

VERDICTS = {"missing": "unsupported", "wrong": "wrong", "dtype": "dtype", "crash": "crash", "hang": "hang"}
CONTROLS = ("add", "mul", "exp", "nn.functional.conv2d", "sort", "nn.functional.layer_norm", "cumsum", "where", "sum")
QUICK_DTYPES = ("float32", "float16", "bfloat16", "int64", "int32", "complex64")


def sweep(names: list[str], dtypes: tuple[str, ...], limit_s: float, knobs: str | None) -> list[dict[str, Any]]:
    """The cells of `torchstone ops` on the pretend device."""
    options = [part for dtype in dtypes for part in ("--dtype", dtype)]
    command = [sys.executable, "-m", "torchstone", "ops", *names, "--device", "pretend", *options, "--json"]
    with tempfile.TemporaryDirectory() as runs:
        path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
        variables = {**os.environ, "PYTHONPATH": path, "TORCHSTONE_RUNS": runs}
        variables |= {"TORCHSTONE_PRETEND_KNOBS": knobs} if knobs else {}
        done = subprocess.run(
            [*command, "--limit", str(limit_s)], capture_output=True, text=True, env=variables, check=False
        )
    if not done.stdout:
        raise SystemExit(done.stderr)
    cells: list[dict[str, Any]] = json.loads(done.stdout)["cells"]
    return cells


def is_found(plant: Plant, cells: list[dict[str, Any]]) -> bool:
    named = [cell for cell in cells if cell["name"] == plant.op and cell["direction"] == plant.direction]
    wanted = [cell for cell in named if not plant.dtypes or cell["dtype"] in plant.dtypes]
    return any(cell["verdict"] == VERDICTS[plant.kind] for cell in wanted)


def alarms(cells: list[dict[str, Any]], planted: set[str]) -> set[tuple[str, ...]]:
    keys = ("name", "variant", "dtype", "direction", "verdict")
    bad = [cell for cell in cells if cell["name"] not in planted and cell["verdict"] not in ("ok", "skipped")]
    return {tuple(str(cell[key]) for key in keys) for cell in bad}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limit", type=float, default=30.0)
    chosen = parser.parse_args()
    planted = {plant.op for plant in ATLAS_PLANTS}
    names = sorted({*planted, *CONTROLS}) if chosen.quick else []
    dtypes = QUICK_DTYPES if chosen.quick else ()
    cells = sweep(names, dtypes, chosen.limit, "plants:atlas")
    missed = [f"{plant.kind} {plant.op} {plant.direction}" for plant in ATLAS_PLANTS if not is_found(plant, cells)]
    # An op that is planted may be part of others: what changes there is found, not a false alarm.
    control = sweep(sorted(CONTROLS) if chosen.quick else [], dtypes, chosen.limit, None)
    false = alarms(control, set()) if chosen.quick else alarms(control, planted)
    kinds = Counter(plant.kind for plant in ATLAS_PLANTS)
    print(json.dumps({"planted": dict(kinds), "missed": missed, "cells": len(cells), "false_alarms": sorted(false)}))


if __name__ == "__main__":
    main()
