"""The loop: steps, epochs, the accuracy after each, when to save and when to stop.

Nothing in a step waits for the device: losses stay there until the epoch's end. Time is taken on the CPU at each step,
on an accelerator over several with one synchronization. From the same recipe and checkpoint the CPU computes bitwise
the same weights, with the same number of threads.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.records import Setup
from torchstone.training import checkpoint
from torchstone.training.classifier import Classifier, logits_of, normalizer
from torchstone.training.folding import fold_frozen_batch_norms
from torchstone.training.photographs import Photographs, order_of_epoch, place, shrink
from torchstone.training.recipe import Recipe, to_fields
from torchstone.training.schedule import learning_rate_at
from torchstone.training.step import IN_TREE, take_step
from torchstone.training.team import Team

STEPS_PER_SAMPLE = 8
"""On an accelerator, where each wait for it costs."""
DECIDE_EVERY = 8
"""Steps between two decisions of a team, which must be sent around."""
CHECKPOINT_EVERY_S = 30.0
TEST_BATCH = 64
DECAYING_DIMENSIONS = 2
"""Weight decay is for matrices and filters, not for biases and batch norm."""


class Decision(IntEnum):
    """What to do after a step."""

    GO_ON = 0
    SAVE = 1
    STOP = 2


class DivergedError(Exception):
    """The loss is no number any more: nothing that follows means anything."""


@dataclass
class Epoch:
    """What an epoch came to."""

    number: int
    """From 1."""
    loss: float
    accuracy: float
    """Of the validation photographs."""
    elapsed_s: float
    """Since the first step, the accuracy after each epoch included, the test's left out."""
    test_accuracy: float | None = None
    """Looked at only where the validation accuracy is the best so far: nothing is chosen by it."""


@dataclass
class History:
    """What was measured so far, across interruptions."""

    step: int = 0
    elapsed_s: float = 0.0
    resumed: int = 0
    step_s: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)

    @property
    def best(self) -> Epoch | None:
        """The first of those with the best validation accuracy."""
        return max(self.epochs, key=lambda epoch: epoch.accuracy, default=None)


def history_from(fields: dict[str, Any]) -> History:
    """Of a checkpoint."""
    return History(**{**fields, "epochs": [Epoch(**one) for one in fields["epochs"]]})


