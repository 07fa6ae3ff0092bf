"""Will it fit? The peak of a call predicted without running it: traced on fake tensors, which have sizes and no data.

Nothing is computed and nothing allocated, so the answer for a batch that is far too large takes as long as for one of
two. The dispatcher's count is the same as in a measurement; what operators take for themselves can't be foreseen.
"""

import copy
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from torchstone.backends import find_device
from torchstone.errors import first_line_of
from torchstone.measuring.memory import MemoryPeak, divide, follow_allocations
from torchstone.measuring.own_buffers import foresee_own_buffers

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]
LossOf = Callable[[Any], Tensor]
SOURCE = "predicted: traced on tensors without data; what operators take for themselves is not foreseen"


class CannotPredictError(Exception):
    """The model can't be traced without data; says why."""


@dataclass(frozen=True)
class Fit:
    """Whether one batch fits into a device's memory."""

    rows: int
    peak: MemoryPeak | None
    device_memory_bytes: int | None
    reason: str | None = None
    """Why `fits` is None."""

    @property
    def fits(self) -> bool | None:
        if self.peak is None or self.device_memory_bytes is None:
            return None
        return self.peak.peak_bytes <= self.device_memory_bytes


def will_it_fit(
    model: nn.Module,
    inputs: Arguments,
    rows: Sequence[int],
    *,
    device: str = "cpu",
    train: bool = False,
    optimizer: MakeOptimizer | None = None,
    loss: LossOf | None = None,
) -> tuple[Fit, ...]:
    """For each number of rows: the predicted peak beside the device's memory."""
    _, found = find_device(device)
    unknown = None if found.memory_bytes is not None else f"{found.id} does not say how much memory it has"
    fits = []
    for count in rows:
        try:
            peak = predict_peak(model, inputs, rows=count, train=train, optimizer=optimizer, loss=loss)
            fits.append(Fit(count, peak, found.memory_bytes, unknown))
        except CannotPredictError as error:
            fits.append(Fit(count, None, found.memory_bytes, str(error)))
    return tuple(fits)


def predict_peak(
    model: nn.Module,
    inputs: Arguments,
    *,
    rows: int | None = None,
    train: bool = False,
    optimizer: MakeOptimizer | None = None,
    loss: LossOf | None = None,
) -> MemoryPeak:
    """The peak of a call of `model` with `inputs` (args and kwargs), in which the batch is `rows` where it is given.

    With `train`, of a step: forward, backward of `loss` of the output (the sum of everything in it by default), and
    the optimizer's step where one is given as a function of the parameters (`torch.optim.Adam`). The model is traced
    in the mode that it is in, and left as it is.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    device_type = _device_of(model, inputs).split(":")[0]
    foresee = foresee_own_buffers if device_type == "cpu" else None
    try:
        with mode:
            call, fake, made = _prepare(mode, model, inputs, rows, train, optimizer, loss)
            for _ in range(2 if train else 1):  # the first step makes the optimizer's state
                timeline = follow_allocations(call, device_type, fake, made, foresee)
    except Exception as error:  # somebody else's model may look at its data, or leave torch
        raise CannotPredictError(f"it can't be traced without data: {first_line_of(error)}") from error
    return divide(timeline, None, SOURCE)


def _prepare(
    mode: FakeTensorMode,
    model: nn.Module,
    inputs: Arguments,
    rows: int | None,
    train: bool,
    optimizer: MakeOptimizer | None,
    loss: LossOf | None,
) -> tuple[Callable[[], Any], nn.Module, torch.optim.Optimizer | None]:
    fake = _without_data(mode, model)
    args, kwargs = _resized(mode, inputs, rows)
    if not train:
        return lambda: _infer(fake, args, kwargs), fake, None
    made = optimizer(fake.parameters()) if optimizer is not None else None

    def step() -> None:
        fake.zero_grad()
        (loss or _sum)(fake(*args, **kwargs)).backward()  # type: ignore[no-untyped-call]
        if made is not None:
            made.step()

    return step, fake, made


def _infer(model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with torch.inference_mode():
        return model(*args, **kwargs)


def _sum(output: Any) -> Tensor:
    values = output.values() if isinstance(output, dict) else output
    tensors = [leaf for leaf in tree_leaves(list(values) if isinstance(output, dict) else values) if _has_slope(leaf)]
    return torch.stack([tensor.float().sum() for tensor in tensors]).sum()


def _has_slope(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.requires_grad


def _without_data(mode: FakeTensorMode, model: nn.Module) -> nn.Module:
    """A copy whose weights have sizes only: the copying is told that they have been copied already."""
    weights = itertools.chain(model.parameters(), model.buffers())
    return copy.deepcopy(model, {id(tensor): mode.from_tensor(tensor) for tensor in weights})


def _resized(mode: FakeTensorMode, inputs: Arguments, rows: int | None) -> Arguments:
    """Fake inputs; of those that have the batch of the first tensor, the batch is `rows`."""
    first = next((leaf for leaf in tree_leaves(inputs) if isinstance(leaf, Tensor) and leaf.dim() > 0), None)
    batch = None if first is None else first.shape[0]

    def fake(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor):
            return leaf
        if rows is None or leaf.dim() == 0 or leaf.shape[0] != batch:
            return mode.from_tensor(leaf)
        return torch.empty((rows, *leaf.shape[1:]), dtype=leaf.dtype, device=leaf.device)

    args, kwargs = tree_map(fake, (inputs[0], inputs[1]))
    return args, kwargs


def _device_of(model: nn.Module, inputs: Arguments) -> str:
    tensors = itertools.chain(model.parameters(), model.buffers(), tree_leaves((inputs[0], inputs[1])))
    return next((str(tensor.device) for tensor in tensors if isinstance(tensor, Tensor)), "cpu")
