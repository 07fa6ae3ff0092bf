"""Grades recompiles: functions whose graphs are known; the mean of all rows by hand; graphs counted by a backend."""

import copy
import logging
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, note, raw

PROMISES = {
    "A compiled model that is slower than the plain one is often": None,
    "Each Python number that a model keeps and changes is an": None,
    "count_graphs(function, calls) → int: compile function, call it": "graphs_are_counted",
    "torch.compile(function, backend=…) takes a function of your own": None,
    "What was compiled before must not count": "what_was_before_does_not_count",
    "forward(x), for float32 x of (n, width) with n ≥ 1, takes the n rows into the mean": "means_are_right",
    "In evaluation (model.eval()) it takes in nothing and subtracts": "means_are_right",
    "It is right, and compiles anew in each step": None,
    "Mend it: what it keeps becomes tensors, buffers named mean": "buffers_are_there",
    "No gradient flows through what it keeps": "no_gradient_is_kept",
    "Lean: at most three graphs for six training steps with four": "few_graphs",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)
SETTINGS = torch._dynamo.config.get_config_copy()
ROWS = (2, 3, 5, 2, 4, 3)
GRAPHS = 3
BUFFER = 'self.register_buffer("mean", torch.zeros(width)), and the count alike: state that nobody trains.'
KEPT = "The mean of all rows so far: mean + Σ (row − mean) / count, with the count of all rows, these included."


def count(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    graphs = []

    def backend(graph: torch.fx.GraphModule, inputs: list) -> Any:
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=backend)
    for arguments in calls:
        compiled(*arguments)
    return len(graphs)


def plain(x: Tensor) -> Tensor:
    return x * 2 + 1


def doubled(x: Tensor) -> Tensor:
    return x * 2


def broken_in_two(x: Tensor) -> Tensor:
    y = x * 2
    torch._dynamo.graph_break()
    return y + 1


def by_word(x: Tensor, word: str) -> Tensor:
    return x * len(word)


@check("solved")
def graphs_are_counted(answer: Answer, draw: Draw) -> None:
    x = draw.normal(3)
    words = [(x, "a" * draw.integer(1, 3)), (x, "bcde"), (x, "fghijk")]
    kinds = [(x,), (x.half(),), (x.int(),)]
    stories = [
        (plain, [(x,), (draw.normal(3),)], 1, "One graph serves every tensor of the same shape."),
        (plain, [(x,)], 1, "Count anew for each function."),
        # Counted here, and first: torch reads this file for its messages, which the learner's code may not.
        (
            broken_in_two,
            [(x,)],
            count(broken_in_two, [(x,)]),
            "A graph break makes two graphs: count graphs, not calls.",
        ),
        (by_word, words, len(words), "Each new word is a new assumption, and a new graph."),
        (doubled, kinds, len(kinds), "A graph for each dtype, though their code is the same: each of them counts."),
        (plain, [], 0, "Nothing is compiled before the first call."),
    ]
    for function, calls, expected, teach in stories:
        got = raw(answer.count_graphs)(function, calls)
        name = f"count_graphs of {function.__name__} for {len(calls)} calls"
        expect(type(got) is int and got == expected, f"{name} is {got!r}, not {expected}", teach=teach)


@check("solved")
def what_was_before_does_not_count(answer: Answer, draw: Draw) -> None:
    """Torch keeps eight graphs of a function and then gives up, unless it is told to forget."""
    x = draw.normal(3)
    with torch._dynamo.config.patch(recompile_limit=2):  # eight would only take longer
        got = [raw(answer.count_graphs)(plain, [(x,)]) for _ in range(4)]
    teach = "torch._dynamo.reset() forgets what was compiled before; else torch gives up after eight graphs."
    expect(got == [1] * len(got), f"four times the same count gave {got}", teach=teach)


