"""Grades leak: the iterable that hands out batches looks at the live memory between them."""

import copy
import gc
import itertools
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    Seen,
    check,
    expect,
    expect_close,
    format_bytes,
    in_place,
    note,
    only_values_change,
    raw,
    watch,
)

PROMISES = {
    "The model's modes stay as they are.": "modes_stay_as_they_are",
    "`fit(model, batches, held_out, rate)` trains with plain gradient descent on": "results_are_right",
    "It runs out of memory some hundred steps into every run.": None,
    "Find all, and keep the results:": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

ROWS, WIDTH = 32, 16
SCALAR_BYTES = 64
"""What a step may leave behind: a loss, an average and a maximum, if someone keeps them as tensors."""
STEPS = 50
SLACK = 1.2
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
GRAPH = (
    "A tensor with a grad_fn keeps its graph alive, and the graph keeps every activation: append loss.item() or "
    "loss.detach(), and average without a graph."
)


class Batches:
    """Batches on demand, and the live bytes each time that one is asked for."""

    def __init__(self, draw: Draw, count: int, rows: int = ROWS, width: int = WIDTH) -> None:
        self.held_out = draw.normal(2 * rows, width), draw.normal(2 * rows, 2)
        self.all = [(draw.normal(rows, width), draw.normal(rows, 2)) for _ in range(count)]
        self.seen: Seen | None = None
        self.live: list[int] = []

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for batch in self.all:
            if self.seen is not None:
                self.live.append(self.seen.live_bytes)
            yield batch


def net(draw: Draw, width: int = WIDTH, depth: int = 1, in_place: bool = False) -> nn.Sequential:
    """In place: a layer that writes over what came out of the first one."""
    between = nn.Hardtanh(-0.1, 0.2, inplace=True) if in_place else nn.Tanh()
    layers = [part for _ in range(depth) for part in (nn.Linear(width, width), between)]
    model = nn.Sequential(*layers, nn.Linear(width, 2))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(draw.normal(*parameter.shape, scale=0.3).cpu())
    return model.to(draw.device)


def reference(model: nn.Sequential, batches: Iterable, held_out: tuple[Tensor, Tensor], rate: float) -> dict:
    losses, average, largest = [], 0.0, 0.0
    for x, y in batches:
        loss = (model(x) - y).square().mean()
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            largest = max(largest, model[0](x).abs().max().item())
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter -= rate * gradient
            del gradients, gradient, loss
            largest = max(largest, model[0](held_out[0]).abs().max().item())
            prediction = model(held_out[0])
            losses.append((prediction - held_out[1]).square().mean().item())
            average = 0.9 * average + 0.1 * prediction.mean().item()
    return {"losses": losses, "average": average, "largest": largest}


@check("solved")
def results_are_right(answer: Answer, draw: Draw) -> None:
    # What comes out of the first layer lies mostly below, or above, 0: chance does not decide where the largest is.
    for count, rows, width, shift in ((1, 1, 1, -3.0), (1, 3, 2, 3.0), (4, 2, 3, 0.0), (6, 5, 4, -3.0)):
        batches = Batches(draw, count, rows, width)
        if not shift:  # the largest is surely on the held-out data
            batches.held_out = (20 * batches.held_out[0], batches.held_out[1])
        expect_results(answer, draw, net(draw, width), batches, shift)


def expect_results(
    answer: Answer, draw: Draw, model: nn.Sequential, batches: Batches, shift: float, teach: str | None = None
) -> None:
    rate = draw.choice([0.02, 0.1])
    with torch.no_grad():
        model[0].bias += shift
    twin = copy.deepcopy(model).cpu()
    held_out = (batches.held_out[0].cpu(), batches.held_out[1].cpu())
    expected = reference(twin, [(x.cpu(), y.cpu()) for x, y in batches.all], held_out, rate)
    got = in_place(answer.fit, also=("hooks",))(model, batches, batches.held_out, rate)
    expect_close(got, expected, what="the report", rtol=1e-3, atol=1e-5, teach=teach)
    for name, value in model.state_dict().items():
        what = f"{name} after training"
        expect_close(value, twin.state_dict()[name], what=what, rtol=1e-3, atol=1e-5, teach=teach)


@check("solved")
def nothing_is_left_on_the_model(answer: Answer, draw: Draw) -> None:
    model = net(draw)
    batches = Batches(draw, 3)
    in_place(answer.fit, also=("hooks",))(model, batches, batches.held_out, 0.1)
    hooks = sum(len(getattr(part, kind)) for part in model.modules() for kind in HOOKS)
    hooks += sum(len(part._backward_hooks or ()) for part in model.parameters())
    hooks += sum(len(part._post_accumulate_grad_hooks or ()) for part in model.parameters())
    expect(
        hooks == 0,
        f"{hooks} hooks are left on the model after 3 steps",
        teach="A hook stays until its handle is removed: register one before the loop, remove it after, in a finally.",
    )
    expect(
        all(parameter.grad is None for parameter in model.parameters()),
        "the parameters still have gradients after training",
        teach="A gradient is as large as its parameter: set it to None, zeros take as much memory.",
    )


@check("solved")
def batches_are_taken_one_by_one(answer: Answer, draw: Draw) -> None:
    model, batches = net(draw), Batches(draw, 4)
    seen: list[Tensor] = []

    def stream() -> Iterator[tuple[Tensor, Tensor]]:
        for one in batches.all:
            seen.append(next(model.parameters()).detach().clone())
            yield one

    in_place(answer.fit, also=("hooks",))(model, stream(), batches.held_out, 0.1)
    ahead = any(torch.equal(one, other) for one, other in itertools.pairwise(seen))
    teach = "A list of all batches is all the data in memory at once: take one, use it, let it go."
    expect(not ahead, "a batch was fetched before the one before it had been used", teach=teach)


def live_over(fit: Callable[..., dict], draw: Draw, steps: int, depth: int = 1) -> tuple[list[int], int]:
    model, batches = net(draw, depth=depth), Batches(draw, steps)
    gc.collect()
    with watch() as seen:
        batches.seen = seen
        report = fit(model, batches, batches.held_out, 0.01)
    del report
    return batches.live, seen.peak_bytes


@check("solved")
def nothing_outlives_its_step(answer: Answer, draw: Draw) -> None:
    live, _ = live_over(raw(answer.fit), draw, 8)
    growth = (live[7] - live[2]) / 5
    expect(
        growth <= SCALAR_BYTES,
        f"after 8 steps {format_bytes(live[7])} live, after 3 steps {format_bytes(live[2])}: "
        f"{format_bytes(growth)} more each step",
        teach=GRAPH,
    )


@check("solved", teach="A layer that works in place writes over what came out of the first: look at once, in the hook.")
def outputs_are_looked_at_in_time(answer: Answer, draw: Draw) -> None:
    for shift in (3.0, -3.0):
        expect_results(answer, draw, net(draw, 4, in_place=True), Batches(draw, 2, 3, 4), shift)


@check("solved")
def only_the_first_layer_is_looked_at(answer: Answer, draw: Draw) -> None:
    teach = "The largest value is that of model[0], in training and on held-out data; other layers may be louder."
    # The largest is now in the training, now on the held-out data; after one step it is still far below the bias.
    for factor, steps in ((0.1, 2), (10.0, 2), (0.001, 1)):
        model, batches = net(draw, 4), Batches(draw, steps, 3, 4)
        with torch.no_grad():
            model[-1].bias += 500  # and so are the gradients
        batches.held_out = (batches.held_out[0] * factor, batches.held_out[1])
        expect_results(answer, draw, model, batches, 0.0, teach=teach)


@check("solved")
def old_gradients_are_no_part_of_it(answer: Answer, draw: Draw) -> None:
    model, batches = net(draw, 4), Batches(draw, 2, 3, 4)
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 7.0)
    expect_results(answer, draw, model, batches, 0.0, teach="A model may bring gradients along: clear them first, too.")


