"""Traces one step of a model on the phantom: runs in a process of its own, since some operators abort without data."""

import gc
import importlib
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._triton import has_triton_package

from torchstone.checking import autocasting, generators, phantom, seeming
from torchstone.checking.building import Build
from torchstone.checking.guessing import EndlessLoopError
from torchstone.checking.hooks import make_careful
from torchstone.checking.host import HostTensorError
from torchstone.checking.lazy import follow_lazy, has_size, with_size
from torchstone.checking.losses import loss_of
from torchstone.checking.moving import moves_of
from torchstone.checking.places import Places
from torchstone.checking.recording import Recorder
from torchstone.checking.rewriting import Rewriting
from torchstone.checking.shadows import Shadows
from torchstone.checking.trace import ASKS_DEVICE, Guess, Place, Stop, Trace
from torchstone.checking.unwrapping import unwrap
from torchstone.errors import UserError, one_line_of
from torchstone.measuring.allocations import Allocations
from torchstone.models.inputs import Inputs, map_tensors
from torchstone.processes import cut

LARGEST_REAL_BYTES = 1 << 20
"""Smaller parameters keep their data while a model is built: functions look at biases and scales, not at matrices."""
CLIP_NORM = 1.0
BUILD_HINT = "move what needs the device out of the function that builds the model, or check it on the device itself"
LOOP_HINT = "check it on the device itself, or give the loop a bound that does not depend on values"
IN_EVALUATION = "judged in evaluation mode; --train judges a training step"
KEPT_MODE = "judged in the mode that it came in, which it refuses to change: {}"
WITH_GRADIENTS = "it goes back through its own computation, so it was followed with gradients"
GUESSED_MEMORY = "its memory rests in part on values that a trace does not have: ones stood for them"
LONGEST = 400
"""Characters of what stopped a trace."""


@dataclass(frozen=True)
class Question:
    """What is to be traced."""

    device: str
    """The kind that the program would name: `mps`."""
    overrides: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    """Operators that are made of others, and whose parts are to be seen."""
    train: bool = False
    with_gradients: bool = False
    """Also where nothing is trained: of a model that goes back by itself."""


def trace_step(build: Build, question: Question) -> Trace:
    """Build a model without its heavy weights, put it on the phantom, and record one step."""
    began = time.monotonic()
    gc.freeze()  # the collector need not walk through torch again and again while a library is imported
    if question.train:
        _load_compiler()
    seeming.seem(question.device)
    generators.install()
    autocasting.believe_in(question.device)
    shadows = Shadows(question.device)
    try:
        with phantom.light_weights(LARGEST_REAL_BYTES), shadows:
            model, inputs = build()
    except UserError as error:
        return _without_model(error)
    phantom.install()  # not before: torch itself would see an accelerator
    autocasting.install(question.device)
    model, notes = unwrap(model)
    if question.with_gradients:
        notes = (*notes, WITH_GRADIENTS)
    notes = (*notes, *_set_mode(model, question.train))
    gc.collect()
    gc.freeze()  # nor through the model and what it imported
    moved = moves_of(model, inputs)
    with phantom.PhantomMode(), Places(model) as places:
        for parameter, placed in phantom.place_model(model):
            shadows.stand_for(parameter, placed)
        recorder = Recorder(places, question.device, question.opened)
        make_careful(model, recorder.failures)
        recorder.host.know(model)
        phantom.stop_at(question.overrides, recorder.whole)
        step = _Step(model, _placed(inputs), question, places, shadows)
        stop = step.run(recorder)
    parameters = list(filter(has_size, model.parameters()))
    return Trace(
        calls=(*moved, *recorder.calls()),
        guesses=(*recorder.guesses.found, *(Guess(op=ASKS_DEVICE, place=Place(source=one)) for one in seeming.misled)),
        stop=stop,
        parameters=sum(parameter.numel() for parameter in parameters),
        weights_bytes=sum(tensor.nbytes for tensor in (*parameters, *filter(has_size, model.buffers()))),
        peak_bytes=None if stop is not None else step.peak_bytes,
        notes=(*notes, *_tell(recorder, None if stop is not None else step.peak_bytes)),
        seconds=time.monotonic() - began,
    )


def _tell(recorder: Recorder, peak_bytes: int | None) -> Iterator[str]:
    """What a reader should know of how a step was followed."""
    yield from (f"the check at {line} is taken not to raise" for line in recorder.guesses.passed)
    yield from recorder.cautions
    if peak_bytes is not None and recorder.guesses.found:
        yield GUESSED_MEMORY


def _set_mode(model: nn.Module, train: bool) -> Iterator[str]:
    """What a reader should know of it. An exported program is of one mode for good, and refuses to be asked."""
    was_training = model.training
    try:
        model.train(train)
    except NotImplementedError as error:
        yield KEPT_MODE.format(cut(one_line_of(error), LONGEST))
        return
    if was_training and not train:
        yield IN_EVALUATION


