"""Our fine-tuning beside HuggingFace Trainer, Lightning and a plain textbook loop: how fast, and how good?

Why: speed that costs accuracy is no speed, and a trainer that is slower than what everybody has is not needed. All
start from the same EfficientNet-Lite0 with the same last layer and train on the same solar cells, decoded and resized
once and kept in memory for all of them, with the same batch, epochs, seed, AdamW, one-cycle rate, clipping, frozen
batch norm, flips and quarter turns. Each runs in a process of its own; only training is timed, not the evaluation. With
one seed, contenders that do the same end up to 2.5 points apart, because each draws its own order: take rounds. The
peers are installed into an environment of their own, build/peers, which sees our torch. The last line is one JSON
document.

    python benchmarks/finetune_vs_peers.py --images 328 --epochs 1 --side 128 --rounds 3    a short run
    python benchmarks/finetune_vs_peers.py    in full: about an hour on two cores
"""

import argparse
import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from peers import install_peers
from torchstone.training.classifier import Classifier, build_classifier
from torchstone.training.photographs import Photographs, load_data, place, prepare_photographs
from torchstone.training.recipe import Recipe
from torchstone.training.trainer import Trainer, make_optimizer

PACKAGES = ("lightning", "accelerate")
FASTER = 2.0
ACCURACY_MARGIN = 0.01
TEST_BATCH = 64


class Cells(Dataset[tuple[Tensor, int]]):
    """As everybody writes it: one photograph at a time, turned and normalized."""

    def __init__(self, photographs: Photographs, classifier: Classifier) -> None:
        self.images, self.labels = photographs.train_images, photographs.train_labels
        self.mean = torch.tensor(classifier.mean)[:, None, None]
        self.std = torch.tensor(classifier.std)[:, None, None]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, row: int) -> tuple[Tensor, int]:
        turned = place(self.images[row : row + 1], torch.randint(8, (1,)))[0]
        return (turned.float() - self.mean) / self.std, int(self.labels[row])


class Frozen(nn.Module):
    """A model that stays in evaluation mode, whoever calls `train`."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model.eval()

    def train(self, mode: bool = True) -> "Frozen":
        return self

    def forward(self, pixel_values: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        logits = self.model(pixel_values)
        if labels is None:
            return {"logits": logits}
        return {"loss": functional.cross_entropy(logits, labels), "logits": logits}


@dataclass
class Stopwatch:
    """Wall and processor seconds of what was timed; the latter tell on a busy machine too."""

    wall_s: float = 0.0
    processor_s: float = 0.0

    @contextmanager
    def running(self, sign: int = 1) -> Iterator[None]:
        """Adds what the block takes; with sign -1 takes it off."""
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self.wall_s += sign * (time.perf_counter() - wall)
        self.processor_s += sign * (time.process_time() - processor)


Contender = Callable[[Recipe, Photographs, Classifier, Stopwatch], None]
"""Trains the classifier's model in place, with the stopwatch running."""


def textbook(recipe: Recipe, photographs: Photographs, classifier: Classifier, watch: Stopwatch) -> None:
    model = Frozen(classifier.model)
    loader = _loader(recipe, photographs, classifier)
    optimizer = make_optimizer(model, recipe, "plain")
    scheduler = _schedule(optimizer, recipe, len(loader))
    with watch.running():
        for _ in range(recipe.epochs):
            for images, labels in loader:
                optimizer.zero_grad()
                loss = functional.cross_entropy(model.model(images), labels)
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(model.parameters(), recipe.clip_norm)
                optimizer.step()
                scheduler.step()


