"""A linear probe: the features of every photograph computed once, and a linear classifier solved on them.

What the pre-trained network knows already, without training it: seconds where fine-tuning takes minutes. The solver is
Newton's method's cheap relative, L-BFGS, on logistic regression with standardized features; it runs on the CPU, because
two thousand rows are too few to move.
"""

import time
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from torchstone.training.classifier import watching_inputs_of
from torchstone.training.trainer import Trainer

BATCH = 32
PENALTY = 3e-2
"""Of the weights' squares; features outnumber half the photographs, so without it all would be learnt by heart."""
MOST_ITERATIONS = 100
SMALLEST_STD = 1e-6
FEWEST_IMAGES = 64
"""With fewer there is nothing to learn from."""
TRIED = 8
TRYING_SHARE = 0.25
"""Of the seconds, for finding out how long an image takes."""


@dataclass
class ProbeResult:
    """What came of it."""

    batch_s: list[float] = field(default_factory=list)
    features_s: float = 0.0
    solve_s: float = 0.0
    accuracy: float = 0.0
    features: int = 0


def affordable_images(trainer: Trainer, seconds: float) -> int:
    """How many photographs' features fit in the seconds. Judged by one, and by a few where that is not too slow."""
    image_s = _time_features(trainer, 1)
    if image_s * TRIED <= seconds * TRYING_SHARE:
        image_s = min(image_s, _time_features(trainer, TRIED) / TRIED)
    return int(min(max(seconds, 0.0) / max(image_s, 1e-9), 1e9))


def _time_features(trainer: Trainer, count: int) -> float:
    """The least of two calls: the first finds its memory and its kernels."""
    images = trainer.photographs.train_images[:count]
    found = []
    for _ in range(2):
        started = time.perf_counter()
        compute_features(trainer, images, ProbeResult())
        found.append(time.perf_counter() - started)
    return min(found)


def run_probe(trainer: Trainer) -> ProbeResult:
    """Features on the trainer's device, the solution on the CPU."""
    result = ProbeResult()
    started = time.perf_counter()
    photographs = trainer.photographs  # nothing is chosen here, so that it can learn from those for validation too
    train = compute_features(trainer, torch.cat([photographs.train_images, photographs.validation_images]), result)
    test = compute_features(trainer, photographs.test_images, result)
    result.features_s = time.perf_counter() - started
    labels = torch.cat([photographs.train_labels, photographs.validation_labels])
    weights = solve(train, labels, len(photographs.classes))
    result.solve_s = time.perf_counter() - started - result.features_s
    right = (standardized(test, train) @ weights).argmax(1) == photographs.test_labels
    result.accuracy = float(right.float().mean())
    result.features = train.shape[1]
    return result


@torch.inference_mode()
def compute_features(trainer: Trainer, images: Tensor, result: ProbeResult) -> Tensor:
    """What the last layer would be given, on the CPU."""
    head = trainer.head
    with watching_inputs_of(head) as seen:
        for part in torch.split(images, BATCH):
            trainer.backend.synchronize(trainer.device.id)
            started = time.perf_counter()
            trainer.model(trainer.as_input(part))
            trainer.backend.synchronize(trainer.device.id)
            if len(part) == BATCH:
                result.batch_s.append(time.perf_counter() - started)
    return torch.cat([one.float().cpu() for one in seen])


def solve(features: Tensor, labels: Tensor, classes: int) -> Tensor:
    """Logistic regression with a penalty on the weights, not on the intercept, which is the last row."""
    inputs = standardized(features, features)
    weights = torch.zeros(inputs.shape[1], classes, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=MOST_ITERATIONS, line_search_fn="strong_wolfe")

    def objective() -> Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(inputs @ weights, labels) + PENALTY / 2 * weights[:-1].square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(objective)  # type: ignore[no-untyped-call]
    return weights.detach()


def standardized(features: Tensor, reference: Tensor) -> Tensor:
    """By the reference's mean and spread, with a column of ones for the intercept."""
    scaled = (features - reference.mean(0)) / reference.std(0).clamp(min=SMALLEST_STD)
    return torch.cat([scaled, torch.ones(len(scaled), 1)], dim=1)