def _load_compiler() -> None:
    """torch's own, which the first step of an optimizer imports: without Triton, whose 66 MB it would load for one
    type. A model that uses Triton itself imports it later."""
    if "triton" in sys.modules or "torch._dynamo" in sys.modules:
        return
    modules: dict[str, Any] = vars(sys)["modules"]
    modules["triton"] = None  # Python's own way to say that it cannot be imported
    try:
        importlib.import_module("torch._dynamo")
    finally:
        del modules["triton"]
        has_triton_package.cache_clear()


def _without_model(error: UserError) -> Trace:
    """Of a model whose code uses the device while it is built, beyond what can be shown of one that is not here."""
    words = one_line_of(error)
    if not seeming.lacks_a_device(words):
        raise error
    return Trace(stop=Stop(kind="building the model", message=cut(words, LONGEST), place=Place(), hint=BUILD_HINT))


def _placed(inputs: Inputs) -> Inputs:
    return Inputs(*(map_tensors(part, phantom.place_with_value) for part in inputs))


@dataclass
class _Step:
    model: nn.Module
    inputs: Inputs
    question: Question
    places: Places
    shadows: Shadows
    peak_bytes: int | None = None

    def run(self, recorder: Recorder) -> Stop | None:
        """The step; what stops it comes back with its line."""
        allocations, rewriting = Allocations(phantom.NAME), Rewriting(recorder, self.shadows)
        try:
            with (
                allocations,
                allocations.knowing(with_size(self.model), None),
                rewriting,
                rewriting.going_back(),
                recorder,
            ):
                follow_lazy(self.model, allocations.hold)
                state_bytes = self._train(recorder) if self.question.train else self._infer()
        except UserError:  # what was asked for makes no sense, on any device
            raise
        except BaseException as error:  # somebody else's model may raise anything, in a process that nobody interrupts
            return _tell_stop(error, self.places)
        # From the second step on the optimizer's state is there while the activations are.
        self.peak_bytes = sum(allocations.timeline.peak().values()) + state_bytes
        return None

    def _infer(self) -> int:
        with torch.set_grad_enabled(self.question.with_gradients):
            self.model(*self.inputs.args, **self.inputs.kwargs)
        return 0

    def _train(self, recorder: Recorder) -> int:
        loss = loss_of(self.model(*self.inputs.args, **self.inputs.kwargs))
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.places.phase = "backward"
        loss.backward()  # type: ignore[no-untyped-call]
        del loss
        self.places.phase = "clipping"
        nn.utils.clip_grad_norm_(trained, CLIP_NORM)
        self.places.phase = "optimizer"
        return sum(_step_alike(alike, recorder) for alike in _group_alike(trained))


APART = "are not at the same device"
"""What a recurrent layer says before it calls any operator (ATen/native/RNN.cpp)."""
APART_HINT = "make the hidden state where the input is: device=x.device"


def _tell_stop(error: BaseException, places: Places) -> Stop:
    message = cut(_without_internals(one_line_of(error)), LONGEST)
    if isinstance(error, HostTensorError):
        place = places.place_of(error)
        return Stop(kind=error.subject, message=message, place=place, hint=error.hint, is_refused=True)
    if isinstance(error, EndlessLoopError):
        return Stop(kind="a loop", message=message, place=error.place, hint=LOOP_HINT)
    if APART in message:
        return Stop(kind="two devices", message=message, place=places.place_of(error), hint=APART_HINT, is_refused=True)
    return Stop(kind=type(error).__name__, message=message, place=places.place_of(error))


def _without_internals(words: str) -> str:
    """As a person should read it, without the objects of this process."""
    whole = re.search(r"no rule registered for HigherOrderOperator (\w+)", words)
    if whole is not None:
        return f"{whole.group(1)} takes functions of yours as they are, into which a trace cannot look"
    return re.sub(r"<(?:[\w.]+\.)?(\w+)( object)? at 0x[0-9a-f]+>", r"\1", words)


def _group_alike(parameters: list[nn.Parameter]) -> list[list[nn.Parameter]]:
    """An optimizer treats each parameter by itself: of those with one shape and dtype, one tells for all."""
    groups: dict[Any, list[nn.Parameter]] = {}
    for one in parameters:
        if one.grad is not None:
            groups.setdefault((one.shape, one.stride(), one.dtype, one.grad.dtype), []).append(one)
    return list(groups.values())


def _step_alike(parameters: list[nn.Parameter], recorder: Recorder) -> int:
    """Take AdamW's step with the first, count it for all; gives the bytes that it keeps for all of them."""
    optimizer = torch.optim.AdamW(parameters[:1])
    with recorder.counting(len(parameters)):
        optimizer.step()
    return _state_bytes(optimizer) * len(parameters)


def _state_bytes(optimizer: torch.optim.Optimizer) -> int:
    states = (value for state in optimizer.state.values() for value in state.values())
    return sum(one.nbytes for one in states if isinstance(one, Tensor) and one.device.type == phantom.NAME)