@check("solved")
def settings_are_left_alone(answer: Answer, draw: Draw) -> None:
    calls = [(draw.normal(3), "a" * n) for n in range(1, 6)]
    teach = "torch gives up after so many graphs as it is set to; what it is set to is the caller's."
    with torch._dynamo.config.patch(recompile_limit=2):
        expected, got = count(by_word, calls), raw(answer.count_graphs)(by_word, calls)
    expect(got == expected, f"where torch gives up after {expected} graphs, count_graphs is {got!r}", teach=teach)
    now = torch._dynamo.config.get_config_copy()
    changed = [name for name, value in SETTINGS.items() if now[name] != value]
    expect(not changed, f"your file changed torch._dynamo.config: {', '.join(changed)}", teach=teach)


@check("solved")
def lengths_are_left_to_torch(answer: Answer, draw: Draw) -> None:
    """Compiled for one length, and then for all others."""
    calls = [(draw.normal(n),) for n in (3, 4, 5, 6)]
    expected, got = count(plain, calls), raw(answer.count_graphs)(plain, calls)
    teach = "torch.compile(function, backend=…), and no more options: other options make other graphs."
    expect(got == expected, f"for tensors of four lengths count_graphs is {got!r}, not {expected}", teach=teach)


@check("solved")
def every_call_is_made(answer: Answer, draw: Draw) -> None:
    seen: list[float] = []

    @torch._dynamo.disable
    def remember(x: Tensor) -> None:
        seen.append(float(x.sum()))

    def function(x: Tensor) -> Tensor:
        remember(x)
        return x + 1

    calls = [(torch.tensor([float(number)]),) for number in range(3)]
    raw(answer.count_graphs)(function, calls)
    expect(seen == [0.0, 1.0, 2.0], f"the calls were made with {seen}", teach="Each call once, in order.")


def make(answer: Answer, draw: Draw, width: int) -> nn.Module:
    return raw(answer.RunningMean)(width).to(draw.device)


@check("solved")
def buffers_are_there(answer: Answer, draw: Draw) -> None:
    model = make(answer, draw, 3)
    buffers = dict(model.named_buffers())
    expect(set(buffers) == {"mean", "count"}, f"the buffers are {sorted(buffers)}, not mean and count", teach=BUFFER)
    expect(not list(model.parameters()), "RunningMean has parameters", teach=BUFFER)
    expect_close(buffers["mean"].cpu(), torch.zeros(3), what="mean at first", teach=BUFFER)
    expect_close(buffers["count"].cpu(), torch.tensor(0), what="count at first", teach=BUFFER)


@check("solved")
def means_are_right(answer: Answer, draw: Draw) -> None:
    for width in (1, 3):
        model, rows = make(answer, draw, width), []
        for n in ROWS[:4]:
            x = draw.normal(n, width) + 2
            rows.append(x.cpu())
            mean = torch.cat(rows).double().mean(0).float()
            expect_close(model(x), x.cpu() - mean, what=f"after {len(rows)} batches, the result", teach=KEPT)
            expect_close(model.mean.cpu(), mean, what="the buffer mean", teach=KEPT)
        expect(int(model.count) == sum(ROWS[:4]), f"count is {int(model.count)}, not {sum(ROWS[:4])}", teach=KEPT)
        before, x = copy.deepcopy(model.state_dict()), draw.normal(4, width)
        expect_close(model.eval()(x), x.cpu() - mean, what="the result in evaluation", teach="The mean so far.")
        same = all(torch.equal(before[name], value) for name, value in model.state_dict().items())
        expect(same, "evaluation changed what is kept", teach="Only self.training takes rows in.")
        expect(set(before) == {"mean", "count"}, f"saved are {sorted(before)}, not mean and count", teach=BUFFER)
        other = make(answer, draw, width)
        other.load_state_dict(before)
        expect_close(other.eval()(x), x.cpu() - mean, what="the result after loading", teach=BUFFER)
        rows.append(x.cpu())
        mean = torch.cat(rows).double().mean(0).float()
        expect_close(other.train()(x), x.cpu() - mean, what="the next result after loading", teach=KEPT)


