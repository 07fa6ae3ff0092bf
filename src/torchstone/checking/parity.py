"""The whole model on the device against the CPU: in float64, and in its own dtype for how far the CPU itself is off.

The first function whose result leaves what the CPU's own error explains is named with its module and line; on the way
back, the function whose incoming gradient is right and whose outgoing one is not. Runs in a process of its own.
"""

import copy
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from torchstone.backends import find_device
from torchstone.checking.answer import CheckFinding, Divergence
from torchstone.checking.building import Build
from torchstone.checking.hooks import copied
from torchstone.checking.losses import loss_of
from torchstone.checking.places import Places
from torchstone.checking.trace import Place
from torchstone.checking.unwrapping import unwrap
from torchstone.checking.watching import Step, Watch
from torchstone.correctness.yardstick import Yardstick
from torchstone.errors import one_line_of
from torchstone.models.inputs import Inputs, map_tensors, move_inputs, tensors_in
from torchstone.processes import cut

FALLS_BACK = re.compile(r"'?(aten::\w+)'?.*fall back to run on the CPU|fall.*back.*CPU.*?(aten::\w+)", re.IGNORECASE)
LONGEST = 400
SEED = 0


class Parity(msgspec.Struct, frozen=True, kw_only=True):
    """What the comparison found."""

    findings: tuple[CheckFinding, ...] = ()
    divergence: Divergence | None = None
    steps: int = 0
    """Functions compared; 0 where the model did not run there to its end."""
    notes: tuple[str, ...] = ()


@dataclass
class _Run:
    """One run of the model."""

    steps: list[Step]
    output: list[Tensor]
    gradients: dict[int, tuple[str, Tensor]]
    """Of the parameters, by their place in the model's order."""
    parameters: dict[int, int]
    """From a parameter's identity to its place."""
    loss: float | None = None


def compare_on(build: Build, device: str, train: bool) -> Parity:
    """Build the model once, and run it three times."""
    model, inputs = build()
    model, notes = unwrap(model)
    return compare(model, inputs, device, train, notes)


def compare(model: nn.Module, inputs: Inputs, device: str, train: bool, notes: tuple[str, ...] = ()) -> Parity:
    """A model that is here, as eager code."""
    torch.set_warn_always(True)
    found = find_device(device)[1].id
    model = copied(model).cpu()
    own = _run(model, inputs, "cpu", None, train)
    try:
        exact = _run(model, inputs, "cpu", torch.float64, train)
    except Exception as error:  # a dtype may be written in the model, and not go together with float64
        exact = own
        notes = (*notes, f"compared with the CPU as it is: in float64 it fails there ({type(error).__name__})")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            got = _run(model, inputs, found, None, train)
        except _FailedError as failed:
            return Parity(findings=(failed.finding, *_fallbacks(warned)), notes=notes)
    told = _tell_outcome(got, own)
    divergence = _first_forward(got, own, exact) or (_first_backward(got, own, exact) if train else None)
    findings = (*_fallbacks(warned), *([_tell(divergence)] if divergence is not None else []))
    return Parity(
        findings=findings,
        divergence=divergence,
        steps=len(got.steps),
        notes=(*notes, f"{len(got.steps)} functions compared with the CPU's float64; {told}".rstrip("; ")),
    )


class _FailedError(Exception):
    """The model does not run there."""

    def __init__(self, finding: CheckFinding) -> None:
        super().__init__(finding.reason)
        self.finding = finding


def _run(model: nn.Module, inputs: Inputs, device: str, dtype: torch.dtype | None, train: bool) -> _Run:
    placed = copied(model)
    train_without_chance(placed) if train else placed.eval()
    with Places(placed) as places:
        try:
            placed = placed.to(device=device, dtype=dtype)
            moved = move_inputs(copy_inputs(inputs), device, dtype)
            torch.manual_seed(SEED)
            return _watched(placed, moved, places, train)
        except Exception as error:  # whatever a device or a model raises is the answer
            if device == "cpu":
                raise
            raise _FailedError(_tell_failure(error, places.place_of(error))) from error


