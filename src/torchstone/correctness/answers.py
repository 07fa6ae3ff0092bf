"""What a model says on the CPU: exactly (float64), as it is, and with the rounding of another dtype.

The CPU's own bfloat16 kernels can end the process (oneDNN's AMX code raises SIGILL in a virtual machine that announces
AMX but does not grant it). So below float32 rounding is emulated: the model computes in float32, and after every
operator its values lose what the narrow dtype would lose.
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.correctness.yardstick import relative_error
from torchstone.models.inputs import Inputs, move_inputs, tensors_in

WIDE = ("float32", "float64")
ROWS_CHECKED = 4
"""Of a large batch: the first, the last and some between, because reading all back would cost more than the run."""
BEYOND_ANY_VALUE = 1e37
"""Such numbers are what masks are made of; a model in the narrow dtype would write the least of its own."""

Answer = tuple[Tensor, ...]


def answer_of(output: Any) -> Answer:
    """The floating-point tensors of an output."""
    return tuple(tensor for tensor in tensors_in(output) if tensor.is_floating_point())


def exact_answer(model: nn.Module, inputs: Inputs) -> Answer:
    """What the model says on the CPU in float64. The model itself is left as it is."""
    return _doubles(run_in(copy.deepcopy(model).double(), inputs, torch.float64))


def plain_answer(model: nn.Module, inputs: Inputs) -> Answer:
    """What the model says on the CPU as it is: the second best to compare with, where it cannot run in float64."""
    return _doubles(run(model, inputs))


def cpu_error(model: nn.Module, inputs: Inputs, exact: Answer, dtype: str) -> float:
    """How far the CPU itself is from `exact` in `dtype`; infinite where that dtype cannot hold the model's values."""
    return error_between(_doubles(run_rounded(model, inputs, dtype)), exact)


def error_between(got: Sequence[Tensor], exact: Sequence[Tensor]) -> float:
    """The largest difference over the largest exact value, of the worst tensor; infinite where one is not finite."""
    return max((relative_error(one, other) for one, other in zip(got, exact, strict=True)), default=0.0)


def explain_not_finite(exact: Answer) -> str | None:
    """Why an answer is nothing to compare with, where the model itself says NaN."""
    if any(bool(tensor.isnan().any()) for tensor in exact):
        return "its output is NaN on the CPU in float64 already: no speed of it means anything"
    return None


def pick_rows(batch: int) -> list[int]:
    """The rows of a batch that are looked at."""
    if batch <= ROWS_CHECKED:
        return list(range(batch))
    return sorted({0, 1, batch // 2, batch - 1})


def run(model: nn.Module, inputs: Inputs) -> Any:
    """One call without gradients."""
    with torch.inference_mode():
        return model(*inputs.args, **inputs.kwargs)


def run_in(model: nn.Module, inputs: Inputs, dtype: torch.dtype) -> Any:
    """One call of a model that has been brought to `dtype`, with inputs brought there too."""
    with half_the_threads():
        return run(model, move_inputs(inputs, "cpu", dtype))


def run_rounded(model: nn.Module, inputs: Inputs, dtype: str) -> Any:
    """One call of a copy on the CPU with the rounding of `dtype`."""
    narrow: torch.dtype = getattr(torch, dtype)
    moved = copy.deepcopy(model).to(narrow)
    if dtype in WIDE:
        return run_in(moved, inputs, narrow)
    with Rounding(narrow):
        return run_in(moved.float(), move_inputs(inputs, "cpu", narrow), torch.float32)


class Rounding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within, every operator's float32 results lose what a narrow dtype would lose."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._dtype = dtype

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = operator(*args, **(kwargs or {}))
        for tensor in tree_leaves(results):
            if isinstance(tensor, Tensor) and tensor.dtype is torch.float32 and tensor.layout is torch.strided:
                rounded = tensor.to(self._dtype).float()
                if _is_written_once(tensor):
                    tensor.copy_(torch.where(tensor.abs() < BEYOND_ANY_VALUE, rounded, tensor))
        return results


def _is_written_once(tensor: Tensor) -> bool:
    """An expanded tensor has one element in many places; what it was expanded from has been rounded already."""
    return not any(size > 1 and stride == 0 for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


@contextmanager
def half_the_threads() -> Iterator[None]:
    """On a machine that is also busy otherwise, OpenMP's waiting makes all threads ten times slower than half of them
    (Lite0 in float64 on two cores at load 9: 16 s with two threads, 1.8 s with one); on an idle one little is lost."""
    before = torch.get_num_threads()
    torch.set_num_threads(max(1, before // 2))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _doubles(output: Any) -> Answer:
    return tuple(tensor.detach().double() for tensor in answer_of(output))
