"""How near is what `tune` recommends to the best of its whole space, and how much of an exhaustive search does it take?

For each model `tune` runs within its budget. Then every setup of the same space (`tuning.space.whole_space`: nothing is
left out because it looked hopeless) is prepared and raced against the plain run in a process of its own for a fixed
time, as an exhaustive search would. The best three of those and the recommended one then meet in one contest: regret is
how much slower the recommended one is than the fastest, so that luck in forty short contests is nobody's merit. The
emitted code is run in a fresh process: are its answers right, is it as fast as promised?

Then two alike engines and a quick wrong one are planted: the alike ones must win together, the wrong one never.

    python benchmarks/tune_regret.py --quick       one small model, minutes
    python benchmarks/tune_regret.py               six models, about two hours on two cores

The last line is one JSON document; the exit code is 1 where a bar is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from torchstone import engines, stats
from torchstone.backends import find_device
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.models.subject import load_subject
from torchstone.records import Device, Measurement, Setup
from torchstone.stats import PairedRatio, paired_ratio
from torchstone.tuning import Answer, Wish, tune
from torchstone.tuning.space import plain_of, whole_space
from tune_planted import run_planted
from tuned_models import MODELS, QUICK, race_apart, short

WITHIN = 0.05
TIME_SHARE = 0.2
EACH_S = 10.0
"""Of racing, for every setup of the space."""
QUICK_EACH_S, QUICK_BUDGET_S = 0.5, 60.0
QUICK_ENGINES = "eager,onnxruntime"
"""Of both searches: compiling every setup would take minutes."""
BEST = 3
"""Of the exhaustive search, that meet the recommended one."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--each", type=float, default=EACH_S, help="Seconds of racing for every setup.")
    parser.add_argument("--planted", type=int, default=10, help="How often to search with planted engines.")
    parser.add_argument("--quick", action="store_true", help="One small model, two engines, half a second a setup.")
    asked = parser.parse_args()
    if asked.quick:
        asked.models, asked.budget, asked.each, asked.planted = [QUICK], QUICK_BUDGET_S, QUICK_EACH_S, 1
        os.environ.setdefault(engines.ONLY_VARIABLE, QUICK_ENGINES)
    device = with_narrow_dtypes(find_device("cpu")[1])
    rows = [measure(model, device, asked.budget, asked.each) for model in asked.models]
    planted = run_planted(device, asked.planted)
    fine = all(row["is_fine"] for row in rows) and planted["is_fine"]
    print(json.dumps({"benchmark": "tune_regret", "rows": rows, "planted": planted, "within": fine}))
    sys.exit(0 if fine else 1)


def measure(model: str, device: Device, budget_s: float, each_s: float) -> dict[str, Any]:
    started = time.monotonic()
    answer = tune(Wish(model, (device,), budget_s))
    tuning_s = time.monotonic() - started
    chosen = answer.chosen or answer.baseline.setup
    started = time.monotonic()
    ratios = search_exhaustively(model, device, each_s)
    exhaustive_s = time.monotonic() - started
    best = sorted(ratios, key=lambda setup: ratios[setup])
    regret = head_to_head(model, answer.baseline.setup, chosen, best[:BEST], each_s)
    emitted = run_emitted(model, answer, each_s)
    row = {
        "model": short(model),
        "recommended": chosen.words,
        "best": best[0].words,
        "regret": regret,
        "times_plain": promised(answer)[0],
        "tuning_s": tuning_s,
        "exhaustive_s": exhaustive_s,
        "time_share": tuning_s / exhaustive_s,
        "setups": sum(map(len, space_of(model, device).values())),
        "right_setups": len(ratios),
        "emitted": emitted,
    }
    is_near, is_quick = regret is not None and regret <= WITHIN, tuning_s / exhaustive_s <= TIME_SHARE
    row["is_fine"] = is_near and is_quick and emitted["is_fine"]
    print(json.dumps(row), flush=True)
    return row


def promised(answer: Answer) -> tuple[float, float | None, float | None]:
    """Times the plain run, with its interval, of what is recommended."""
    found = [winner for winner in answer.winners if winner.setup == answer.chosen]
    return (found[0].ratio, found[0].low, found[0].high) if found else (1.0, 1.0, 1.0)


def space_of(model: str, device: Device) -> dict[str, list[Setup]]:
    return whole_space((device,), load_subject(model), train=False)


def search_exhaustively(model: str, device: Device, each_s: float) -> dict[Setup, float]:
    """Each right setup's time over the plain run's, two by two."""
    space = space_of(model, device)
    plain = plain_of(space)
    others = [setup for setups in space.values() for setup in setups if setup != plain]
    found = {plain: 1.0}
    for (_, setup), records in race_apart(model, [(plain, setup) for setup in others], each_s).items():
        ratio = compare(records, plain, setup)
        said = "not measured" if ratio is None else f"{1 / ratio.ratio:.3f} times as fast"
        print(f"{short(model)}: {setup.words}: {said}", flush=True)
        if ratio is not None and ratio.rounds >= stats.fewest_rounds():
            found[setup] = ratio.ratio
    return found


def compare(records: dict[Setup, Measurement], baseline: Setup, setup: Setup) -> PairedRatio | None:
    """The time of one over the other's; None where one of them was not right, or not there."""
    a, b = records.get(baseline), records.get(setup)
    if a is None or b is None or a.status != "ok" or b.status != "ok" or not (a.samples and b.samples):
        return None
    return paired_ratio(a.samples, b.samples)


def head_to_head(model: str, plain: Setup, chosen: Setup, best: list[Setup], each_s: float) -> float | None:
    """How much slower the recommended one is than the fastest of them, in one contest; None where it did not run."""
    rivals = tuple(dict.fromkeys((chosen, plain, *best)))
    records = race_apart(model, [rivals], each_s * len(rivals))[rivals]
    ratios = [ratio.ratio for setup in rivals if (ratio := compare(records, chosen, setup)) is not None]
    return 1.0 / min(ratios) - 1.0 if ratios else None


def run_emitted(model: str, answer: Answer, each_s: float) -> dict[str, Any]:
    """The emitted file in a fresh process: is it right, and is its ratio to the plain run within what was promised?"""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tuned.py"
        path.write_text(answer.code or "", encoding="utf-8")
        judge = Path(__file__).with_name("run_emitted.py")
        ran = subprocess.run(
            [
                sys.executable,
                str(judge),
                str(path),
                model,
                (answer.chosen or answer.baseline.setup).dtype or "",
                str(each_s),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode != 0:
        return {"is_fine": False, "error": ran.stderr[-500:]}
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    _, low, high = promised(answer)
    if low is None or high is None or found["low"] is None:
        overlap = True
    else:
        overlap = found["low"] <= high * (1 + WITHIN) and low <= found["high"] * (1 + WITHIN)
    return {**found, "promised": promised(answer), "is_fine": found["wrong"] is None and overlap}


if __name__ == "__main__":
    main()
