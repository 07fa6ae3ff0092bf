"""Grades uncuda: each function on the graded device and on the pretend one, where a wrong device is an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    fail,
    guard,
    pretend_device,
    raw,
    watch_call,
)
from torchstone.learn.grading.second_device import two_devices
from torchstone.pretend.machine import machine

PROMISES = {
    "It says `cuda` in eight places, one in each function": None,
    "`running(lengths, longest)` — a mask `(batch, longest)` of what is no padding": "masks_are_made_in_place",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

BUSY_S = 0.02
MOVED = "The device is an argument: value.to(device) goes to any, .cuda() to one kind."
MAPPED = "A file remembers where its tensors were; map_location=device says where they shall go."
TIED = "map_location sends each piece of memory once; a .to(device) for each name copies over the CPU, and unties them."
NAMED = "A program may change the default: where the task says float32, name it, dtype=torch.float32."
AUTOCAST = "autocast wants the type of the device that computes, x.device.type: each kind has a switch of its own."


class SwitchedOn(TorchFunctionMode):
    """Writes down the kinds of devices for which autocast is on while torch is called."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.kinds |= {kind for kind in ("cpu", "cuda", "pretend") if torch.is_autocast_enabled(kind)}
        return func(*args, **(kwargs or {}))


def everywhere(draw: Draw) -> Iterator[Draw]:
    """The graded device, then the pretend one."""
    yield draw
    with pretend_device() as device:
        yield draw.on(device)


def expect_no_detour(function: object, *args: object) -> None:
    """Nothing is made on the host and sent over; a number that is read is another matter."""
    copies = [what for what, _ in watch_call(function, *args).crossings if "copy" in what]
    name = getattr(function, "__name__", "it")
    teach = "Make it where it is needed, with device=x.device or a …_like function, not on the CPU first."
    expect(not copies, f"{name} copies between the CPU and the device {len(copies)} times", teach=teach)


def mask(lengths: Tensor, longest: int) -> Tensor:
    return torch.tensor([[step < length for step in range(longest)] for length in lengths.tolist()])


def rows(labels: Tensor, classes: int) -> Tensor:
    return torch.tensor([[float(label == column) for column in range(classes)] for label in labels.tolist()])


def halves(x: Tensor, weight: Tensor) -> Tensor:
    return (x.half().double() @ weight.half().double()).half()


