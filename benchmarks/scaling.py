"""Do two processes train twice as fast as one, and to the same weights?

Why: `--processes` is worth having only where the processes' talking to each other costs little, and it is right only
if the gradients' average is that of the whole batch. One process and two train EfficientNet-Lite0 on the same solar
cells from the same seed with the same whole batch, one thread each, by turns. The figure is one process's median
seconds a step over two times the team's. What float32 allows the weights to differ by is seen beside it: one process
with two threads, which adds the same numbers in another order. The last line is one JSON document.

    python benchmarks/scaling.py --images 656 --side 128 --rounds 2
"""

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from torchstone.training import checkpoint
from torchstone.training.launching import Order, run_team
from torchstone.training.recipe import Recipe

EFFICIENCY = 0.8
TOLERANCE = 2.0
"""Times the difference that another order of sums makes in one process: AdamW blows rounding up, as its steps are as
large for a gradient that is nearly nought."""


def train(recipe: Recipe, processes: int, folder: Path, threads: int = 1) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What the team's first process measured, and the final weights."""
    path = folder / f"{processes}.pt"
    *_, last = run_team(Order(recipe, processes, checkpoint=path, threads=threads))
    history: dict[str, Any] = last["history"]
    weights: dict[str, Tensor] = checkpoint.read(path)["model"]
    return history, weights


def start_weights(recipe: Recipe) -> dict[str, Tensor]:
    from torchstone.training.classifier import build_classifier

    return build_classifier(recipe, classes=2).model.state_dict()


def flat(weights: dict[str, Tensor]) -> Tensor:
    return torch.cat([tensor.flatten().double() for _, tensor in sorted(weights.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=656)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    recipe = Recipe(side=options.side, most_images=options.images, batch=options.batch, epochs=options.epochs)
    step_s: dict[int, list[float]] = {1: [], 2: []}
    weights: dict[int, dict[str, Tensor]] = {}
    accuracy: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for processes in (1, 2):
                history, weights[processes] = train(recipe, processes, Path(folder))
                step_s[processes] += history["step_s"][1:]
                accuracy[processes] = history["epochs"][-1]["accuracy"]
        _, rounded = train(recipe, 1, Path(folder), threads=2)
    efficiency = median(step_s[1]) / (2 * median(step_s[2]))
    went = (flat(weights[1]) - flat(start_weights(recipe))).norm()
    difference, rounding = (float((flat(weights[1]) - flat(other)).norm() / went) for other in (weights[2], rounded))
    print(
        json.dumps(
            {
                "benchmark": "scaling",
                "efficiency": efficiency,
                "one_process_step_s": median(step_s[1]),
                "two_processes_step_s": median(step_s[2]),
                "steps_timed": {str(number): len(found) for number, found in step_s.items()},
                "weights_difference_over_way": difference,
                "rounding_difference_over_way": rounding,
                "accuracy": {str(number): value for number, value in accuracy.items()},
                "within": efficiency >= EFFICIENCY and difference <= TOLERANCE * rounding,
            }
        )
    )


if __name__ == "__main__":
    main()
