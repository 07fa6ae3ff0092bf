"""How near is what `tune` recommends to the best of its whole space, and how much of an exhaustive search does it take?

For each model `tune` runs within its budget. Then every setup of the same space is prepared and raced against the plain
run for a fixed number of rounds, as an exhaustive search would. Regret is how much slower the recommended setup is than
the best of those, by their paired ratios to the plain run. The last line is one JSON document.
"""

import argparse
import json
import time
from statistics import median
from typing import Any

from torchstone import stats
from torchstone.backends import find_device
from torchstone.contests.answering import answering
from torchstone.contests.race import Race
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.models.subject import load_subject
from torchstone.records import Device, Setup
from torchstone.scheduling.case import Turn
from torchstone.tuning import Wish, tune
from torchstone.tuning.space import CHEAP, setups_by_engine

MODELS = ("zoo:resnet50", "zoo:efficientnet_lite0", "zoo:bert_base", "zoo:gpt2_small", "convnet", "transformer")
WITHIN = 0.05
TIME_SHARE = 0.2
EXHAUSTIVE_S = 30.0
"""Of racing, for every setup of the space."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--quick", action="store_true", help="One small model, twenty seconds.")
    asked = parser.parse_args()
    models, budget_s = (["convnet"], 20.0) if asked.quick else (asked.models, asked.budget)
    device = with_narrow_dtypes(find_device("cpu")[1])
    rows = [compare(model, device, budget_s, EXHAUSTIVE_S if not asked.quick else 2.0) for model in models]
    for row in rows:
        print(row)
    fine = [row["regret"] <= WITHIN and row["time_share"] <= TIME_SHARE for row in rows]
    print(json.dumps({"benchmark": "tune_regret", "rows": rows, "within": all(fine)}))


def compare(model: str, device: Device, budget_s: float, each_s: float) -> dict[str, Any]:
    started = time.monotonic()
    answer = tune(Wish(model, (device,), budget_s))
    tuning_s = time.monotonic() - started
    chosen = answer.winners[0].setup
    started = time.monotonic()
    ratios = race_all(model, device, each_s)
    exhaustive_s = time.monotonic() - started
    best = min(ratios, key=lambda setup: ratios[setup])
    regret = ratios.get(chosen, 1.0) / ratios[best] - 1.0
    return {
        "model": model,
        "recommended": chosen.key,
        "best": best.key,
        "regret": regret,
        "times_plain": 1.0 / ratios.get(chosen, 1.0),
        "time_share": tuning_s / exhaustive_s,
        "setups": len(ratios),
    }


def race_all(model: str, device: Device, each_s: float) -> dict[Setup, float]:
    """Each right setup's time over the plain run's, two by two."""
    subject = load_subject(model)
    groups = setups_by_engine((device,), subject, train=False)
    plain = groups[CHEAP][0]
    found = {plain: 1.0}
    for setup in (setup for setups in groups.values() for setup in setups if setup != plain):
        race = Race(f"regret/{setup.key}", [answering(subject, one, 1) for one in (plain, setup)], Turn(each_s))
        for _ in race.run():
            pass
        compared = race.compare(plain, setup)
        if compared is not None and compared.rounds >= stats.fewest_rounds():
            found[setup] = compared.ratio
            print(f"{setup.key}: {1 / compared.ratio:.3f} times as fast, {median(race.records[setup].samples):.4g} s")
    return found


if __name__ == "__main__":
    main()
