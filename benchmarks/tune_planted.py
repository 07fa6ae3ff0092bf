"""`tune` with planted engines: two that are alike under two names, and one that is quicker and wrong.

The alike ones do as much arithmetic as the model in one product, and give its right answer: little real is as quick,
and less arithmetic would be refused as impossible.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from torchstone.records import Device
from torchstone.tuning import Wish, tune
from tuned_models import QUICK

ENGINE = '''"""{summary}."""

import torch

from torchstone.engines import Prepared
from torchstone.models.placing import changed

COST = 0


def explain_absence():
    return None


def setups(device, subject, plain):
    return (changed(plain, engine={name!r}),)


def prepare(subject, setup, batch):
    inputs = subject.inputs(batch)
    with torch.inference_mode():
        answer = subject.model(*inputs.args, **inputs.kwargs){spoilt}
    matrix = torch.ones({size}, {size})

    def call():
        with torch.inference_mode():
            matrix @ matrix
            return answer

    return Prepared(call)


def emit(setup):
    return "def run():\\n    return None\\n"
'''
PLANTS = {
    "alike_one": {"summary": "Right and quick", "size": 160, "spoilt": ""},
    "alike_two": {"summary": "The same under another name", "size": 160, "spoilt": ""},
    "liar": {"summary": "Quicker and wrong", "size": 8, "spoilt": " * 1.5"},
}
BUDGET_S = 60.0


def run_planted(device: Device, times: int) -> dict[str, Any]:
    """So many searches: how often the alike ones won together, and how often the wrong one was recommended."""
    from torchstone import engines

    with tempfile.TemporaryDirectory() as folder:
        for name, plant in PLANTS.items():
            (Path(folder) / f"{name}.py").write_text(ENGINE.format(name=name, **plant), encoding="utf-8")
        before = os.environ.get(engines.ONLY_VARIABLE)
        engines.__path__.append(folder)
        os.environ[engines.FOLDER_VARIABLE] = folder
        os.environ[engines.ONLY_VARIABLE] = ",".join(("eager", *PLANTS))
        try:
            found = [_search(device) for _ in range(times)]
        finally:
            engines.__path__.remove(folder)
            del os.environ[engines.FOLDER_VARIABLE], os.environ[engines.ONLY_VARIABLE]
            os.environ.update({} if before is None else {engines.ONLY_VARIABLE: before})
    together, lies = sum(one["together"] for one in found), sum(one["lied"] for one in found)
    return {"searches": times, "together": together, "lies": lies, "is_fine": together == times and not lies}


def _search(device: Device) -> dict[str, bool]:
    answer = tune(Wish(QUICK, (device,), BUDGET_S))
    winners = {winner.setup.engine for winner in answer.winners}
    return {
        "together": {"alike_one", "alike_two"} <= winners,
        "lied": "liar" in winners or (answer.chosen is not None and answer.chosen.engine == "liar"),
    }