@check("solved", teach="A new tensor goes where its neighbour is: device=lengths.device.")
def masks_are_made_in_place(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for longest in (1, 4, 7):
            lengths = here.integers(3, high=longest + 1)
            expect_same(answer.running, mask, lengths, longest)
            expect_no_detour(answer.running, lengths, longest)


@check("solved", teach="torch.randn_like(x) has the shape, the dtype and the device of x.")
def noise_follows_its_input(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for dtype in (torch.float32, torch.float16):
            x = here.normal(2000, dtype=dtype)
            got = answer.add_noise(x, 3.0)
            expect_close(answer.add_noise(x, 0.0), x.cpu(), what="x with noise of size 0", device=here.device)
            expect(got.dtype == x.dtype, f"the result is {got.dtype} for {x.dtype}")
            expect_no_detour(answer.add_noise, x, 1.0)
            noise = (got - x).float().cpu()
            spread, middle = noise.std().item(), noise.mean().item()
            expect(
                2.5 < spread < 3.5 and abs(middle) < 0.5,
                f"noise of size 3 has the standard deviation {spread:.2f} and the mean {middle:.2f}",
                teach="The noise is normal, with mean 0, times the amount.",
            )
            again = (answer.add_noise(x, 3.0) - x).float().cpu()
            expect(not torch.equal(noise, again), "two calls gave the same noise", teach="Draw new noise in each call.")


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@check("solved", teach="Asking is_cuda leaves out every other accelerator: make the rows on labels.device.")
def one_hot_is_made_in_place(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for n, classes in ((1, 1), (4, 3), (5, 8)):
            labels = here.integers(n, high=classes)
            expect_same(answer.one_hot, rows, labels, classes)
            expect_no_detour(answer.one_hot, labels, classes)


@check("solved", teach=MOVED)
def batches_move(answer: Answer, draw: Draw) -> None:
    with pretend_device() as device:
        batch = {"x": draw.normal(2, 3), "label": draw.integers(2, high=5)}
        for target in (device, torch.device("cpu"), device):
            before = {name: value.cpu().clone() for name, value in batch.items()}
            batch = answer.move(batch, target)
            expect_close(batch, before, what=f"the batch for {target}", device=target, teach=MOVED)
        expect_no_detour(answer.move, batch, device)  # it is there already


@check("solved", teach="torch.cuda waits for CUDA alone: torch.get_device_module(device) has a synchronize for each.")
def waits_for_the_device(answer: Answer, draw: Draw) -> None:
    answer.wait(torch.device("cpu"))
    with pretend_device(asynchronous=True, op_seconds=BUSY_S) as device:
        module = torch.get_device_module(device)
        torch.ones(1, device=device).add_(1)
        answer.wait(device)
        expect(module.current_stream().query(), f"wait({str(device)!r}) returned while the device was still busy")
    with pretend_device(asynchronous=True, op_seconds=BUSY_S) as device, recorded_waits() as waits:
        torch.ones(1, device=device).add_(1)
        answer.wait(torch.device("cpu"))
        alone = "The CPU is always through: there is nothing to wait for, whatever another device is doing."
        expect(not waits, "wait(cpu) has waited for the accelerator", teach=alone)
        answer.wait(device)
        slept = "A sleep is a guess: synchronize returns when the work is done, and not before or after."
        expect(waits, f"wait({str(device)!r}) did not ask the device whether it is through", teach=slept)


@contextmanager
def recorded_waits() -> Iterator[list[float]]:
    """The moments that somebody has waited for on the pretend device."""
    waits: list[float] = []
    wait_until = machine.clock.wait_until

    def record(moment: float) -> None:
        waits.append(moment)
        wait_until(moment)

    machine.clock.wait_until = record
    try:
        yield waits
    finally:
        machine.clock.wait_until = wait_until


@check("solved", teach=AUTOCAST)
def autocast_follows_its_input(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for n, k, m in ((1, 1, 1), (3, 4, 2)):
            x, weight = here.normal(n, k), here.normal(k, m)
            with SwitchedOn() as switched:
                expect_same(answer.low_precision, halves, x, weight, teach=AUTOCAST)
            expect(
                switched.kinds == {here.device.type},
                f"autocast was on for {', '.join(sorted(switched.kinds)) or 'no device'}; x is on {here.device.type}",
            )


@check("solved", teach=MAPPED)
def weights_load_anywhere(answer: Answer, draw: Draw) -> None:
    with pretend_device() as device:
        weights = {"layer.weight": draw.normal(2, 3), "layer.bias": draw.normal(2)}
        kept = {name: value.cpu() for name, value in weights.items()}
        path = Path("weights.pt")
        for source in (torch.device("cpu"), device):
            torch.save({name: value.to(source) for name, value in kept.items()}, path)
            for target in (torch.device("cpu"), device):
                what = f"weights saved on {source.type} and loaded on {target.type}"
                expect_close(answer.load_weights(path, target), kept, what=what, device=target, teach=MAPPED)


class Visitor:
    """What a file from a stranger may hold: an object whose code would run."""


@check("solved")
def strangers_files_are_refused(answer: Answer, draw: Draw) -> None:
    path = Path("visitor.pt")
    torch.save({"layer.weight": Visitor()}, path)
    try:
        raw(answer.load_weights)(path, torch.device("cpu"))
    except Exception:  # whatever refuses it
        return
    fail(
        "a file with an object in it was read",
        teach="weights_only=True reads tensors and plain values, and runs nothing.",
    )


@check("solved", teach="A tensor that a module owns but does not train is a buffer: .to(device) and state_dict see it.")
def the_mean_is_a_buffer(answer: Answer, draw: Draw) -> None:
    mean, x = draw.normal(3).cpu(), draw.normal(4, 3).cpu()
    scaler = answer.Scaler(mean)
    expect(set(scaler.state_dict()) == {"mean"}, f"the state dict of Scaler has the keys {sorted(scaler.state_dict())}")
    trained = any(parameter.requires_grad for parameter in scaler.parameters())
    expect(not trained, "the mean of Scaler is a parameter: it would be trained")
    for here in everywhere(draw):
        moved = guard(scaler.to(here.device), "Scaler")
        expect_same(moved, lambda x: x - mean, x.to(here.device))
        expect_no_detour(moved, x.to(here.device))


@check("solved")
def the_second_device_counts_too(answer: Answer, draw: Draw) -> None:
    with pretend_device(), two_devices() as (second, asked):
        answer.wait(second)
        other = (
            "Without an argument synchronize waits for the current device, the first: hand it the one you are given."
        )
        expect(second.index in asked.seen, f"wait({str(second)!r}) has not waited for it", teach=other)


@check("solved")
def rows_are_float32_by_name(answer: Answer, draw: Draw) -> None:
    labels, classes = draw.integers(4, high=3), 3
    with default_dtype(torch.float64):
        got = answer.one_hot(labels, classes)
    expect(got.dtype == torch.float32, f"where float64 is torch's default, the rows are {got.dtype}", teach=NAMED)


@check("solved")
def shared_weights_stay_shared(answer: Answer, draw: Draw) -> None:
    path = Path("shared.pt")
    with pretend_device() as device:
        shared = draw.normal(4, 3).cpu()
        torch.save({"embedding.weight": shared, "head.weight": shared, "rows": shared[1:]}, path)
        for target in (torch.device("cpu"), device):
            loaded = answer.load_weights(path, target)
            pieces = {value.untyped_storage()._cdata for value in loaded.values()}
            message = f"weights that share memory in the file are {len(pieces)} pieces of memory on {target.type}"
            expect(len(pieces) == 1, message, teach=TIED)


@check("solved")
def each_number_has_its_own_noise(answer: Answer, draw: Draw) -> None:
    """Normal noise: 5 in 100 are beyond 1.96 deviations, of uniform numbers none are; and it fills any shape."""
    for here in everywhere(draw):
        for shape in ((2, 2000), (2000, 2), (4, 1, 1000)):
            x = here.normal(*shape)
            noise = (answer.add_noise(x, 1.0) - x).cpu()
            flat = noise.flatten()
            beyond = (flat.abs() > 1.96).float().mean().item()
            message = f"{100 * beyond:.1f} % of the noise are beyond 1.96 standard deviations; of normal noise 5 % are"
            expect(0.02 < beyond < 0.09, message, teach="The noise is normal: torch.randn_like, not rand_like.")
            kinds = len(flat.round(decimals=3).unique())
            message = f"x of {list(shape)} got noise of {kinds} different values"
            expect(kinds > 1200, message, teach="Each number of x gets a noise of its own.")


@check("solved")
def means_keep_their_digits(answer: Answer, draw: Draw) -> None:
    mean, x = (torch.rand(3, generator=draw.generator, dtype=torch.float64) for _ in range(2))
    got = answer.Scaler(mean)(x)
    teach = "The buffer is the mean as it was given, in its dtype."
    expect_close(got, x - mean, what="x without a float64 mean", teach=teach, rtol=1e-12, atol=1e-15)
    wide = "A large class is a class like any other."
    expect_same(answer.one_hot, rows, draw.integers(3, low=1500, high=2000), 2000, teach=wide)


@check("solved")
def gradients_still_flow(answer: Answer, draw: Draw) -> None:
    teach = "It was part of a training script: what is computed from x can be trained through, on every device."
    for here in everywhere(draw):
        x, weight = here.normal(2, 3).requires_grad_(), here.normal(3, 2).requires_grad_()
        scaler = answer.Scaler(here.normal(3))
        for name, result in (
            ("add_noise", answer.add_noise(x, 1.0)),
            ("low_precision", answer.low_precision(x, weight)),
            ("Scaler", scaler(x)),
        ):
            expect(result.requires_grad, f"no gradient flows through {name}", teach=teach)
            (gradient,) = torch.autograd.grad(result.float().sum(), x)
            ones = weight.detach().sum(1).expand(2, 3) if name == "low_precision" else torch.ones(2, 3)
            expect_close(gradient, ones.cpu(), what=f"the gradient through {name}", teach=teach, rtol=1e-2, atol=1e-2)