@check("solved")
def old_rows_weigh_as_much(answer: Answer, draw: Draw) -> None:
    model, rows = make(answer, draw, 2), [draw.normal(n, 2) + place for place, n in enumerate((1, 3000, 1, 500))]
    for x in rows:
        model(x)
    mean = torch.cat([x.cpu() for x in rows]).double().mean(0).float()
    expect_close(model.mean.cpu(), mean, what="the mean of 3,502 rows", teach=KEPT)


@check("solved")
def evaluation_may_come_first(answer: Answer, draw: Draw) -> None:
    model, x = make(answer, draw, 2).eval(), draw.normal(3, 2)
    teach = "Evaluation takes in nothing, also where nothing has been taken in yet: the mean is still 0."
    expect_close(model(x), x.cpu(), what="the result in evaluation before any training", teach=teach)
    expect(int(model.count) == 0, f"count is {int(model.count)} after an evaluation, not 0", teach=teach)


@check("solved")
def no_gradient_is_kept(answer: Answer, draw: Draw) -> None:
    model, x = make(answer, draw, 2), draw.normal(3, 2).requires_grad_()
    for _ in range(2):
        (gradient,) = torch.autograd.grad(model(x).sum(), x)
        teach = "The mean is a constant to the gradient: use x.detach() for what is kept."
        expect_close(gradient.cpu(), torch.ones(3, 2), what="the gradient of x", teach=teach)
    expect(not model.mean.requires_grad, "the buffer mean requires a gradient", teach=teach)


@check("solved")
def gradients_decide_nothing(answer: Answer, draw: Draw) -> None:
    teach = "train() and eval() say whether rows are taken in; whether gradients are recorded is another matter."
    model, x = make(answer, draw, 2), draw.normal(3, 2)
    with torch.no_grad():
        model(x)
    mean = x.cpu().double().mean(0).float()
    expect_close(model.mean.cpu(), mean, what="the mean after a step of training under no_grad", teach=teach)
    model.eval()(draw.normal(3, 2).requires_grad_())
    expect_close(model.mean.cpu(), mean, what="the mean after an evaluation with gradients", teach=teach)


@check("solved")
def counts_are_whole_numbers(answer: Answer, draw: Draw) -> None:
    """Beyond 2²⁴ float32 no longer tells neighbours apart."""
    teach = (
        "The count is an int64 and stays one: count += n, without a detour over floating point, and without a bound."
    )
    model, before = make(answer, draw, 2), torch.tensor(2**24 + 2 * draw.integer(1, 1000))
    model.load_state_dict({"mean": torch.zeros(2), "count": before})
    model(draw.normal(1, 2))
    expect_close(model.count.cpu(), before + 1, what=f"count after {before} rows and one more", teach=teach)


@check("solved")
def compiled_is_the_same(answer: Answer, draw: Draw) -> None:
    model, rows = make(answer, draw, 2), []
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="eager")
    for n in (2, 3, 4):
        x = draw.normal(n, 2)
        rows.append(x.cpu())
        mean = torch.cat(rows).double().mean(0).float()
        expect_close(compiled(x), x.cpu() - mean, what=f"compiled, after {len(rows)} batches, the result", teach=KEPT)


@check("lean")
def few_graphs(answer: Answer, draw: Draw) -> None:
    model = make(answer, draw, 2)
    with torch._dynamo.config.patch(recompile_limit=64):  # a graph that torch gave up on would not be counted
        graphs = count(model, [(draw.normal(n, 2),) for n in ROWS])
    expect(graphs > 0, "nothing of RunningMean is compiled", teach="Hide nothing from torch.compile.")
    expect(
        graphs <= GRAPHS,
        f"{graphs} graphs were compiled for {len(ROWS)} steps; {GRAPHS} are enough",
        teach="A Python number that changes is a new assumption each time; .item() and .tolist() break the graph.",
    )
    note(f"{graphs} graphs for {len(ROWS)} steps")
