"""Grades autocast: weights after a step against float64 arithmetic, a planted overflow, both dtypes, two devices."""

import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, in_place, pretend_device

PROMISES = {
    "Write one step of training, for the mean squared error": "brain_floats_need_no_scaler",
    "With a `torch.amp.GradScaler` the loss is scaled, and the scale updated": "halves_are_scaled",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

torch.backends.mkldnn.enabled = False  # some CPUs announce bfloat16 units that die with SIGILL
HALF, BRAIN = torch.float16, torch.bfloat16
RATE = 0.5
UNSCALE = (
    "The clipping saw gradients that were still scaled: scaler.unscale_(optimizer) comes before clip_grad_norm_, "
    "and clipping before scaler.step."
)


class Net(nn.Module):
    """A linear layer that notes in which dtype it runs."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.seen: list[torch.dtype] = []
        with torch.no_grad():
            for parameter in self.parameters():
                # Few digits, so that half precision holds them exactly.
                parameter.copy_(torch.randint(-4, 5, parameter.shape, generator=draw.generator) / 4)

    def forward(self, x: Tensor) -> Tensor:
        result = self.layer(x)
        self.seen.append(result.dtype)
        return result


def batch(draw: Draw) -> tuple[Tensor, Tensor]:
    x = torch.randint(-4, 5, (4, 3), generator=draw.generator) / 4
    y = torch.randint(-8, 9, (4, 2), generator=draw.generator) / 4 + 3
    return x.to(draw.device), y.to(draw.device)


def expected_step(net: Net, x: Tensor, y: Tensor, max_norm: float) -> tuple[float, dict[str, Tensor]]:
    """One step in float64."""
    twin = copy.deepcopy(net).cpu().double()
    loss = nn.functional.mse_loss(twin.layer(x.cpu().double()), y.cpu().double())
    gradients = torch.autograd.grad(loss, list(twin.parameters()))
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    factor = min(1.0, max_norm / norm.item())
    with torch.no_grad():
        for parameter, gradient in zip(twin.parameters(), gradients, strict=True):
            parameter -= RATE * factor * gradient
    return loss.item(), {name: value.float() for name, value in twin.state_dict().items()}


def one_step(answer: Answer, net: Net, scaler: Any, x: Tensor, y: Tensor, dtype: torch.dtype, max_norm: float) -> dict:
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    return in_place(answer.train_step)(net, optimizer, scaler, x, y, dtype, max_norm)


def expect_step(answer: Answer, draw: Draw, dtype: torch.dtype, scaler: Any, max_norm: float, stale: bool) -> None:
    net = Net(draw).to(draw.device)
    x, y = batch(draw)
    loss, weights = expected_step(net, x, y, max_norm)
    if stale:
        for parameter in net.parameters():
            parameter.grad = torch.full_like(parameter, 3.0)
    report = one_step(answer, net, scaler, x, y, dtype, max_norm)
    story = f"{str(dtype)[6:]} on {draw.device.type}"
    expect(
        net.seen == [dtype],
        f"{story}: the model ran in {', '.join(str(one)[6:] for one in net.seen)}",
        teach="autocast is a context around the model's call, for the type of x's device and in the dtype asked for.",
    )
    expect_close(report, {"loss": loss, "skipped": False}, what="the report", rtol=2e-2, atol=1e-2)
    for name, value in net.state_dict().items():
        expect_close(
            value.float(),
            weights[name],
            what=f"{name} after a step ({story}, norm clipped to {max_norm:g})",
            rtol=2e-2,
            atol=2e-2 * min(1.0, max_norm),
            teach="The gradients of before count too: clear them first." if stale else UNSCALE,
        )


def everywhere(draw: Draw) -> Any:
    yield draw
    with pretend_device() as device:
        yield draw.on(device)


def new_scaler(draw: Draw, scale: float = 2.0**12, interval: int = 1000) -> torch.amp.GradScaler:
    return torch.amp.GradScaler(draw.device.type, init_scale=scale, growth_interval=interval)


@check("solved")
def brain_floats_need_no_scaler(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for max_norm in (100.0, 0.1):
            expect_step(answer, here, BRAIN, None, max_norm, stale=False)


@check("solved")
def halves_are_scaled(answer: Answer, draw: Draw) -> None:
    for here in everywhere(draw):
        for max_norm in (1000.0, 0.1):
            expect_step(answer, here, HALF, new_scaler(here), max_norm, stale=False)


@check("solved")
def gradients_start_from_nothing(answer: Answer, draw: Draw) -> None:
    expect_step(answer, draw, BRAIN, None, 100.0, stale=True)
    expect_step(answer, draw, HALF, new_scaler(draw), 100.0, stale=True)


def note_size(seen: list[float], gradient: Tensor) -> None:
    seen.append(gradient.detach().abs().max().item())


@check("solved")
def small_gradients_survive(answer: Answer, draw: Draw) -> None:
    """Gradients of about 1e-8 are 0 in float16 unless the loss is scaled."""
    for here in everywhere(draw):
        net = Net(here).to(here.device)
        x, _ = batch(here)
        x[:, 0] = 1.0
        with torch.no_grad():
            y = net.layer(x) - 2.0**-16 * torch.ones(4, 2, device=here.device)
        before = net.layer.bias.detach().clone()
        seen: list[float] = []
        net.layer.bias.register_hook(partial(note_size, seen))
        scaler = new_scaler(here, scale=2.0**16)
        one_step(answer, net, scaler, x, y, HALF, 1000.0)
        expect(
            bool(seen) and seen[0] > 2.0**-4,
            f"the largest gradient in the backward pass was {seen[0] if seen else 0:.3g}, with a scale of 65,536",
            teach="scaler.scale(loss).backward(): unscaled, such gradients are 0 in float16.",
        )
        moved = (net.layer.bias.detach() - before).abs().max().item()
        expect(moved < 1e-3, f"a gradient of 0.00002 moved the bias by {moved:.3g}", teach=UNSCALE)


@check("solved")
def an_overflow_skips_the_step(answer: Answer, draw: Draw) -> None:
    teach = "scaler.step leaves out a step with infinite gradients, scaler.update halves the scale: both are needed."
    for here in everywhere(draw):
        net, scaler = Net(here).to(here.device), new_scaler(here, scale=2.0**30)
        x, y = batch(here)
        before = {name: value.cpu().clone() for name, value in net.state_dict().items()}
        report = one_step(answer, net, scaler, x, y + 1000, HALF, 1.0)
        for name, value in net.state_dict().items():
            expect_close(value, before[name], what=f"{name} after a step that overflowed", teach=teach)
        expect(
            scaler.get_scale() == 2.0**29,
            f"after an overflow the scale is {scaler.get_scale():g}; it was {2.0**30:g}",
            teach=teach,
        )
        expect(
            report["skipped"] is True,
            f"the step was skipped and the report says {report['skipped']!r}",
            teach="The scale has fallen: that is how one sees that the scaler skipped the step.",
        )


@check("solved")
def weights_keep_their_digits(answer: Answer, draw: Draw) -> None:
    teach = "Autocast casts on the way through; a model that is turned into half and back has lost its digits for good."
    for dtype, scaler in ((BRAIN, None), (HALF, new_scaler(draw))):
        net = Net(draw).to(draw.device)
        with torch.no_grad():
            net.layer.weight.copy_(draw.normal(2, 3))
        before = {name: value.cpu().clone() for name, value in net.state_dict().items()}
        optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
        in_place(answer.train_step)(net, optimizer, scaler, *batch(draw), dtype, 1.0)
        for name, value in net.state_dict().items():
            expect_close(value, before[name], what=f"{name} after a step of rate 0", teach=teach, rtol=0.0, atol=0.0)


@check("solved")
def without_a_scaler_no_step_is_skipped(answer: Answer, draw: Draw) -> None:
    net = Net(draw).to(draw.device)
    before = [parameter.detach().clone() for parameter in net.parameters()]
    x, y = batch(draw)
    report = one_step(answer, net, None, x, y + torch.inf, BRAIN, 1.0)
    same = all(torch.equal(one, other) for one, other in zip(before, net.parameters(), strict=True))
    teach = "Without a scaler nobody looks at the gradients: the step is taken, whatever they are."
    expect(not same and report["skipped"] is False, "a step without a scaler was left out", teach=teach)


@check("solved")
def growth_is_no_skip(answer: Answer, draw: Draw) -> None:
    net, scaler = Net(draw).to(draw.device), new_scaler(draw, scale=2.0**4, interval=1)
    report = one_step(answer, net, scaler, *batch(draw), HALF, 1.0)
    expect(scaler.get_scale() == 2.0**5, f"the scale should have grown to 32 and is {scaler.get_scale():g}")
    expect(
        report["skipped"] is False,
        "the scale has grown, and the report says that the step was skipped",
        teach="The scale changes both ways: only a fall means that a step was skipped.",
    )
    report = one_step(answer, net, None, *batch(draw), BRAIN, 1.0)
    expect(report["skipped"] is False, f"without a scaler skipped is {report['skipped']!r}")


@check("solved")
def zeros_are_gradients_too(answer: Answer, draw: Draw) -> None:
    teach = "Zeros are gradients: an optimizer with weight decay or momentum moves by them. Clear them to None."
    for dtype, scaler in ((BRAIN, None), (HALF, new_scaler(draw))):
        net = Net(draw)
        net.spare = nn.Parameter(torch.ones(2))  # not used by this batch
        net.to(draw.device)
        net.spare.grad = torch.full_like(net.spare, 3.0)
        optimizer = torch.optim.SGD(net.parameters(), lr=RATE, weight_decay=0.5)
        in_place(answer.train_step)(net, optimizer, scaler, *batch(draw), dtype, 1.0)
        what = "a parameter that was not used, and had a gradient before, after a step with weight decay"
        expect_close(net.spare, torch.ones(2), what=what, teach=teach)


class Gain(nn.Module):
    """A factor for each feature, in float32 also under autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(16))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gain