def make_optimizer(model: nn.Module, recipe: Recipe, device_kind: str) -> torch.optim.Optimizer:
    """AdamW, in one kernel where the device has it."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise UserError("the model has no parameters to train", "set requires_grad on what should learn")
    groups = [
        {"params": [one for one in trained if one.dim() >= DECAYING_DIMENSIONS], "weight_decay": recipe.weight_decay},
        {"params": [one for one in trained if one.dim() < DECAYING_DIMENSIONS], "weight_decay": 0.0},
    ]
    fused = device_kind in IN_TREE
    filled = [group for group in groups if group["params"]]
    return torch.optim.AdamW(filled, lr=recipe.learning_rate, fused=fused, foreach=None if fused else False)


def _train_batch_norms(model: nn.Module, mode: bool) -> None:
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.train(mode)


@dataclass
class Trainer:
    """A classifier and photographs, on a device, somewhere on the way through a recipe."""

    recipe: Recipe
    classifier: Classifier
    photographs: Photographs
    device_id: str = "cpu"
    team: Team = field(default_factory=Team)
    dtype: torch.dtype = torch.float32
    plain: bool = False
    """Without folding and channels last: as the reference computes."""
    path: Path | None = None
    """Where checkpoints go."""
    checkpoint_every_s: float = CHECKPOINT_EVERY_S
    deadline: float = math.inf
    """By `now`."""
    now: Callable[[], float] = time.perf_counter
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        self.backend, self.device = find_device(self.device_id)
        self.steps_per_sample = 1 if self.device.kind == "cpu" else STEPS_PER_SAMPLE
        self.folded = 0
        self.model = self._placed_model()
        self._training_model = self.team.wrap(self.model)
        self.optimizer = make_optimizer(self.model, self.recipe, self.device.kind)
        # A device that is out of tree may know no bytes: there the numbers are made on the host.
        self._numbers_made_on = self.device.id if self.device.kind in IN_TREE else "cpu"
        self._scale, self._offset = normalizer(self.classifier, self._numbers_made_on, self.dtype)
        self._pending: list[Tensor] = []
        self._since_mark = 0
        self._mark: float | None = None
        self._started = self._saved_at = self.now()

    def _placed_model(self) -> nn.Module:
        model = copy.deepcopy(self.classifier.model).to(self.device.id, self.dtype).eval()
        if not self.recipe.freezes_batch_norm:
            _train_batch_norms(model, True)
        if self.plain:
            return model
        self.folded = fold_frozen_batch_norms(model)
        return model.to(memory_format=self._memory_format) if self._is_for_channels_last else model  # type: ignore[call-overload]

    @property
    def head(self) -> nn.Module:
        """The last layer, of the model as it was placed."""
        names = [name for name, layer in self.classifier.model.named_modules() if layer is self.classifier.head]
        return self.model.get_submodule(names[0])

    @property
    def _is_for_channels_last(self) -> bool:
        return not self.plain and self.device.kind in IN_TREE

    @property
    def _memory_format(self) -> torch.memory_format:
        return torch.channels_last if self._is_for_channels_last else torch.contiguous_format

    @property
    def memory_format(self) -> str:
        """As a `Setup` says it."""
        return "channels_last" if self._is_for_channels_last else "contiguous"

    @property
    def steps_per_epoch(self) -> int:
        return -(-len(self.photographs.train_labels) // self.recipe.batch)

    @property
    def steps(self) -> int:
        return self.steps_per_epoch * self.recipe.epochs

    @property
    def finished(self) -> bool:
        return len(self.history.epochs) == self.recipe.epochs

    @property
    def elapsed_s(self) -> float:
        return self.history.elapsed_s + self.now() - self._started

    def run(self) -> Iterator[Epoch]:
        """Train on from where the history stands; gives each epoch as it ends, and stops early at the deadline."""
        self._started = self._saved_at = self.now()
        while not self.finished:
            if self._run_steps() is Decision.STOP:
                self.save()
                return
            yield self._end_epoch()

    def _run_steps(self) -> Decision:
        """The rest of the epoch, or as much as there is time for."""
        epoch = len(self.history.epochs)
        done = self.history.step - epoch * self.steps_per_epoch
        order, positions = order_of_epoch(self.recipe, epoch, len(self.photographs.train_labels))
        self._mark_now()
        for rows in torch.split(order, self.recipe.batch)[done:]:
            side = self.recipe.side_at(self.history.step, self.steps)
            self._pending.append(self.step(rows, positions, side))
            self._take_time(len(rows) == self.recipe.batch and side == self.recipe.side)
            decision = self._decide()
            if decision is Decision.SAVE:
                self.save()
                self._mark_now()
            if decision is Decision.STOP:
                return decision
        return Decision.GO_ON

    def step(self, rows: Tensor, positions: Tensor, side: int | None = None) -> Tensor:
        """One step on the batch of these photographs, shrunk to a side; gives my part of its loss, on the device."""
        mine, weight = self.team.share(rows)
        whole = self.photographs.train_images[mine]
        images = self.as_input(place(whole if side is None else shrink(whole, side), positions[mine]))
        labels = self.photographs.train_labels[mine].to(self.device.id)

        def my_loss() -> Tensor:
            losses = functional.cross_entropy(logits_of(self._training_model(images)), labels, reduction="sum")
            return losses * (weight / len(rows))

        rate = learning_rate_at(self.history.step, self.steps, self.recipe.learning_rate)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        setup = Setup(device=self.device.id)
        # The team's gradients are averaged, and each has divided by the whole batch already.
        loss = take_step(my_loss, self.optimizer, setup, self.model.parameters(), self.recipe.clip_norm, self.team.size)
        self.history.step += 1
        return loss

    def as_input(self, images: Tensor) -> Tensor:
        """Bytes on the host to what the model takes, on the device."""
        numbers = images.to(self._numbers_made_on, non_blocking=True).to(self.dtype)
        numbers = torch.addcmul(self._offset, numbers.expand(-1, self.classifier.channels, -1, -1), self._scale)
        return numbers.contiguous(memory_format=self._memory_format).to(self.device.id)

    @torch.inference_mode()
    def accuracy(self, images: Tensor, labels: Tensor) -> float:
        """The share of these photographs that are named rightly."""
        right = torch.zeros((), dtype=torch.int64, device=self.device.id)
        mine = torch.arange(len(labels))[self.team.rank :: self.team.size]
        _train_batch_norms(self.model, False)  # they would learn from the photographs
        for rows in torch.split(mine, TEST_BATCH):
            logits = logits_of(self.model(self.as_input(images[rows])))
            right += (logits.argmax(1) == labels[rows].to(self.device.id)).sum()
        _train_batch_norms(self.model, not self.recipe.freezes_batch_norm)
        return int(self.team.sum(right).item()) / len(labels)

    def _end_epoch(self) -> Epoch:
        self._read_losses()
        mine = self.history.losses[-self.steps_per_epoch :]
        loss = sum(mine) / len(mine)
        if not math.isfinite(loss):
            raise DivergedError(f"the loss is {loss} after {self.history.step} steps: the training diverged")
        best = self.history.best
        accuracy = self.accuracy(self.photographs.validation_images, self.photographs.validation_labels)
        epoch = Epoch(len(self.history.epochs) + 1, loss, accuracy, self.elapsed_s)
        if best is None or accuracy > best.accuracy:
            epoch.test_accuracy = self._test()
        self.history.epochs.append(epoch)
        self.save()
        return epoch

    def _test(self) -> float:
        """The accuracy of the test photographs; its seconds are not the training's."""
        began = self.now()
        accuracy = self.accuracy(self.photographs.test_images, self.photographs.test_labels)
        self._started += self.now() - began
        return accuracy

    def _read_losses(self) -> None:
        """Of all steps since the last time, of all processes."""
        if self._pending:
            self.history.losses += self.team.sum(torch.stack(self._pending)).tolist()
            self._pending.clear()

    def _decide(self) -> Decision:
        alone = self.team.size == 1
        if not alone and self.history.step % DECIDE_EVERY:
            return Decision.GO_ON
        now = self.now()
        saves = self.path is not None and now - self._saved_at >= self.checkpoint_every_s
        wanted = Decision.STOP if now >= self.deadline else Decision.SAVE if saves else Decision.GO_ON
        return Decision(self.team.follow_the_lead(wanted))

    def _mark_now(self) -> None:
        self.backend.synchronize(self.device.id)
        self._mark, self._since_mark = self.now(), 0

    def _take_time(self, is_comparable: bool) -> None:
        """A sample for every so many whole batches of the full side; those around others are not comparable."""
        if not is_comparable:
            self._mark = None
        elif self._mark is None:
            self._mark_now()
        else:
            self._since_mark += 1
            if self._since_mark == self.steps_per_sample:
                self.backend.synchronize(self.device.id)
                self.history.step_s.append((self.now() - self._mark) / self.steps_per_sample)
                self._mark, self._since_mark = self.now(), 0

    def save(self) -> None:
        """Every process comes here, since losses are summed; the first one writes."""
        self._read_losses()
        if self.path is not None and self.team.leads:
            history = {**asdict(self.history), "elapsed_s": self.elapsed_s}
            content = {
                "recipe": to_fields(self.recipe),
                "classes": list(self.photographs.classes),
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "history": history,
            }
            checkpoint.write(self.path, content)
        self._saved_at = self.now()

    def resume(self, content: dict[str, Any]) -> None:
        """Take up what a checkpoint holds; its recipe must be ours."""
        if content["recipe"] != to_fields(self.recipe) or content["classes"] != list(self.photographs.classes):
            raise UserError("the checkpoint is of another recipe or other classes", "resume with what it began with")
        self.model.load_state_dict(content["model"])
        self.optimizer.load_state_dict(content["optimizer"])
        torch.set_rng_state(content["random"])
        self.history = history_from(content["history"])
        self.history.resumed += 1
