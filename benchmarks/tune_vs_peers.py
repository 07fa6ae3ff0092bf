"""Is what `tune` recommends ever slower than what people would take without it?

Plain eager, torch.compile alone, plain onnxruntime and plain openvino, each set against the winner in one contest, in
one process, with their outputs checked. The last line is one JSON document.
"""

import argparse
import json
from statistics import median
from typing import Any

from torchstone import engines
from torchstone.backends import find_device
from torchstone.contests.answering import answering
from torchstone.contests.race import Race
from torchstone.machine.dtypes import with_narrow_dtypes
from torchstone.models.placing import changed, plain_setup
from torchstone.models.subject import load_subject
from torchstone.records import Device, Setup
from torchstone.scheduling.case import Turn
from torchstone.tuning import Wish, tune

MODELS = ("zoo:resnet50", "zoo:efficientnet_lite0", "zoo:bert_base", "zoo:gpt2_small", "convnet", "transformer")
PEERS = ("compile", "onnxruntime", "openvino")
WANTED = 1.3
"""Times plain eager, in the median over the models."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--quick", action="store_true", help="One small model, twenty seconds, without torch.compile.")
    asked = parser.parse_args()
    models, budget_s = (["convnet"], 20.0) if asked.quick else (asked.models, asked.budget)
    peers = PEERS[1:] if asked.quick else PEERS
    device = with_narrow_dtypes(find_device("cpu")[1])
    rows = [compare(model, device, budget_s, peers) for model in models]
    gain = median(row["times_plain"] for row in rows)
    beaten = [row["model"] for row in rows if row["beaten_by"]]
    fine = not beaten and gain >= WANTED
    print(json.dumps({"benchmark": "tune_vs_peers", "rows": rows, "median": gain, "beaten": beaten, "within": fine}))


def compare(model: str, device: Device, budget_s: float, peers: tuple[str, ...]) -> dict[str, Any]:
    winner = tune(Wish(model, (device,), budget_s)).winners[0].setup
    subject, plain = load_subject(model), plain_setup(device)
    here = [name for name in peers if engines.load_engine(name).explain_absence() is None]
    rivals: list[Setup] = list(dict.fromkeys((winner, plain, *(changed(plain, engine=name) for name in here))))
    race = Race(f"peers/{subject.name}", [answering(subject, setup, 1) for setup in rivals], Turn(budget_s))
    for _ in race.run():
        pass
    ratios = {setup: race.compare(winner, setup) for setup in rivals if setup != winner}
    beaten_by = [setup.key for setup, ratio in ratios.items() if ratio is not None and ratio.verdict == "faster"]
    against_plain = ratios.get(plain)
    row = {
        "model": model,
        "winner": winner.key,
        "times_plain": 1.0 if against_plain is None else against_plain.ratio,
        "peers": {setup.key: ratio.ratio for setup, ratio in ratios.items() if ratio is not None},
        "beaten_by": beaten_by,
    }
    print(row)
    return row


if __name__ == "__main__":
    main()