def _watched(model: nn.Module, inputs: Inputs, places: Places, train: bool) -> _Run:
    watch = Watch(places, train)
    parameters = {id(one): number for number, one in enumerate(model.parameters())}
    with watch, torch.set_grad_enabled(train):
        output = model(*inputs.args, **inputs.kwargs)
        places.phase = "backward"
        loss = loss_of(output) if train else None
    if loss is not None:
        loss.backward()  # type: ignore[no-untyped-call]
    gradients = {
        number: (name, one.grad.detach().cpu())
        for number, (name, one) in enumerate(model.named_parameters())
        if one.grad is not None
    }
    read = [one.detach().cpu() for one in tensors_in(output)]
    return _Run(watch.steps, read, gradients, parameters, None if loss is None else float(loss.detach().cpu()))


def copy_inputs(inputs: Inputs) -> Inputs:
    """With the same strides and offsets: a model may write into what it is given."""

    def copied(tensor: Tensor) -> Tensor:
        return copy.deepcopy(tensor.detach()).requires_grad_(tensor.requires_grad)

    return Inputs(*map_tensors(tuple(inputs), copied))


def train_without_chance(model: nn.Module) -> None:
    """In training mode with dropout off: two devices draw different numbers."""
    model.train()
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.eval()
        elif isinstance(module, nn.RNNBase):
            module.dropout = 0.0


def explain_difference(got: Tensor, own: Tensor, exact: Tensor) -> str | None:
    """How a value differs from the exact one by more than the CPU's own error explains; None where it does not."""
    if got.shape != own.shape or got.dtype != own.dtype:
        return f"gives {tuple(got.shape)} {got.dtype} where the CPU gives {tuple(own.shape)} {own.dtype}"
    if got.numel() == 0 or own.shape != exact.shape:
        return None
    if not got.is_floating_point():
        return _explain_whole(got, own, exact)
    dtype = str(got.dtype).removeprefix("torch.")
    yardstick = Yardstick(exact.double(), own.double(), dtype)
    error = yardstick.compare(got.double())
    if error is None or error.share <= 1 or yardstick.unjudgeable is not None:
        return None
    if math.isinf(error.share):
        return error.words or "it is not finite where the CPU's float64 answer is"
    own_words = f"the CPU's own error in {dtype} is {yardstick.own_error:.2g}"
    return f"differs from the CPU's float64 answer by {error.relative:.2g} of the largest value; {own_words}"


def _explain_whole(got: Tensor, own: Tensor, exact: Tensor) -> str | None:
    """Integers, booleans and complex numbers: as the CPU has them, unless float64 has them otherwise."""
    if got.is_complex():
        return explain_difference(torch.view_as_real(got), torch.view_as_real(own), torch.view_as_real(exact))
    if not torch.equal(own, exact.to(own.dtype)) or torch.equal(got, own):
        return None
    return f"{int((got != own).sum())} of {got.numel()} values are not the CPU's"


def _first_forward(got: _Run, own: _Run, exact: _Run) -> Divergence | None:
    for step, mine, right in _aligned(got, own, exact):
        for value, plain, wanted in zip(step.values, mine.values, right.values, strict=True):
            reason = explain_difference(value, plain, wanted)
            if reason is not None:
                return _diverging(step, "forward", reason)
    return None


def _aligned(got: _Run, own: _Run, exact: _Run) -> Iterator[tuple[Step, Step, Step]]:
    """Up to where one takes another way."""
    for steps in zip(got.steps, own.steps, exact.steps, strict=False):
        if len({(one.name, one.place.source, len(one.values)) for one in steps}) > 1:
            return
        yield steps