@check("solved")
def the_scaler_decides(answer: Answer, draw: Draw) -> None:
    """Finite gradients whose norm is beyond float32, and a loss that is: neither is the scaler's concern."""
    teach = (
        "The scaler asks whether each gradient is finite; not the loss, and not their norm, which can overflow alone."
    )
    for size, error, story in ((1.6e31, 1e8, "their norm"), (1e-19, 1e22, "the loss")):
        net, scaler = Gain().to(draw.device), new_scaler(draw, scale=1.0)
        x = torch.full((1, 16), size, device=draw.device)
        y = torch.full((1, 16), -error, device=draw.device)
        report = one_step(answer, net, scaler, x, y, HALF, 1.0)
        expect(
            report["skipped"] is False and scaler.get_scale() == 1.0,
            f"all gradients are finite, {story} is not: skipped is {report['skipped']!r}, the scale "
            f"{scaler.get_scale():g} after 1",
            teach=teach,
        )


@check("solved")
def the_scaler_and_not_the_dtype(answer: Answer, draw: Draw) -> None:
    teach = "Whoever hands over a scaler wants it used, whatever the dtype: ask for the scaler."
    net, scaler = Net(draw).to(draw.device), new_scaler(draw, scale=2.0**4, interval=1)
    seen: list[float] = []
    x, y = batch(draw)
    loss, _ = expected_step(net, x, y, 100.0)
    net.layer.bias.register_hook(partial(note_size, seen))
    report = one_step(answer, net, scaler, x, y, BRAIN, 100.0)
    expect(scaler.get_scale() == 2.0**5, f"with bfloat16 the scale is {scaler.get_scale():g}, not 32", teach=teach)
    expect_close(report, {"loss": loss, "skipped": False}, what="the report with bfloat16 and a scaler", rtol=2e-2)


