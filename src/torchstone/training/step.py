"""One training step for everyone: the bars of `bench training`, fine-tuning, `check --train` and `tune --train`.

A step changes the weights, so no two are alike. What is verified is the first step from the initial weights on one
example (a person's own inputs are taken whole): its loss and the norm of its gradient, against the CPU's float64,
before the timed loop and again after it, with the initial weights put back. During the loop the loss must stay a
number.
"""

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from torchstone.backends import find_device
from torchstone.correctness import Judge, answer_of, error_between, half_the_threads
from torchstone.models.classification import soft_targets
from torchstone.models.inputs import Inputs, map_tensors, move, move_inputs
from torchstone.models.placing import casting, place_inputs, place_model
from torchstone.models.small import CLASSES
from torchstone.models.subject import EXAMPLES, SEED, Subject
from torchstone.models.zoo import ZooModel, load_zoo_model
from torchstone.records import REMARK, Scalar, Setup

LEARNING_RATE = 1e-3
"""TorchBench's for Adam at the time of PyTorch's post of May 2022."""
PROBED_ROWS = 1
"""A step in float64 is slow; batch norm has many pixels even in one picture."""
FUSED, CHECKPOINTING = "fused optimizer", "checkpointing"
"""Of a `Setup`'s options: all parameters updated by one kernel; activations computed anew on the way back."""
ACCUMULATED = "accumulation×"
"""Of a `Setup`'s options, with a number: the rows are taken in so many parts, one after another, before the optimizer's
step. It holds fewer activations at once, and is the same step where the loss is a mean over rows."""
IN_TREE = ("cpu", "cuda", "rocm", "mps", "xpu")
"""Kinds of devices that take bytes and have a fused optimizer."""
Loss = Callable[[nn.Module, Inputs, Tensor], Tensor]
Part = tuple[Inputs, Tensor]
"""Inputs and targets of some rows."""


def take_step(
    loss_of: Callable[[], Tensor],
    optimizer: torch.optim.Optimizer,
    setup: Setup,
    clipped: Iterable[nn.Parameter] = (),
    clip_norm: float | None = None,
    scale: float = 1.0,
) -> Tensor:
    """Forward, backward, clipping where it is asked for, and the optimizer; gives the loss, still on the device."""
    with casting(setup):
        loss = loss_of()
    (loss if scale == 1.0 else loss * scale).backward()  # type: ignore[no-untyped-call]
    if clip_norm is not None:
        nn.utils.clip_grad_norm_(clipped, clip_norm)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


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

    def facts(self, batch: int) -> dict[str, Scalar]:
        """What every record of it says. Steps are taken in training mode: what evaluation mode changes is not said."""
        said = {name: value for name, value in self.subject.facts(batch).items() if name != REMARK}
        return {**said, "loss": self.loss_name}


@dataclass(frozen=True)
class FirstStep:
    """The float64 answer to the first step, and the CPU's own error of it in float32."""

    exact: tuple[Tensor, Tensor]
    own_error: float
    bytes_per_row: float
    """What float32 keeps for the way back."""

    def judge(self, dtype: str) -> Judge:
        return Judge(self.exact, self.own_error, dtype)


@dataclass
class Learner:
    """A lesson placed on a device; `step` is what is timed."""

    lesson: Lesson
    model: nn.Module
    called: nn.Module
    """The same, as the engine made it."""
    optimizer: torch.optim.Optimizer
    parts: "tuple[Part, ...]"
    """The rows that a step takes, in as many parts as it accumulates; else in one."""
    setup: Setup

    def step(self) -> Tensor:
        """One step of training; gives the loss, of its last part."""
        share, (*first, last) = 1.0 / len(self.parts), self.parts
        for part in first:
            with casting(self.setup):
                loss = self.lesson.loss(self.called, *part)
            (loss * share).backward()  # type: ignore[no-untyped-call]
        return take_step(lambda: self.lesson.loss(self.called, *last), self.optimizer, self.setup, scale=share)

    def first_step(self) -> tuple[Tensor, Tensor]:
        """Loss and gradient norm at the initial weights, which it puts back."""
        self.model.load_state_dict(self.lesson.subject.model.state_dict())
        parts = _split(self.lesson, self.setup, probed_rows(self.setup))
        with casting(self.setup):
            return _loss_and_norm(self.lesson.loss, self.model, parts)


def lesson_of(subject: Subject, length: int | None = None) -> Lesson | str:
    """What a subject learns, or why it can't; `length` is that of a text."""
    if not any(parameter.requires_grad for parameter in subject.model.parameters()):
        return f"{subject.name} has no parameters to train"
    if subject.origin == "zoo":
        module: ZooModel = load_zoo_model(subject.name)
        extra: dict[str, Any] = {} if length is None else {"length": length}
        targets = module.example_targets(EXAMPLES, SEED, **extra)
        return Lesson(subject, targets, module.training_loss, "the zoo's")
    if subject.name == "convnet" and subject.origin == "small":
        return Lesson(subject, soft_targets(EXAMPLES, CLASSES, SEED), _cross_entropy, "cross entropy")
    # A person's model says nothing of its loss, so it gets a stand-in: the work backwards is the same.
    return Lesson(subject, torch.zeros(()), mean_square, "mean square of its outputs, a stand-in")


