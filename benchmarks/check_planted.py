"""Does `check` find a planted fault in a whole model, and name its op, module and line? And is it silent without one?

Why: a checker that says *wrong* without a place sends people searching, and one that cries wolf is switched off. Each
of `planted_models.MODELS` meets the trigger of one fault deep inside; the pretend device is run with it and without.
Without it, the probes of the model's own calls (`check`'s third stage) must be silent too.

    python benchmarks/check_planted.py            # about a minute
    python benchmarks/check_planted.py --quick    # the first six
"""

import argparse
import json
import math
import tempfile
import warnings
from contextlib import AbstractContextManager
from itertools import takewhile
from pathlib import Path

import plants
from planted_models import MODELS, PlantedModel
from torchstone.checking.calls import record
from torchstone.checking.parity import Parity, compare_on
from torchstone.checking.probing import KIND, provide
from torchstone.models.inputs import Inputs
from torchstone.records import Finding
from torchstone.scheduling import Turn

DEVICE = "pretend"
COUNTED = ("wrong", "op", "module", "line", "runs_without", "probes_silent_without")


def judge(model: PlantedModel) -> dict[str, object]:
    """What is said of one model, and whether it is right."""
    plant = plants.find(model.plant)
    found, clean = _check(model, plant.planted()), _check(model, plant.unplanted())
    first = found.divergence
    ops = "" if first is None else f"{first.subject} {first.reason.split(':')[0]}"
    return {
        "model": model.name,
        "fault": model.plant,
        "wrong": first is not None,
        "op": model.op.split(".")[-1].strip("_") in ops or model.aten.split(".")[0] in ops,
        "module": first is not None and first.module == model.module,
        "line": first is not None and first.source.endswith(f"planted_models.py:{model.line}"),
        "runs_without": not clean.findings,
        "probes_silent_without": not (alarms := _probe(model)),
        "alarms": alarms,
        "said": None if first is None else f"{first.subject} at {first.source} in {first.module}: {first.reason}",
    }


def _check(model: PlantedModel, device: AbstractContextManager[None]) -> Parity:
    def build() -> tuple[object, Inputs]:
        made, args = model.build()
        return made, Inputs(tuple(args), {})

    with device, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare_on(build, DEVICE, model.train)  # type: ignore[arg-type]


def _probe(model: PlantedModel) -> list[str]:
    """What the probes say of a device without a fault."""
    made, args = model.build()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record(made, Inputs(tuple(args), {}), Path(folder), model.train)
        own = list(takewhile(lambda one: one.listing.name.startswith(KIND), provide(folder, DEVICE)))
        found = [finding for one in own for finding in one.run(Turn(math.inf))]
    return [f"{one.subject}: {one.evidence}" for one in found if isinstance(one, Finding) and one.verdict != "right"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the first six models")
    parser.add_argument("--verbose", action="store_true", help="what is said of each")
    options = parser.parse_args()
    rows = [judge(model) for model in (MODELS[:6] if options.quick else MODELS)]
    if options.verbose:
        for row in rows:
            print(json.dumps(row))
    counts = {name: sum(bool(row[name]) for row in rows) for name in COUNTED}
    print(json.dumps({"benchmark": "check_planted", "models": len(rows), **counts}))


if __name__ == "__main__":
    main()
