"""The six models that `tune` is judged by, as targets, and contests between their setups in processes of their own."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.contests.answering import answering
from torchstone.contests.race import Race
from torchstone.measuring.contest import Goal
from torchstone.models.subject import load_subject
from torchstone.models.text import from_config
from torchstone.records import Line, Measurement, Setup
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.scheduling.runner import Runner

HERE = Path(__file__).resolve()
MODELS = (
    "zoo:resnet50",
    "zoo:efficientnet_lite0",
    f"{HERE}:bert_s128",
    f"{HERE}:gpt2_one_token",
    f"{HERE}:mlp",
    f"{HERE}:lstm",
)
QUICK = f"{HERE}:mlp"
LENGTH = 128
LONGEST_S = 600.0
"""For one contest, compilation included: what takes longer hangs."""
Built = tuple[nn.Module, tuple[Tensor, ...], dict[str, Any]]


def bert_s128() -> Built:
    return from_config("BertModel", "BertConfig", 0), (torch.randint(0, 30_000, (1, LENGTH)),), {}


def gpt2_one_token() -> Built:
    return from_config("GPT2LMHeadModel", "GPT2Config", 0), (torch.randint(0, 50_000, (1, 1)),), {"use_cache": False}


def mlp() -> Built:
    layers = [nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
    return nn.Sequential(*layers), (torch.randn(8, 256),), {}


class Last(nn.Module):
    """An LSTM of two layers, and a linear layer on its last state."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LSTM(64, 128, num_layers=2, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, sequence: Tensor) -> Any:
        return self.head(self.layers(sequence)[0][:, -1])


def lstm() -> Built:
    return Last(), (torch.randn(4, 32, 64),), {}


def short(model: str) -> str:
    """Its name without the place."""
    return model.rpartition(":")[2]


def race_apart(
    model: str, contests: Sequence[Sequence[Setup]], each_s: float, goal: Goal = "all_rounds"
) -> dict[tuple[Setup, ...], dict[Setup, Measurement]]:
    """Each contest in a process of its own, for so many seconds beside preparing; who ends its process costs itself."""
    found: dict[str, dict[Setup, Measurement]] = {}

    def keep(line: Line) -> None:
        if isinstance(line, Measurement):
            found.setdefault(line.name, {})[line.setup] = line

    Runner(partial(_contests, model, [tuple(one) for one in contests], each_s, goal), keep).run()
    return {tuple(setups): found.get(f"contest/{number}", {}) for number, setups in enumerate(contests)}


def _contests(model: str, contests: Sequence[tuple[Setup, ...]], each_s: float, goal: Goal) -> Iterator[Case]:
    for number, setups in enumerate(contests):
        run = partial(_race, model, setups, each_s, goal, f"contest/{number}")
        yield case(f"contest/{number}", run, setup=setups[0], rank=number, is_alone=True, limit_s=LONGEST_S)


def _race(model: str, setups: Sequence[Setup], each_s: float, goal: Goal, name: str, turn: Turn) -> Iterator[Record]:
    subject = load_subject(model)
    # Half of a turn is always kept for the rounds, however long preparing took.
    part = turn.part(2 * each_s)
    yield from Race(name, [answering(subject, setup, 1) for setup in setups], part, goal).run()
