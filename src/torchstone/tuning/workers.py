"""How many workers a person's DataLoader should have: whole stretches of loading and training, against each other.

A loader that was asked ahead has batches waiting, so single batches tell nothing: a call is a stretch of an epoch from
a fresh start of the loader, each batch with its training step.
"""

import os
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import torch

from torchstone.contests.race import Entrant, Ready
from torchstone.models.loader import inputs_of, with_workers
from torchstone.models.placing import changed, place_inputs
from torchstone.models.subject import Subject
from torchstone.records import Measurement, Setup
from torchstone.stats import paired_ratio
from torchstone.training.step import Learner, Lesson, explain_loss, make_learner

WORKERS = "workers="
"""Of a setup's options, with their number."""
BATCHES = 8
"""Of one stretch."""
MOST_WORKERS = 8


def numbers_to_try(loader: "torch.utils.data.DataLoader[Any]") -> list[int]:
    """As it has them, none, and twice as many each time up to one a core."""
    cores = min(os.cpu_count() or 1, MOST_WORKERS)
    doubled = [2**power for power in range(cores.bit_length()) if 2**power <= cores]
    return list(dict.fromkeys([loader.num_workers, 0, *doubled]))


def stretches(lesson: Lesson, setup: Setup) -> list[Entrant]:
    """One entrant for each number of workers; the loader as it was given first."""
    loader = lesson.subject.loader
    assert loader is not None
    return [
        Entrant(
            changed(setup, options=tuple(sorted((*setup.options, f"{WORKERS}{number}")))),
            partial(_prepare, lesson, setup, with_workers(loader, number)),
        )
        for number in numbers_to_try(loader)
    ]


def _prepare(lesson: Lesson, setup: Setup, loader: "torch.utils.data.DataLoader[Any]") -> Ready:
    learner = make_learner(lesson, setup, 1)
    return Ready(partial(_run_stretch, learner, lesson.subject, loader), explain_loss)


def _run_stretch(learner: Learner, subject: Subject, loader: "torch.utils.data.DataLoader[Any]") -> Any:
    loss = None
    targets = learner.parts[0][1]
    for batch in islice(loader, BATCHES):
        learner.parts = ((place_inputs(inputs_of(batch, subject.model), learner.setup), targets),)
        loss = learner.step()
    return loss


def workers_of(setup: Setup) -> int | None:
    """How many it says; None where it does not speak of a loader."""
    return next((int(one.removeprefix(WORKERS)) for one in setup.options if one.startswith(WORKERS)), None)


def compare_workers(records: Sequence[Measurement]) -> list[dict[str, Any]]:
    """Each number of workers with how many times as fast a stretch was as with the loader as it was given."""
    raced = [one for one in records if workers_of(one.setup) is not None and one.samples and one.status == "ok"]
    found = []
    for record in raced:
        ratio = paired_ratio(raced[0].samples, record.samples)
        interval = ratio.interval
        found.append(
            {
                "workers": workers_of(record.setup),
                "ratio": 1 / ratio.ratio,
                "low": None if interval is None else 1 / interval.high,
                "high": None if interval is None else 1 / interval.low,
            }
        )
    return found
