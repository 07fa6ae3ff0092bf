"""Grades export: a net with dropout, batch norm and tensors of its own, at other batch sizes and on other devices."""

import copy
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, pretend_device, raw, watch_call

logging.getLogger("torch").setLevel(logging.CRITICAL)
MODE = "Export freezes the mode too: eval() comes before export, so that dropout is off and batch norm stands still."
FIXED = "Export froze the batch size of the example: name its axis in dynamic_shapes."
ONE = "Torch takes a length of 1 in the example for a constant: show it a longer batch, with the same axis dynamic."
LARGE = 2**16 + 1
"""A batch beyond every limit that someone would think of."""
DEVICE = "Weights are not all that has a device: tensors made in forward do too. Move the whole program."


class Net(nn.Module):
    """Everything that export can freeze: dropout, statistics, and a tensor made in forward."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.first = nn.Linear(features, 6)
        self.norm = nn.BatchNorm1d(6)
        self.frozen = nn.Dropout(0.5)
        self.last = nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        return self.last(self.frozen(self.norm(self.first(x + places).tanh())))


PICKLED = "A pickled module needs its class to come back: torch.export writes the graph itself down."


def trained_net(draw: Draw, features: int, device: torch.device) -> Net:
    net = Net(features)
    with torch.no_grad():
        for value in (*net.parameters(), net.norm.running_mean):
            value.copy_(draw.normal(*value.shape).cpu())
        net.norm.running_var.copy_(draw.uniform(6, low=0.5, high=2.0).cpu())
    return net.to(device)


@contextmanager
def without_this_file() -> Iterator[None]:
    """As on a machine that has torch, and not the file in which the model's class stands."""
    hidden = sys.modules.pop(__name__)
    try:
        yield
    except (ModuleNotFoundError, AttributeError) as error:
        fail(f"the model can't be loaded without your Python file: {error}", teach=PICKLED)
    finally:
        sys.modules[__name__] = hidden


def run(model: object, x: Tensor, batch: int, example: int, device: torch.device) -> Tensor:
    try:
        return model(x)
    except Exception as error:
        about_batch = "size" in str(error) or "Guard" in str(error) or "shape" in str(error)
        teach = (ONE if example == 1 else FIXED) if about_batch else DEVICE
        reason = str(error).splitlines()[0][:160]
        fail(f"exported with a batch of {example}, run with {batch} on {device.type}: {reason}", teach=teach)


def expect_exported(
    answer: Answer, net: Net, draw: Draw, features: int, example: int, targets: list, larger: tuple[int, ...] = ()
) -> None:
    expected_net = copy.deepcopy(net).cpu().eval()
    source, dtype = net.first.weight.device, net.first.weight.dtype
    data = answer.export_model(net, draw.on(source).normal(example, features, dtype=dtype))
    expect(isinstance(data, bytes), f"export_model returned a {type(data).__name__}, not bytes")
    for target in targets:
        with without_this_file():
            model = raw(answer.load_model)(data, target)  # guarded, it would show the bytes
        for batch in (example, 1, 2, draw.integer(3, 9), 300, *larger):
            x = draw.on(target).normal(batch, features, dtype=dtype)
            got = run(model, x, batch, example, target)
            again = run(model, x, batch, example, target)
            expect(
                torch.equal(got.cpu(), again.cpu()),
                "the exported model gives another result for the same input: its dropout is still on",
                teach=MODE,
            )
            expect_close(
                got.detach(),
                expected_net(x.cpu()).detach(),
                what=f"the result for a batch of {batch}",
                device=target,
                teach=MODE,
            )
        copied = [what for what, _ in watch_call(model, x).crossings if "copy" in what]
        message = f"exported on {source.type} and loaded for {target.type}, it copies {len(copied)} times in between"
        expect(not copied, message, teach=DEVICE)


@check("solved")
def runs_at_any_batch_size(answer: Answer, draw: Draw) -> None:
    net = trained_net(draw, 4, draw.device).eval()
    expect_exported(answer, net, draw, 4, 3, [draw.device], larger=(LARGE,))


@check("solved")
def leaves_training_alone(answer: Answer, draw: Draw) -> None:
    net = trained_net(draw, 3, draw.device).train().double()
    net.frozen.eval()
    net.first.bias.requires_grad_(False)
    for parameter in (net.first.weight, net.last.weight, net.last.bias):  # gathered for the next step of the training
        parameter.grad = torch.ones_like(parameter)
    before = copy.deepcopy(net.state_dict())
    expect_exported(answer, net, draw, 3, 1, [draw.device])
    modes = {name: part.training for name, part in net.named_modules() if name}
    expect(
        net.training and modes == {"first": True, "norm": True, "frozen": False, "last": True},
        f"export changed the modes of the model: training is {net.training}, of its parts {modes}",
        teach="The training goes on afterwards, with some layers frozen on purpose: export a copy.",
    )
    for name, value in net.state_dict().items():
        expect_close(
            value, before[name].cpu(), what=f"{name} after the export", teach="Exporting must not train the model."
        )


@check("solved", teach=DEVICE)
def moves_to_another_device(answer: Answer, draw: Draw) -> None:
    with pretend_device() as pretend:
        cpu = torch.device("cpu")
        expect_exported(answer, trained_net(draw, 2, cpu).eval(), draw, 2, 2, [pretend, cpu])
        expect_exported(answer, trained_net(draw, 2, pretend).eval(), draw, 2, 2, [cpu, pretend])
