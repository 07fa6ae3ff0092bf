"""Grades registry: names and kinds of what is registered, a saved state loaded anew, a move to another device."""

from typing import Any

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, guard, pretend_device, raw

PROMISES = {
    "`Standardizer(means, stds, width, depth)` takes its input's statistics from the": "results_are_right",
    "But it is a module by name only:": None,
    "`parameters()` is empty, so an optimizer has nothing to train,": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WIDTH = 3
LIST = "A module does not look into a plain list: ModuleList and ParameterList register what is in them."
BUFFER = "register_buffer makes a tensor part of the state: it is saved and moves, and nobody trains it."


def build(answer: Answer, draw: Draw, depth: int) -> Any:
    """A module of the learner's, made on the CPU as people do, with statistics of its own."""
    torch.default_generator.manual_seed(draw.integer(0, 2**31))
    on_cpu = draw.on(torch.device("cpu"))
    means, stds = on_cpu.normal(WIDTH), on_cpu.uniform(WIDTH, low=0.5, high=2.0)
    return raw(answer.Standardizer)(means, stds, WIDTH, depth)


def moved(net: Any, draw: Draw) -> Any:
    """On the graded device, statistics that nobody registered too: those have a check of their own."""
    net.to(draw.device)
    net.means, net.stds = net.means.to(draw.device), net.stds.to(draw.device)
    return net


def expected_result(state: dict[str, Tensor], x: Tensor, depth: int) -> Tensor:
    state = {name: value.detach().cpu().double() for name, value in state.items()}
    x = (x.cpu().double() - state["means"]) / state["stds"]
    for i in range(depth):
        x = (x @ state[f"layers.{i}.weight"].T + state[f"layers.{i}.bias"]).clamp(min=0) * state[f"scales.{i}"]
    return x.float()


@check("solved")
def parameters_are_known(answer: Answer, draw: Draw) -> None:
    for depth in (1, 3):
        net = build(answer, draw, depth)
        found = {name: list(parameter.shape) for name, parameter in net.named_parameters()}
        trained = "Nobody trains the means and the stds: they belong into buffers, not among the parameters."
        for name in ("means", "stds"):
            expect(name not in found, f"{name} is a parameter", teach=trained)
        wanted = {f"layers.{i}.weight": [WIDTH, WIDTH] for i in range(depth)}
        wanted |= {f"layers.{i}.bias": [WIDTH] for i in range(depth)} | {f"scales.{i}": [] for i in range(depth)}
        for name, shape in wanted.items():
            listing = ", ".join(found) or "none"
            expect(name in found, f"parameters() does not know {name}; it knows {listing}", teach=LIST)
            expect(found[name] == shape, f"{name} has the shape {found[name]} and should have {shape}")
        expect_close(sorted(found), sorted(wanted), what="the list of parameters")
        for name, parameter in net.named_parameters():
            expect(parameter.requires_grad, f"{name} does not require a gradient, so it is never trained")
            if name.startswith("scales"):
                expect_close(parameter, torch.ones(()), what=f"{name} at first")


@check("solved")
def results_are_right(answer: Answer, draw: Draw) -> None:
    for depth, n in ((1, 3), (2, 4), (4, 3)):
        net = moved(build(answer, draw, depth), draw)
        with torch.no_grad():
            for scale in (one for name, one in net.named_parameters() if name.startswith("scales.")):
                scale.fill_(draw.random.uniform(0.5, 2.0))
        x = draw.normal(n, WIDTH)
        state = {**dict(net.named_parameters()), "means": net.means, "stds": net.stds}
        expected = expected_result(state, x, depth)
        teach = "Standardize with the means and the stds, then for each layer: scale · relu(layer(x))."
        expect_close(guard(net, "forward")(x), expected, what="the result", device=draw.device, teach=teach)


@check("solved")
def state_dict_is_complete(answer: Answer, draw: Draw) -> None:
    net, other = build(answer, draw, 2), build(answer, draw, 2)
    state = net.state_dict()
    for name in ("means", "stds"):
        expect(name in state, f"the state dict has no {name}", teach=BUFFER)
    unsaved = "The counter is not to be saved: register_buffer has persistent=False for that."
    expect("steps" not in state, "the state dict has steps in it", teach=unsaved)
    wanted = [f"layers.{i}.{kind}" for i in range(2) for kind in ("weight", "bias")]
    expect_close(sorted(state), sorted([*wanted, "means", "stds", "scales.0", "scales.1"]), what="the state dict")
    state["scales.0"] = torch.tensor(0.5)
    for name in ("layers.0.bias", "layers.1.bias"):
        state[name] = state[name] + 3  # so that not all is cut off, and a scale can be seen
    other.load_state_dict(state)
    x = draw.on(torch.device("cpu")).normal(2, WIDTH)
    result = guard(other, "the module with a loaded state")(x)
    expect_close(result, expected_result(state, x, 2), what="the result with a loaded state", teach=BUFFER)


@check("solved")
def steps_are_counted(answer: Answer, draw: Draw) -> None:
    net, x = build(answer, draw, 1).to(draw.device), draw.normal(2, WIDTH)
    for calls in range(5):
        net.train(calls % 3 == 0)  # a call counts in every mode
        steps = torch.tensor(calls)
        teach = "steps is an int64 tensor, shape (), and counts every call, in training or not."
        expect_close(net.steps, steps, what=f"steps after {calls} calls", device=draw.device, teach=teach)
        net(x)
    before = net.steps.item()
    with torch.no_grad():
        net(draw.normal(0, WIDTH))
    expect(net.steps.item() == before + 1, "a call without rows was not counted", teach="Every call of forward counts.")


@check("solved")
def works_on_another_device(answer: Answer, draw: Draw) -> None:
    net = build(answer, draw, 2)
    state = {name: value.clone() for name, value in net.state_dict().items()}
    with pretend_device() as device:
        net.to(device)
        for name, tensor in (("means", net.means), ("stds", net.stds), ("steps", net.steps)):
            expect(tensor.device == device, f"{name} stays on {tensor.device} when the module moves", teach=BUFFER)
        x = draw.on(device).normal(3, WIDTH)
        teach = (
            "What forward makes must be made where its input is: x.new_zeros(…), torch.zeros_like(x), device=x.device."
        )
        try:
            result = guard(net, "forward")(x)
        except RuntimeError as error:
            expect("device" not in str(error), f"after to(device), forward fails: {error}", teach=teach)
            raise
        expect_close(result, expected_result(state, x, 2), what="the result on the device", device=device, teach=teach)
        expect_close(net.steps, torch.tensor(1), what="steps on the device", device=device, teach=teach)


@check("solved")
def statistics_are_used_as_they_are(answer: Answer, draw: Draw) -> None:
    """Tiny spreads, and float64: nothing is added, held up or converted."""
    means, stds = torch.tensor([0.0, 1e-7, -2e-7]), torch.tensor([1e-7, 2e-7, 3.0])
    teach = "(x − means) / stds, with the numbers that were handed in: nothing is added to them."
    for dtype in (torch.float32, torch.float64):
        net = raw(answer.Standardizer)(means.to(dtype), stds.to(dtype), WIDTH, 1)
        for name, given in (("means", means), ("stds", stds)):
            expect_close(getattr(net, name), given.to(dtype), what=f"the module's {name}", teach=teach, atol=0)
        net = net.to(dtype)
        x = draw.on(torch.device("cpu")).normal(4, WIDTH).to(dtype) * 1e-6
        state = {**dict(net.named_parameters()), "means": net.means, "stds": net.stds}
        expected = expected_result(state, x, 1)
        expect_close(guard(net, "forward")(x).float(), expected, what=f"the result in {dtype}", teach=teach, rtol=1e-3)


@check("solved")
def results_keep_dtype_and_reach(answer: Answer, draw: Draw) -> None:
    """Numbers far out, a NaN of the caller's, and float64 beyond what float32 holds."""
    on_cpu = draw.on(torch.device("cpu"))
    means, stds = on_cpu.normal(WIDTH).double(), on_cpu.uniform(WIDTH, low=0.5, high=2.0).double()
    net = raw(answer.Standardizer)(means, stds, WIDTH, 2).double()
    teach = "(x − means) / stds, then scale · relu(layer(x)), in the input's own dtype, whatever its size."
    for factor in (1.0, 1e9, 1e30):
        x = on_cpu.normal(3, WIDTH).double() * factor
        expected = x.sub(means).div(stds)
        known = dict(net.named_parameters())
        for i in range(2):
            expected = expected @ known[f"layers.{i}.weight"].T + known[f"layers.{i}.bias"]
            expected = expected.clamp(min=0) * known[f"scales.{i}"]
        got = guard(net, "forward")(x)
        expect_close(got, expected.detach(), what="the result in float64", teach=teach, rtol=1e-10, atol=0)
    x = on_cpu.normal(2, WIDTH).double()
    x[0, 0] = torch.nan
    got = guard(net, "forward")(x)
    expect(bool(got[0].isnan().all()), "a NaN in a row became a number", teach=teach)
    expect(not bool(got[1].isnan().any()), "a NaN in one row reached another", teach=teach)
