"""A subject learning on a device: one step forward, backward and through Adam, and whether that step was right.

A step changes the weights, so no two are alike. What is verified is the first step from the initial weights on one
example (a person's own inputs are taken whole): its loss and the norm of its gradient, against the CPU's float64,
before the timed loop and again after it, with the initial weights put back. During the loop the loss must stay a
number.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.configurations import Configuration, casting, place_inputs, place_model
from torchstone.correctness import Judge, answer_of, error_between, half_the_threads
from torchstone.models.classification import soft_targets
from torchstone.models.inputs import Inputs, move, move_inputs
from torchstone.models.small import CLASSES
from torchstone.models.zoo import ZooModel, load_zoo_model
from torchstone.records import Scalar
from torchstone.trials.subjects import EXAMPLES, SEED, Subject

LEARNING_RATE = 1e-3
"""TorchBench's for Adam at the time of PyTorch's post of May 2022."""
PROBED_ROWS = 1
"""A step in float64 is slow; batch norm has many pixels even in one picture."""
Loss = Callable[[nn.Module, Inputs, Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a subject learns: the two examples with their targets, and the loss between them."""

    subject: Subject
    targets: Tensor
    loss: Loss
    loss_name: str

    def inputs(self, batch: int) -> Inputs:
        return self.subject.inputs(batch)

    def targets_for(self, batch: int) -> Tensor:
        return self.targets[torch.arange(batch) % EXAMPLES] if self.subject.repeats else self.targets


@dataclass(frozen=True)
class Probe:
    """The float64 answer to the first step, and the CPU's own error of it in float32."""

    exact: tuple[Tensor, Tensor]
    own_error: float
    bytes_per_row: float
    """What float32 keeps for the way back."""

    def judge(self, dtype: str) -> Judge:
        return Judge(self.exact, self.own_error, dtype)


@dataclass
class Student:
    """A lesson placed on a device; `step` is what is timed."""

    lesson: Lesson
    model: nn.Module
    optimizer: torch.optim.Optimizer
    inputs: Inputs
    targets: Tensor
    configuration: Configuration
    device_id: str

    def step(self) -> Tensor:
        """One step of training; gives the loss."""
        self.optimizer.zero_grad()
        with casting(self.configuration, self.device_id):
            loss = self.lesson.loss(self.model, self.inputs, self.targets)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.detach()

    def first_step(self) -> tuple[Tensor, Tensor]:
        """Loss and gradient norm at the initial weights, which it puts back."""
        self.model.load_state_dict(self.lesson.subject.model.state_dict())
        inputs = place_inputs(self.lesson.inputs(PROBED_ROWS), self.configuration, self.device_id)
        targets = self.lesson.targets_for(PROBED_ROWS).to(self.device_id)
        with casting(self.configuration, self.device_id):
            return _loss_and_norm(self.lesson.loss, self.model, inputs, targets)


def zoo_lesson(subject: Subject, length: int | None = None) -> Lesson:
    """The zoo's own loss and targets; `length` is that of a text."""
    module: ZooModel = load_zoo_model(subject.name)
    extra: dict[str, Any] = {} if length is None else {"length": length}
    targets = module.example_targets(EXAMPLES, SEED, **extra)
    return Lesson(subject, targets, module.training_loss, "the zoo's")


def small_lesson(subject: Subject) -> Lesson:
    """Of the small network: random soft targets, as in the post of May 2022."""

    def cross_entropy(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
        return functional.cross_entropy(model(*inputs.args), targets)

    return Lesson(subject, soft_targets(EXAMPLES, CLASSES, SEED), cross_entropy, "cross entropy")


def own_lesson(subject: Subject) -> Lesson:
    """A person's model says nothing of its loss, so it gets a stand-in: the work backwards is the same."""
    return Lesson(subject, torch.zeros(()), mean_square, "mean square of its outputs, a stand-in")


def mean_square(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """Of everything that the model gives in floating point."""
    output = model(*inputs.args, **inputs.kwargs)
    return torch.stack([_wide(tensor).square().mean() for tensor in answer_of(output)]).sum()


def enrol(lesson: Lesson, batch: int, configuration: Configuration, device_id: str) -> Student:
    """Place a copy of the model in training mode, with a fresh Adam."""
    model = place_model(copy.deepcopy(lesson.subject.model), configuration, device_id).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    inputs = place_inputs(lesson.inputs(batch), configuration, device_id)
    targets = move(lesson.targets_for(batch), device_id)
    return Student(lesson, model, optimizer, inputs, targets, configuration, device_id)


def exact_probe(lesson: Lesson) -> Probe:
    """The first step on the CPU, in float64 and in float32."""
    with half_the_threads():
        exact = _first_step_in(lesson, torch.float64)
        with counting_saved_bytes() as saved:
            plain = _first_step_in(lesson, torch.float32)
    return Probe(exact, error_between(plain, exact), sum(saved.values()) / lesson.subject.rows(PROBED_ROWS))


@contextmanager
def counting_saved_bytes() -> Iterator[dict[int, int]]:
    """The bytes that autograd keeps in the block, by storage; parameters are kept anyway."""
    saved: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        # A linear layer keeps a view of its weight, which has the weight as its base.
        if not isinstance(tensor, nn.Parameter) and not isinstance(tensor._base, nn.Parameter):
            storage = tensor.untyped_storage()
            saved[storage.data_ptr()] = max(saved.get(storage.data_ptr(), 0), storage.nbytes())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        yield saved


def bytes_needed(lesson: Lesson, probe: Probe, batch: int) -> float:
    """About how much a step takes: weights, gradients and Adam's two moments, and what is kept for the way back, half
    as much again for what comes and goes."""
    weights = sum(parameter.numel() * parameter.element_size() for parameter in lesson.subject.model.parameters())
    return 4.0 * weights + 1.5 * probe.bytes_per_row * batch


def explain_loss(loss: Tensor) -> str | None:
    """What is wrong with a loss in the timed loop: it is not a number."""
    return None if bool(loss.isfinite().all()) else "the loss is not finite"


def facts_of(probe: Probe, judge: Judge) -> dict[str, Scalar]:
    """For the record: the first step's loss and gradient norm in float64, and how far the device was from them."""
    loss, norm = (value.item() for value in probe.exact)
    return {"first_loss": loss, "first_gradient_norm": norm, **judge.facts()}


def _first_step_in(lesson: Lesson, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    model = copy.deepcopy(lesson.subject.model).to(dtype)
    inputs = move_inputs(lesson.inputs(PROBED_ROWS), "cpu", dtype)
    return _loss_and_norm(lesson.loss, model, inputs, move(lesson.targets_for(PROBED_ROWS), "cpu", dtype))


def _loss_and_norm(loss_of: Loss, model: nn.Module, inputs: Inputs, targets: Tensor) -> tuple[Tensor, Tensor]:
    was_training = model.training
    _train_without_chance(model)
    model.zero_grad()
    loss = loss_of(model, inputs, targets)
    loss.backward()  # type: ignore[no-untyped-call]
    norms = [_norm(parameter.grad) for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()
    model.train(was_training)
    return loss.detach().cpu().double(), torch.tensor(norms, dtype=torch.float64).norm()


def _train_without_chance(model: nn.Module) -> None:
    """Batch norm as in training, dropout off: two devices draw different random numbers."""
    model.eval()
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.train()


def _norm(gradient: Tensor) -> float:
    return float(_wide(gradient).norm().item())


def _wide(tensor: Tensor) -> Tensor:
    """At least float32: a sum of many squares overflows float16."""
    return tensor if tensor.dtype is torch.float64 else tensor.float()