class Probe(nn.Module):
    """Notes in which mode it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[bool] = set()

    def forward(self, x: Tensor) -> Tensor:
        self.seen.add(self.training)
        return x.clone()


@check("solved")
def modes_stay_as_they_are(answer: Answer, draw: Draw) -> None:
    teach = "Whoever hands the model over has chosen the mode of each layer: train() and eval() change them all."
    for training in (True, False):
        model, batches = net(draw), Batches(draw, 2)
        model.append(Probe())
        model.train(training)[-1].train(not training)
        with only_values_change(model):
            in_place(answer.fit, also=("hooks",))(model, batches, batches.held_out, 0.1)
        modes = [part.training for part in model.modules()]
        expected = [training] * (len(modes) - 1) + [not training]
        expect(modes == expected, f"the modes of the layers are {modes} and were {expected}", teach=teach)
        ran = sorted(model[-1].seen)
        expect(ran == [not training], f"a layer whose training is {not training} ran with {ran}", teach=teach)


@check("lean")
def memory_is_flat(answer: Answer, draw: Draw) -> None:
    live, _ = live_over(raw(answer.fit), draw, STEPS)
    growth = live[-1] - live[4]
    expect(
        growth <= SCALAR_BYTES * STEPS,
        f"the live memory grew by {format_bytes(growth)} from step 5 to step {STEPS}",
        teach=GRAPH,
    )
    note(f"{format_bytes(max(growth, 0))} more after {STEPS} steps")


@check("lean")
def no_needless_graph(answer: Answer, draw: Draw) -> None:
    _, allowed = live_over(reference, draw, 3, depth=4)
    _, peak = live_over(raw(answer.fit), draw, 3, depth=4)
    expect(
        peak <= SLACK * allowed,
        f"the peak is {format_bytes(peak)}; the reference holds {format_bytes(allowed)}",
        teach="A graph keeps every activation, even if no backward pass ever comes: use no_grad for held-out data.",
    )
    note(f"{format_bytes(peak)} at its peak")


def kept_for_backward(fit: Callable[..., dict], draw: Draw) -> int:
    """How many tensors, larger than the predictions, somebody's backward pass has asked for."""
    model, batches = net(draw), Batches(draw, 3)
    kept: list[int] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        fit(model, batches, batches.held_out, 0.01)
    return sum(size > batches.held_out[1].numel() for size in kept)


@check("lean")
def only_the_loss_has_a_graph(answer: Answer, draw: Draw) -> None:
    allowed, mine = kept_for_backward(reference, draw), kept_for_backward(raw(answer.fit), draw)
    expect(
        mine <= allowed,
        f"over 3 steps {mine} large tensors were kept for a backward pass; the training itself needs {allowed}",
        teach="In a training step a hook's arithmetic is recorded too: look at output.detach(), or under no_grad.",
    )