def _cross_entropy(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """With random soft targets, as in the post of May 2022."""
    return functional.cross_entropy(model(*inputs.args), targets)


def mean_square(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """Of everything that the model gives in floating point."""
    output = model(*inputs.args, **inputs.kwargs)
    return torch.stack([_wide(tensor).square().mean() for tensor in answer_of(output)]).sum()


def make_learner(lesson: Lesson, setup: Setup, batch: int) -> Learner:
    """Place a copy of the model in training mode, with a fresh Adam."""
    model = place_model(copy.deepcopy(lesson.subject.model), setup).train()
    kind = find_device(setup.device)[1].kind
    fused = FUSED in setup.options and kind in IN_TREE
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, fused=fused or None)
    return Learner(lesson, model, _called(model, setup), optimizer, _split(lesson, setup, batch), setup)


def parts_of(setup: Setup) -> int:
    """In how many parts a step takes its rows."""
    return next((int(one.removeprefix(ACCUMULATED)) for one in setup.options if one.startswith(ACCUMULATED)), 1)


def probed_rows(setup: Setup) -> int:
    """Of the examples, that the first step is verified with: one in every part."""
    return PROBED_ROWS * parts_of(setup)


def _split(lesson: Lesson, setup: Setup, batch: int) -> tuple[Part, ...]:
    """The rows of a batch where the setup wants them, in its parts."""
    inputs, targets = place_inputs(lesson.inputs(batch), setup), move(lesson.targets_for(batch), setup.device)
    rows, parts = lesson.subject.rows(batch), parts_of(setup)
    if parts == 1:
        return ((inputs, targets),)
    if rows % parts:
        raise ValueError(f"{rows} rows can't be taken in {parts} equal parts")

    def take(tensor: Tensor, part: int) -> Tensor:
        return tensor.chunk(parts)[part] if tensor.dim() and tensor.shape[0] == rows else tensor

    taken = [partial(take, part=part) for part in range(parts)]
    return tuple(
        (Inputs(map_tensors(inputs.args, one), map_tensors(inputs.kwargs, one)), one(targets)) for one in taken
    )


def _called(model: nn.Module, setup: Setup) -> nn.Module:
    """The model as the setup has it called: compiled, or with activations computed anew."""
    if setup.engine.partition(":")[0] == "compile":
        return cast(nn.Module, torch.compile(model))
    return _Checkpointed(model) if CHECKPOINTING in setup.options else model


class _Checkpointed(nn.Module):
    """Keeps what goes into each part of the model, and computes the rest anew on the way back."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        for part in _largest_parts(model):
            part.forward = _recomputed(part.forward)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.model(*args, **kwargs)


def _largest_parts(model: nn.Module) -> list[nn.Module]:
    """The layers of the longest list or sequence in the model: where most activations are made."""
    lists = [layer for layer in model.modules() if isinstance(layer, nn.ModuleList | nn.Sequential) and len(layer) > 1]
    longest = max(lists, key=len, default=None)
    return [] if longest is None else list(longest)


def _recomputed(forward: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return (
            checkpoint(forward, *args, use_reentrant=False, **kwargs)
            if torch.is_grad_enabled()
            else forward(*args, **kwargs)
        )

    return call


def exact_first_step(lesson: Lesson, batch: int = PROBED_ROWS) -> FirstStep:
    """The first step on the CPU, in float64 and in float32, all rows at once."""
    with half_the_threads():
        exact = _first_step_in(lesson, torch.float64, batch)
        with counting_saved_bytes() as saved:
            plain = _first_step_in(lesson, torch.float32, batch)
    return FirstStep(exact, error_between(plain, exact), sum(saved.values()) / lesson.subject.rows(batch))


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


def bytes_needed(lesson: Lesson, first: FirstStep, batch: int) -> float:
    """About how much a step takes: weights, gradients and Adam's two moments, and what is kept for the way back, half
    as much again for what comes and goes."""
    weights = sum(parameter.numel() * parameter.element_size() for parameter in lesson.subject.model.parameters())
    return 4.0 * weights + 1.5 * first.bytes_per_row * batch


def explain_loss(loss: Tensor) -> str | None:
    """What is wrong with a loss in the timed loop: it is not a number."""
    return None if bool(loss.isfinite().all()) else "the loss is not finite"


def facts_of_first_step(first: FirstStep, judge: Judge) -> dict[str, Scalar]:
    """For the record: the first step's loss and gradient norm in float64, and how far the device was from them."""
    named = zip(("first_loss", "first_gradient_norm"), (float(value.item()) for value in first.exact), strict=True)
    return {**{name: value for name, value in named if math.isfinite(value)}, **judge.facts()}


def _first_step_in(lesson: Lesson, dtype: torch.dtype, batch: int) -> tuple[Tensor, Tensor]:
    model = copy.deepcopy(lesson.subject.model).to(dtype)
    inputs = move_inputs(lesson.inputs(batch), "cpu", dtype)
    return _loss_and_norm(lesson.loss, model, ((inputs, move(lesson.targets_for(batch), "cpu", dtype)),))


def _loss_and_norm(loss_of: Loss, model: nn.Module, parts: Sequence[Part]) -> tuple[Tensor, Tensor]:
    was_training = model.training
    _train_without_chance(model)
    model.zero_grad()
    losses = []
    for part in parts:
        losses.append(loss_of(model, *part) / len(parts))
        losses[-1].backward()  # type: ignore[no-untyped-call]
    loss = torch.stack([one.detach() for one in losses]).sum()
    norms = [_norm(parameter.grad) for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()
    model.train(was_training)
    return loss.cpu().double(), torch.tensor(norms, dtype=torch.float64).norm()


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