def _first_backward(got: _Run, own: _Run, exact: _Run) -> Divergence | None:
    """From the last step back: the first whose results' gradients are right and whose inputs' are not."""
    reasons: dict[int, str] = {}
    right: list[bool] = []
    aligned = list(_aligned(got, own, exact))
    for step, mine, wanted in aligned:
        found = _explain_gradients(step.gradients, mine.gradients, wanted.gradients)
        right.append(not found)
        reasons.update({id(step.outputs[number]): reason for number, reason in found.items()})
    of_parameters = {number: one[1] for number, one in got.gradients.items()}
    wrong = _explain_gradients(of_parameters, _plain(own), _plain(exact))
    reasons.update({identity: wrong[number] for identity, number in got.parameters.items() if number in wrong})
    for is_right, (step, _, _) in zip(reversed(right), reversed(aligned), strict=True):
        reason = next((reasons[one] for one in step.inputs if one in reasons), None)
        if is_right and reason is not None:
            return _diverging(step, "backward", f"the gradient that it gives {reason}")
    return _by_parameter(got, wrong)


def _plain(run: _Run) -> dict[int, Tensor]:
    return {number: one[1] for number, one in run.gradients.items()}


def _by_parameter(got: _Run, wrong: dict[int, str]) -> Divergence | None:
    for number, reason in wrong.items():
        name = got.gradients[number][0]
        module = name.rpartition(".")[0]
        return Divergence(subject=f"gradient of {name}", module=module, source="", phase="backward", reason=reason)
    return None


def _explain_gradients(got: dict[int, Tensor], own: dict[int, Tensor], exact: dict[int, Tensor]) -> dict[int, str]:
    shared = [number for number in got if number in own and number in exact]
    found = {number: explain_difference(got[number], own[number], exact[number]) for number in shared}
    return {number: reason for number, reason in found.items() if reason is not None}


def _diverging(step: Step, phase: str, reason: str) -> Divergence:
    # Of the operators that a function becomes, the last gives its result; on the way back there are others.
    subject = step.ops[-1] if step.ops and phase == "forward" else step.name
    module, source = step.place.module, step.place.source
    return Divergence(subject=subject, module=module, source=source, phase=phase, reason=f"{step.name}: {reason}")


def _tell(divergence: Divergence) -> CheckFinding:
    return CheckFinding(
        subject=divergence.subject,
        verdict="wrong",
        tier="measured",
        phase=divergence.phase,
        module=divergence.module,
        source=divergence.source,
        hint=f"compute it on the CPU for now (.cpu() before, .to(x.device) after), and report {divergence.subject}",
        reason=divergence.reason,
    )


def _tell_failure(error: Exception, place: Place) -> CheckFinding:
    text = one_line_of(error)
    named = re.search(r"aten::[\w.]+", text)
    missing = isinstance(error, NotImplementedError) and named is not None
    return CheckFinding(
        subject=named.group(0) if named is not None else type(error).__name__,
        verdict="will_not_run",
        tier="measured",
        phase=place.phase,
        module=place.module,
        source=place.source,
        hint="move its tensors to the CPU for this call: .cpu()" if missing else "see what it says, and mend that line",
        reason=cut(text, LONGEST),
    )


def _fallbacks(warned: list[Any]) -> tuple[CheckFinding, ...]:
    found = [FALLS_BACK.search(str(one.message)) for one in warned]
    names = dict.fromkeys(one.group(1) or one.group(2) for one in found if one is not None)
    return tuple(
        CheckFinding(
            subject=name,
            verdict="falls_back",
            tier="measured",
            hint="every call waits for the device and copies its tensors to the CPU and back",
            reason="the device said so when it ran",
        )
        for name in names
    )


def _tell_outcome(got: _Run, own: _Run) -> str:
    """Whether what a person would see differs: the class with the largest score, the loss."""
    words = []
    for mine, plain in zip(got.output, own.output, strict=False):
        if mine.is_floating_point() and mine.dim() > 0 and mine.shape == plain.shape and mine.shape[-1] > 1:
            differing = int((mine.argmax(-1) != plain.argmax(-1)).sum())
            words.append(f"the largest value is elsewhere in {differing} of {mine[..., 0].numel()} rows")
            break
    if got.loss is not None and own.loss is not None:
        words.append(f"the loss is {got.loss:.6g} where the CPU's is {own.loss:.6g}")
    return "; ".join(words)
