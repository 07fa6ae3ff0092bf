"""Grades lstm_cell: torch's LSTM on each sequence alone, cut to its length, in float64; huge numbers, infinity or NaN
in the padding."""

from typing import Any

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, guard, raw, unheard

PROMISES = {
    "`step(x, hidden, cell)`, `(n, inputs)`, `(n, size)`, `(n, size)`: from": None,
    "What stands in the padding, NaN even, must not change": "gradients_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    ("lstm", "lstm_cell", "thnn_fused_lstm_cell", "rnn_tanh", "gru", "mkldnn_rnn_layer"),
    "That is what you are writing: build it from matrix products, sigmoid and tanh.",
)
CASES = [
    ((1,), 1, 1, 1),
    ((2,), 2, 1, 1),
    ((1, 2), 2, 2, 1),
    ((2, 1, 3), 4, 2, 3),
    ((3, 5, 1, 5), 5, 3, 2),
    ((1, 3), 4, 2, 16),
    ((13, 10), 14, 1, 2),
]
"""Lengths, time, inputs, size. The padding's huge numbers shut some output gates, but never all of 16."""
POISONS = (1e4, torch.inf, torch.nan)
Three = tuple[Tensor, Tensor, Tensor]


def build(answer: Answer, draw: Draw, inputs: int, size: int) -> Any:
    net = raw(answer.LSTM)(inputs, size).to(draw.device)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(draw.normal(*parameter.shape, scale=0.7))
    return net


def poisoned(draw: Draw, lengths: Tensor, time: int, inputs: int, poison: float) -> Tensor:
    """Random sequences, with something bad where they are padded."""
    padded = draw.normal(len(lengths), time, inputs)
    past = torch.arange(time)[None] >= lengths.cpu()[:, None]
    return padded.masked_fill(past[:, :, None].to(padded.device), poison)


def weights_of(net: Any) -> dict[str, Tensor]:
    return {name: value.detach().cpu().double().requires_grad_() for name, value in net.named_parameters()}