def huggingface(recipe: Recipe, photographs: Photographs, classifier: Classifier, watch: Stopwatch) -> None:
    import transformers

    model = Frozen(classifier.model)
    cells = Cells(photographs, classifier)
    optimizer = make_optimizer(model, recipe, "plain")
    scheduler = _schedule(optimizer, recipe, -(-len(cells) // recipe.batch))

    def collate(rows: list[tuple[Tensor, int]]) -> dict[str, Tensor]:
        return {
            "pixel_values": torch.stack([image for image, _ in rows]),
            "labels": torch.tensor([label for _, label in rows]),
        }

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=recipe.batch,
            num_train_epochs=recipe.epochs,
            max_grad_norm=recipe.clip_norm,
            seed=recipe.seed,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
        )
        trainer = transformers.Trainer(
            model=model,
            args=arguments,
            train_dataset=cells,
            data_collator=collate,
            optimizers=(optimizer, scheduler),  # type: ignore[arg-type] # any scheduler will do
        )
        with watch.running():
            trainer.train()


def lightning(recipe: Recipe, photographs: Photographs, classifier: Classifier, watch: Stopwatch) -> None:
    # Found at run time only: it is installed in the peers' environment, not in ours.
    pytorch: Any = importlib.import_module("lightning.pytorch")
    loader = _loader(recipe, photographs, classifier)

    class Module(pytorch.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.frozen = Frozen(classifier.model)

        def training_step(self, batch: tuple[Tensor, Tensor], number: int) -> Tensor:
            return functional.cross_entropy(self.frozen.model(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            optimizer = make_optimizer(self.frozen, recipe, "plain")
            scheduler = _schedule(optimizer, recipe, len(loader))
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    trainer = pytorch.Trainer(
        max_epochs=recipe.epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        gradient_clip_val=recipe.clip_norm,
    )
    module = Module()
    with watch.running():
        trainer.fit(module, loader)


def torchstone(recipe: Recipe, photographs: Photographs, classifier: Classifier, watch: Stopwatch) -> None:
    trainer = Trainer(recipe, classifier, photographs)
    evaluate = trainer.accuracy

    def unwatched(images: torch.Tensor, labels: torch.Tensor) -> float:
        with watch.running(sign=-1):
            return evaluate(images, labels)

    trainer.accuracy = unwatched  # type: ignore[method-assign]
    with watch.running():
        for epoch in trainer.run():
            print(f"epoch {epoch.number}: loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.4f}", file=sys.stderr)
    classifier.model.load_state_dict(trainer.model.state_dict())


CONTENDERS: dict[str, Contender] = {
    "torchstone": torchstone,
    "textbook": textbook,
    "huggingface": huggingface,
    "lightning": lightning,
}


def _loader(recipe: Recipe, photographs: Photographs, classifier: Classifier) -> "DataLoader[tuple[Tensor, int]]":
    return DataLoader(Cells(photographs, classifier), batch_size=recipe.batch, shuffle=True)


def _schedule(
    optimizer: torch.optim.Optimizer, recipe: Recipe, steps_per_epoch: int
) -> torch.optim.lr_scheduler.OneCycleLR:
    return torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=recipe.learning_rate, total_steps=steps_per_epoch * recipe.epochs, cycle_momentum=False
    )


@torch.inference_mode()
def judge(photographs: Photographs, classifier: Classifier) -> float:
    """The final accuracy, by the same plain code for all."""
    model = classifier.model.to(memory_format=torch.contiguous_format).eval()  # type: ignore[call-overload]
    mean, std = (torch.tensor(values)[:, None, None] for values in (classifier.mean, classifier.std))
    right = 0
    for rows in torch.split(torch.arange(len(photographs.test_labels)), TEST_BATCH):
        images = (photographs.test_images[rows].float() - mean) / std
        right += int((model(images).argmax(1) == photographs.test_labels[rows]).sum())
    return right / len(photographs.test_labels)


def compete(name: str, recipe: Recipe) -> dict[str, float]:
    """In this process: train, then judge."""
    torch.manual_seed(recipe.seed)
    photographs = prepare_photographs(recipe, load_data(recipe))
    classifier = build_classifier(recipe, len(photographs.classes))
    watch = Stopwatch()
    CONTENDERS[name](recipe, photographs, classifier, watch)
    images = len(photographs.train_labels) * recipe.epochs
    return {
        "images_per_s": images / watch.wall_s,
        "images_per_processor_s": images / watch.processor_s,
        "seconds": watch.wall_s,
        "accuracy": judge(photographs, classifier),
    }


def run_contender(python: Path, name: str, arguments: list[str]) -> dict[str, float]:
    """In a process of its own, whose last line is what it found."""
    command = [str(python), __file__, "--contender", name, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    print(f"{name}: {found}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=None, help="of all 2,624, before the split")
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    parser.add_argument("--side", type=int, default=Recipe.side)
    parser.add_argument("--batch", type=int, default=Recipe.batch)
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument(
        "--rounds", type=int, default=1, help="of all contenders, in random order, each of another seed"
    )
    parser.add_argument("--contender", choices=list(CONTENDERS), default=None, help="this one alone, in this process")
    options = parser.parse_args()
    recipe = Recipe(
        side=options.side, most_images=options.images, batch=options.batch, epochs=options.epochs, seed=options.seed
    )
    if options.contender is not None:
        print(json.dumps(compete(options.contender, recipe)))
        return
    python = install_peers("peers", PACKAGES)
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    for number in range(options.rounds):
        arguments = [*sys.argv[1:], f"--seed={options.seed + number}"]
        for name in random.sample(list(CONTENDERS), len(CONTENDERS)):
            rounds[name].append(run_contender(python, name, arguments))
    print(json.dumps(summarize({name: middle(results) for name, results in rounds.items()})))


def middle(results: list[dict[str, float]]) -> dict[str, float]:
    """The median of each figure over the rounds."""
    return {figure: median(result[figure] for result in results) for figure in results[0]}


def summarize(found: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Ours beside the fastest and the best of them."""
    peers = {name: result for name, result in found.items() if name != "torchstone"}
    ours = found["torchstone"]
    times_faster, times_cheaper = (
        ours[figure] / max(result[figure] for result in peers.values())
        for figure in ("images_per_s", "images_per_processor_s")
    )
    best = max(result["accuracy"] for result in found.values())
    return {
        "benchmark": "finetune_vs_peers",
        "contenders": found,
        "times_faster_than_fastest": times_faster,
        "times_cheaper_than_cheapest": times_cheaper,
        "points_under_best": 100 * (best - ours["accuracy"]),
        "within": times_faster >= FASTER and best - ours["accuracy"] <= ACCURACY_MARGIN,
    }


if __name__ == "__main__":
    main()
