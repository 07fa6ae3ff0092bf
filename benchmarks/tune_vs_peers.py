"""Is what `tune` recommends ever slower than what people would take without it?

Plain eager, torch.compile alone, plain onnxruntime and plain openvino, all set against the recommended setup in one
contest, in one process, with their answers checked.

    python benchmarks/tune_vs_peers.py --quick      one small model, without torch.compile
    python benchmarks/tune_vs_peers.py              six models, about half an hour on two cores

The last line is one JSON document; the exit code is 1 where a peer was faster beyond its interval, or the median gain
over plain eager is below the bar.
"""

import argparse
import importlib.util
import json
import os
import sys
from statistics import median
from typing import Any

from torchstone import engines
from torchstone.backends import find_device
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.models.placing import changed
from torchstone.records import Device
from torchstone.tuning import Wish, tune
from tune_regret import compare
from tuned_models import MODELS, QUICK, race_apart, short

PEERS = ("compile", "onnxruntime", "openvino")
WANTED = 1.3
"""Times plain eager, in the median over the models."""
RACE_S, QUICK_RACE_S = 60.0, 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--quick", action="store_true", help="One small model, without torch.compile.")
    asked = parser.parse_args()
    models, budget_s = ([QUICK], 60.0) if asked.quick else (asked.models, asked.budget)
    peers, race_s = (PEERS[1:], QUICK_RACE_S) if asked.quick else (PEERS, RACE_S)
    if asked.quick:
        os.environ.setdefault(engines.ONLY_VARIABLE, ",".join(("eager", *peers)))
    device = with_narrow_dtypes(find_device("cpu")[1])
    rows = [measure(model, device, budget_s, peers, race_s) for model in models]
    gain = median(row["times_plain"] or 0.0 for row in rows)
    beaten = [row["model"] for row in rows if row["beaten_by"]]
    fine = not beaten and gain >= WANTED and all(row["times_plain"] is not None for row in rows)
    document = {"rows": rows, "median": gain, "beaten": beaten, "optimum": explain_optimum(), "within": fine}
    print(json.dumps({"benchmark": "tune_vs_peers", **document}))
    sys.exit(0 if fine else 1)


def explain_optimum() -> str:
    """optimum exports with the same torch.onnx and runs the same onnxruntime, behind transformers' own classes."""
    if importlib.util.find_spec("optimum") is None:
        return "not installed"
    return "installed, but it takes transformers' classes with their files alone: its engine stands here as onnxruntime"


def measure(model: str, device: Device, budget_s: float, peers: tuple[str, ...], race_s: float) -> dict[str, Any]:
    answer = tune(Wish(model, (device,), budget_s))
    plain = answer.baseline.setup
    chosen = answer.chosen or plain
    here = [name for name in peers if engines.load_engine(name).explain_absence() is None]
    rivals = tuple(dict.fromkeys((chosen, plain, *(changed(plain, engine=name) for name in here))))
    records = race_apart(model, [rivals], race_s)[rivals]
    ratios = {setup: compare(records, chosen, setup) for setup in rivals if setup != chosen}
    against_plain = None if plain == chosen else ratios[plain]
    row = {
        "model": short(model),
        "recommended": chosen.words,
        "times_plain": 1.0 if plain == chosen else None if against_plain is None else against_plain.ratio,
        "times_peers": {setup.words: None if ratio is None else ratio.ratio for setup, ratio in ratios.items()},
        "lost": {one.setup.words: one.reason for one in records.values() if one.status != "ok"},
        "beaten_by": [
            setup.words for setup, ratio in ratios.items() if ratio is not None and ratio.verdict == "faster"
        ],
    }
    print(json.dumps(row), flush=True)
    return row


if __name__ == "__main__":
    main()