@unheard()
def one_step(weights: dict[str, Tensor], x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    zero = torch.zeros_like(weights["bias"])
    state = (hidden, cell)
    return torch.lstm_cell(x, state, weights["weight_input"], weights["weight_hidden"], weights["bias"], zero)


@unheard()
def reference(weights: dict[str, Tensor], padded: Tensor, lengths: Tensor) -> Three:
    """Every sequence on its own, so that there is no padding to go wrong."""
    size = weights["weight_hidden"].shape[1]
    rows, hiddens, cells = [], [], []
    for row, length in zip(padded, lengths.tolist(), strict=True):
        hidden = cell = torch.zeros(1, size, dtype=torch.float64)
        states = []
        for x in row[:length]:
            hidden, cell = one_step(weights, x[None], hidden, cell)
            states.append(hidden)
        rows.append(torch.cat([*states, torch.zeros(len(row) - length, size, dtype=torch.float64)]))
        hiddens.append(hidden)
        cells.append(cell)
    return torch.stack(rows), torch.cat(hiddens), torch.cat(cells)


def expect_three(result: Any) -> None:
    right = isinstance(result, tuple) and len(result) == 3
    expect(right, "forward should return three tensors: all hidden states, the last hidden ones, the last cells")


@check("solved")
def weights_start_small(answer: Answer, draw: Draw) -> None:
    size = 16
    for name, weight in raw(answer.LSTM)(8, size).named_parameters():
        low, high, bound = weight.min().item(), weight.max().item(), size**-0.5
        # 64 numbers or more: that none lies in the lowest quarter of the range happens once in 100 million draws.
        spread = -bound <= low < -0.5 * bound and 0.5 * bound < high <= bound
        message = f"{name} lies between {low:.3g} and {high:.3g}, not between ±{bound:.3g}"
        expect(spread, message, teach="Keep the starter's __init__: ± 1 / √size.")


@check("solved")
def step_is_right(answer: Answer, draw: Draw) -> None:
    for n, inputs, size in ((1, 1, 1), (1, 2, 1), (3, 2, 5)):
        net = build(answer, draw, inputs, size)
        x, hidden, cell = draw.normal(n, inputs), draw.normal(n, size), draw.normal(n, size)
        expected = one_step(weights_of(net), *(one.cpu().double() for one in (x, hidden, cell)))
        result = guard(net.step, "step")(x, hidden, cell)
        expect(isinstance(result, tuple) and len(result) == 2, "step should return the hidden state and the cell")
        teach = (
            "The four quarters are input, forget, candidate, output, from both products and the bias; "
            "the hidden state comes from the new cell."
        )
        for name, got, wanted in zip(("hidden state", "cell"), result, expected, strict=True):
            expect_close(got, wanted.float(), what=f"the new {name}", device=draw.device, teach=teach)


@check("solved")
def states_are_right(answer: Answer, draw: Draw) -> None:
    for lengths, padded, net in batches(answer, draw):
        result = guard(net, "forward")(padded, lengths)
        expect_three(result)
        expected = reference(weights_of(net), padded.cpu().double(), lengths.cpu())[0]
        teach = (
            "Row t holds the hidden state at step t, and zeros after the sequence's end (step length − 1 is its last)."
        )
        expect_close(result[0], expected.float(), what="all states", device=draw.device, teach=teach)


@check("solved")
def last_states_are_right(answer: Answer, draw: Draw) -> None:
    for lengths, padded, net in batches(answer, draw):
        result = guard(net, "forward")(padded, lengths)
        expected = reference(weights_of(net), padded.cpu().double(), lengths.cpu())
        teach = (
            "Each sequence ends at its own last step: after it, the hidden state and the cell must stay as they are."
        )
        for name, got, wanted in zip(("hidden", "cell"), result[1:], expected[1:], strict=True):
            expect_close(got, wanted.float(), what=f"the last {name}", device=draw.device, teach=teach)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for lengths, padded, net in batches(answer, draw):
        weights, exact = weights_of(net), padded.cpu().double().requires_grad_()
        expected_results = reference(weights, exact, lengths.cpu())
        directions = [torch.randn(one.shape, dtype=torch.float64) for one in expected_results]
        with unheard():
            expected = torch.autograd.grad(weigh(expected_results, directions), [exact, *weights.values()])
        leaf = padded.clone().requires_grad_()
        results = guard(net, "forward")(leaf, lengths)
        near = [one.float().to(draw.device) for one in directions]
        teach = "The gradient goes back through every step, by the hidden state and by the cell; none into the padding."
        expect(all(one.requires_grad for one in results), "a result has no gradient", teach=teach)
        got = torch.autograd.grad(weigh(results, near), [leaf, *net.parameters()], allow_unused=True)
        for name, mine, theirs in zip(("padded", *weights), got, expected, strict=True):
            expect(mine is not None, f"no gradient arrives at {name}", teach=teach)
            expect_close(mine, theirs.float(), what=f"the gradient in {name}", teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def cells_may_grow(answer: Answer, draw: Draw) -> None:
    net = build(answer, draw, 2, 3)
    x, hidden, cell = draw.normal(2, 2), draw.normal(2, 3), draw.normal(2, 3, scale=1.0) + 500
    with torch.no_grad():
        net.bias.add_(8)
    expected = one_step(weights_of(net), *(one.cpu().double() for one in (x, hidden, cell)))
    got = guard(net.step, "step")(x, hidden, cell)
    teach = "cell ← f · cell + i · g, and nothing holds it: a cell can count."
    expect_close(got[1], expected[1].float(), what="a large cell after a step", device=draw.device, teach=teach)


@check("solved")
def float64_stays_float64(answer: Answer, draw: Draw) -> None:
    on_cpu = draw.on(torch.device("cpu"))
    net, lengths = build(answer, on_cpu, 2, 3).double(), torch.tensor([2, 3])
    padded = on_cpu.normal(2, 4, 2).double()
    results = guard(net, "forward")(padded.clone(), lengths)
    expect_three(results)
    wanted = reference(
        weights_of(net), padded.masked_fill((torch.arange(4) >= lengths[:, None])[:, :, None], 0), lengths
    )
    teach = "The zero states, too, have the dtype of the input: padded.new_zeros(…)."
    for name, got, right in zip(("states", "hidden", "cell"), results, wanted, strict=True):
        expect_close(got, right.detach(), what=f"{name} in float64", teach=teach)


@check("solved")
def long_sequences_are_right(answer: Answer, draw: Draw) -> None:
    """More steps than a byte counts, with a forget gate that keeps nearly all."""
    draw = draw.on(torch.device("cpu"))  # many small steps take a pretend device long
    net = build(answer, draw, 1, 1)
    with torch.no_grad():
        net.bias.copy_(draw.place(torch.tensor([0.0, 6.0, 0.0, 1.0])))
        net.weight_hidden.mul_(0.1)
    counted = torch.tensor([260]).to(draw.device)
    with torch.no_grad():
        padded = poisoned(draw, counted, 260, 1, 1.0)
        cell = guard(net, "forward")(padded, counted)[2]
        wanted = reference(weights_of(net), padded.cpu().double(), counted.cpu())[2]
    teach = "A sequence may be long: every step counts, in the states and on the way back."
    expect_close(cell, wanted.float(), what="the cell after 260 steps", teach=teach, rtol=1e-3, atol=1e-4)
    lengths = torch.tensor([100]).to(draw.device)
    padded = poisoned(draw, lengths, 100, 1, 1.0)
    weights, exact = weights_of(net), padded.cpu().double().requires_grad_()
    expected = reference(weights, exact, lengths.cpu())
    with unheard():
        (wanted,) = torch.autograd.grad(expected[2].sum(), exact)
    leaf = padded.clone().requires_grad_()
    results = guard(net, "forward")(leaf, lengths)
    for name, got, right in zip(("states", "hidden", "cell"), results, expected, strict=True):
        expect_close(got, right.detach().float(), what=f"{name} of 100 steps", teach=teach, rtol=1e-3, atol=1e-4)
    (got,) = torch.autograd.grad(results[2].sum(), leaf)
    expect_close(got, wanted.float(), what="the gradient of 100 steps", teach=teach, rtol=1e-2, atol=1e-5)


def weigh(results: Any, directions: list[Tensor]) -> Tensor:
    return sum((one * direction).sum() for one, direction in zip(results, directions, strict=True))


def batches(answer: Answer, draw: Draw) -> Any:
    for lengths, time, inputs, size in CASES:
        on_device = torch.tensor(lengths).to(draw.device)
        # Every kind of padding in one case, any of them in the others.
        for poison in POISONS if len(lengths) == 3 else (draw.choice(POISONS),):
            yield on_device, poisoned(draw, on_device, time, inputs, poison), build(answer, draw, inputs, size)


@check("solved")
def far_values_count_in_full(answer: Answer, draw: Draw) -> None:
    """Cells, inputs and gates far out, where a bound or a home-made tanh would show."""
    net = build(answer, draw, 2, 3)
    teach = "cell ← f · cell + i · g and hidden ← o · tanh(cell), for numbers of any size: nothing is held or cut off."
    for scale_x, scale_cell in ((1.0, 1e8), (200.0, 1.0), (12.0, 1e5)):
        x, hidden = draw.normal(4, 2, scale=scale_x), draw.normal(4, 3)
        cell = draw.normal(4, 3, scale=scale_cell)
        expected = one_step(weights_of(net), *(one.cpu().double() for one in (x, hidden, cell)))
        got = guard(net.step, "step")(x, hidden, cell)
        for name, mine, theirs in zip(("hidden state", "cell"), got, expected, strict=True):
            what = f"the new {name} for inputs of size {scale_x:g} and cells of size {scale_cell:g}"
            expect_close(mine, theirs.float(), what=what, device=draw.device, teach=teach, rtol=1e-3, atol=1e-4)
    with torch.no_grad():  # a forget gate that is all but shut keeps e⁻²⁵ of a huge cell
        for parameter in net.parameters():
            parameter.zero_()
        net.bias[3:6] = -25.0
    x, hidden, cell = draw.normal(2, 2), draw.normal(2, 3), draw.normal(2, 3, scale=1e12)
    expected = one_step(weights_of(net), *(one.cpu().double() for one in (x, hidden, cell)))[1]
    got = guard(net.step, "step")(x, hidden, cell)[1]
    expect_close(got, expected.float(), what="a huge cell behind a shut gate", teach=teach, rtol=1e-3)


@check("solved")
def real_nans_stay_in_their_row(answer: Answer, draw: Draw) -> None:
    teach = "A NaN in a real step belongs to its sequence: it is neither hidden nor passed on to other sequences."
    net, lengths = build(answer, draw, 2, 2), draw.place(torch.tensor([3, 2, 4]), torch.int64)
    padded = poisoned(draw, lengths, 4, 2, torch.nan)
    padded[0, 1, 0] = torch.nan
    expected = reference(weights_of(net), padded.cpu().double(), lengths.cpu())
    with torch.no_grad():  # and without gradients the arguments stay as they are too
        got = guard(net, "forward")(padded, lengths)
    for name, mine, theirs in zip(("states", "hidden", "cell"), got, expected, strict=True):
        right = torch.equal(mine.cpu().isnan(), theirs.isnan())
        expect(right, f"a NaN in a real step of one sequence: {name} has NaN in other places", teach=teach)
        finite = mine.cpu().nan_to_num(), theirs.detach().float().nan_to_num()
        expect_close(*finite, what=f"{name} beside a NaN", teach=teach)


@check("solved")
def steps_are_exact_in_float64(answer: Answer, draw: Draw) -> None:
    draw = draw.on(torch.device("cpu"))
    net = build(answer, draw, 2, 3).double()
    given = [draw.normal(3, columns).double() * 0.3 for columns in (2, 3, 3)]
    expected = one_step(weights_of(net), *given)
    got = guard(net.step, "step")(*given)
    teach = "In float64 everything is computed in float64: no number takes a way through float32."
    for name, mine, theirs in zip(("hidden state", "cell"), got, expected, strict=True):
        expect_close(mine, theirs.detach(), what=f"the new {name} in float64", teach=teach, rtol=1e-11, atol=1e-13)
