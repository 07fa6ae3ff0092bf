"""Is an output right? Compared with the CPU's float64 answer, and graded against the CPU's own error in that dtype.

No fixed tolerance suits two models: rounding grows with depth and shrinks with width. So the yardstick is measured: how
far the CPU itself falls from float64 when it computes the same model in the same dtype. Below float32 that is done by
rounding the weights and every layer's output while computing in float32, because the CPU's own bfloat16 kernels can
end the process (oneDNN's AMX code raises SIGILL in a virtual machine that announces AMX but does not grant it).
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.models.inputs import Inputs, move_inputs, tensors_in
from torchstone.records import Scalar

CPU_ERROR_FACTOR = 4.0
"""How many times the CPU's own error is still the same answer: another order of summing easily doubles an error."""
FLOORS = {"float64": 1e-9, "float32": 2**-8, "float16": 2**-5, "bfloat16": 2**-3}
"""What is tolerated however exact the CPU is, relative to the largest value. For float32 four units of TF32 (10 bits),
in which CUDA's convolutions compute by default; for the narrow ones the same four units, rounded up to half a digit."""
ROWS_CHECKED = 4
"""Of a large batch: the first, the last and some between, because reading all back would cost more than the run."""

Answer = tuple[Tensor, ...]


def answer_of(output: Any) -> Answer:
    """The floating-point tensors of an output: token ids and masks follow from them."""
    return tuple(tensor for tensor in tensors_in(output) if tensor.is_floating_point())


def exact_answer(model: nn.Module, inputs: Inputs) -> Answer:
    """What the model says on the CPU in float64. The model itself is left as it is."""
    return _answer_in(copy.deepcopy(model).double(), inputs, torch.float64)


def plain_answer(model: nn.Module, inputs: Inputs) -> Answer:
    """What the model says on the CPU as it is: the second best to compare with, where it cannot run in float64."""
    with torch.inference_mode():
        output = model(*inputs.args, **inputs.kwargs)
    return tuple(tensor.detach().double() for tensor in answer_of(output))


def cpu_error(model: nn.Module, inputs: Inputs, exact: Answer, dtype: str) -> float:
    """How far the CPU itself is from `exact` in `dtype`; infinite where that dtype cannot hold the model's values."""
    if dtype in ("float32", "float64"):
        wide = getattr(torch, dtype)
        return error_between(_answer_in(copy.deepcopy(model).to(wide), inputs, wide), exact)
    rounded = _rounding_copy(model, getattr(torch, dtype))
    return error_between(_answer_in(rounded, inputs, torch.float32), exact)


def tolerance_for(error: float, dtype: str) -> float:
    """How far from `exact` is still right, where the CPU's own error in that dtype is `error`."""
    return max(CPU_ERROR_FACTOR * error, FLOORS.get(dtype, FLOORS["float32"]))


def error_between(got: Sequence[Tensor], exact: Sequence[Tensor]) -> float:
    """The largest difference over the largest exact value, of the worst tensor; infinite where one is not finite."""
    return max((_error(one, other) for one, other in zip(got, exact, strict=True)), default=0.0)


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


def _answer_in(model: nn.Module, inputs: Inputs, dtype: torch.dtype) -> Answer:
    with half_the_threads():
        return plain_answer(model, move_inputs(inputs, "cpu", dtype))


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


def _rounding_copy(model: nn.Module, dtype: torch.dtype) -> nn.Module:
    """A float32 copy that loses after every layer what `dtype` would lose."""
    narrow = copy.deepcopy(model).to(dtype).float()
    for layer in narrow.modules():
        if not any(True for _ in layer.children()):
            layer.register_forward_hook(_round_output(dtype))
    return narrow


def _round_output(dtype: torch.dtype) -> Callable[..., Any]:
    def hook(layer: nn.Module, args: Any, output: Any) -> Any:
        if isinstance(output, Tensor) and output.is_floating_point():
            return output.to(dtype).to(output.dtype)
        return None

    return hook


def _error(got: Tensor, exact: Tensor) -> float:
    """Infinities in the right places are right (a mask is made of them); a NaN is never."""
    if exact.numel() == 0:
        return 0.0
    got, exact = got.detach().cpu().double(), exact.detach().cpu().double()
    finite = exact.isfinite()
    if not torch.equal(got.isfinite(), finite) or not torch.equal(got[~finite], exact[~finite]):
        return float("inf")
    if not bool(finite.any()):
        return 0.0
    scale = exact[finite].abs().max().item()
    difference = (got[finite] - exact[finite]).abs().max().item()
    return difference / scale if scale > 0 else difference


@dataclass
class Judge:
    """Looks at outputs of a timed call: `judge(output)` says what is wrong, or None. Remembers the worst it saw."""

    exact: Answer
    """On the CPU, float64."""
    own_error: float
    """The CPU's, in the same dtype."""
    dtype: str
    rows: tuple[int, ...] | None = None
    """Which rows of `exact` the output's rows are, in order: a batch of 5 made of two examples has 0, 1, 0, 1, 0. None
    where the output is the whole of `exact`."""
    worst: float = field(default=0.0, init=False)
    looks: int = field(default=0, init=False)

    def __call__(self, output: Any) -> str | None:
        got = answer_of(output)
        complaint = self._explain_shape(got)
        if complaint is not None:
            return complaint
        self.looks += 1
        error = error_between(self._looked_at(got), self._expected())
        self.worst = max(self.worst, error)
        return self._explain_error(error)

    @property
    def tolerance(self) -> float:
        return tolerance_for(self.own_error, self.dtype)

    def facts(self) -> dict[str, Scalar]:
        """For the record: how right it was, and by which yardstick."""
        if self.looks == 0:
            return {}
        return {
            "error": _finite(self.worst),
            "cpu_error": _finite(self.own_error),
            "tolerance": _finite(self.tolerance),
            "outputs_verified": self.looks,
        }

    def _explain_shape(self, got: Answer) -> str | None:
        if len(got) != len(self.exact):
            return f"gives {len(got)} tensors where the CPU gives {len(self.exact)}"
        shapes = [(tuple(one.shape), self._shape(other)) for one, other in zip(got, self.exact, strict=True)]
        return next((f"gives shape {one} where the CPU gives {other}" for one, other in shapes if one != other), None)

    def _shape(self, exact: Tensor) -> tuple[int, ...]:
        return tuple(exact.shape) if self.rows is None else (len(self.rows), *exact.shape[1:])

    def _looked_at(self, got: Answer) -> Answer:
        if self.rows is None:
            return got
        return tuple(torch.stack([tensor[row] for row in pick_rows(len(self.rows))]) for tensor in got)

    def _expected(self) -> Answer:
        if self.rows is None:
            return self.exact
        rows = [self.rows[row] for row in pick_rows(len(self.rows))]
        return tuple(tensor[rows] for tensor in self.exact)

    def _explain_error(self, error: float) -> str | None:
        if error <= self.tolerance:
            return None
        if error == float("inf"):
            return f"its output is not finite in {self.dtype} where the CPU's float64 answer is"
        own = f"the CPU's own error in {self.dtype} is {self.own_error:.2g}"
        return f"differs from the CPU's float64 answer by {error:.2g} of its largest value; {own}"


def _finite(number: float) -> float | None:
    """Records hold no infinity."""
    return None if number == float("inf") else number