@check("solved")
def the_norm_is_that_of_all(answer: Answer, draw: Draw) -> None:
    teach = "The total norm is over all parameters, in however many groups the optimizer has them."
    for dtype, scaler in ((BRAIN, None), (HALF, new_scaler(draw))):
        net = Net(draw).to(draw.device)
        x, y = batch(draw)
        _, weights = expected_step(net, x, y, 0.1)
        groups = [{"params": [parameter]} for parameter in net.parameters()]
        optimizer = torch.optim.SGD(groups, lr=RATE)
        in_place(answer.train_step)(net, optimizer, scaler, x, y, dtype, 0.1)
        for name, value in net.state_dict().items():
            what = f"{name} after a step with two groups of parameters"
            expect_close(value.float(), weights[name], what=what, rtol=2e-3, atol=2e-3, teach=teach)


class Targets(TorchFunctionMode):
    """Notes whether autocast is on when somebody works with the targets."""

    def __init__(self, y: Tensor) -> None:
        super().__init__()
        self.place = y.data_ptr()
        self.cast = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tensors = [one for one in (*args, *(kwargs or {}).values()) if isinstance(one, Tensor)]
        if func not in (Tensor.data_ptr, Tensor.device.__get__) and torch.is_autocast_enabled(
            tensors[0].device.type if tensors else "cpu"
        ):
            with torch._C.DisableTorchFunction():
                self.cast |= any(one.data_ptr() == self.place for one in tensors)
        return func(*args, **(kwargs or {}))


@check("solved")
def the_loss_has_all_its_digits(answer: Answer, draw: Draw) -> None:
    """What the model gives is exact in half precision here: only the loss can lose digits."""
    teach = "The loss is computed in float32, outside of autocast: guess.float() and y as it is."
    for dtype, scaler in ((BRAIN, None), (HALF, new_scaler(draw, scale=2.0))):
        for far in (0.0123, 700.0):
            net = Net(draw).to(draw.device)
            x, y = batch(draw)
            y += far
            loss, _ = expected_step(net, x, y, 1.0)
            with Targets(y) as targets:
                report = one_step(answer, net, scaler, x, y, dtype, 1.0)
            expect_close(report["loss"], loss, what=f"the loss ({str(dtype)[6:]})", rtol=1e-5, teach=teach)
            expect(not targets.cast, "the loss was computed under autocast", teach=teach)
