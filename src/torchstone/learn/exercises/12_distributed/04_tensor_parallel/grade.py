"""Grades tensor_parallel: the whole MLP in one process, in float64, as the reference; all-reduces counted."""

import copy
import gc
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, note, raw, watch, when
from torchstone.learn.grading.ranks import Rank, run_ranks

PROMISES = {
    "In an MLP, `down(gelu(up(x)))`, give each rank its share of": "two_ranks_make_one_layer",
    "Each rank computes with its hidden units alone, gelu included,": "two_ranks_make_one_layer",
    "What comes out of its part of `down` is a": "two_ranks_make_one_layer",
    "`forward(x)` takes the same `(…, d)` on each rank": "two_ranks_make_one_layer",
    "Every rank then goes backward from the same gradient of the output.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CPU = torch.device("cpu")
FORBIDDEN = dict.fromkeys(
    [
        f"torch.distributed.nn.functional.{name}"
        for name in ("all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter")
    ],
    "torch.distributed.nn has the two functions that you are writing: make them of dist.all_reduce.",
)
SIZES = [((1,), 1, 1), ((2, 3), 3, 2), ((4, 2), 2, 4), ((2, 3, 5), 5, 3)]
"""The shape of x, the width of the output, the hidden units of one rank."""
NAMES = ("up.weight", "up.bias", "down.weight", "down.bias")
SLACK_BYTES = 32
"""For a number or two of one's own."""
ROWS = {"up.weight": 0, "up.bias": 0, "down.weight": 1}
"""The axis along which a parameter is cut."""


def draw_layers(draw: Draw, d: int, hidden: int, out: int) -> tuple[nn.Linear, nn.Linear]:
    up, down = nn.Linear(d, hidden), nn.Linear(hidden, out)
    for parameter in (*up.parameters(), *down.parameters()):
        parameter.data = draw.normal(*parameter.shape)
    return up, down


def whole(up: nn.Linear, down: nn.Linear, x: Tensor, direction: Tensor) -> dict[str, Tensor]:
    up, down, x = copy.deepcopy(up).double(), copy.deepcopy(down).double(), x.double().requires_grad_()
    y = down(gelu(up(x)))
    y.backward(direction.double())
    parameters = (up.weight, up.bias, down.weight, down.bias)
    grads = {name: p.grad.float() for name, p in zip(NAMES, parameters, strict=True)}
    return {"y": y.detach().float(), "x": x.grad.float()} | grads


def share(name: str, tensor: Tensor, rank: int, world: int) -> Tensor:
    return tensor.chunk(world, ROWS[name])[rank] if name in ROWS else tensor


Case = tuple[nn.Linear, nn.Linear, Tensor, Tensor]


COPIES = "A view keeps the whole layer in memory, and training it changes the caller's: keep a clone of the share."


def run(answer: Answer, cases: list[Case], world: int) -> list[Rank]:
    make = raw(answer.ParallelMLP)

    def body(rank: int) -> list[dict[str, Any]]:
        expect_nothing_else_kept(make, *cases[-1][:2])
        results = []
        for up, down, x, direction in cases:
            x, direction = x.clone().requires_grad_(), direction.clone()
            full = copy.deepcopy(up), copy.deepcopy(down)
            mlp = make(*full)
            lent = {one.untyped_storage()._cdata for part in full for one in part.parameters()}
            shared = any(one.untyped_storage()._cdata in lent for one in mlp.parameters())
            expect(not shared, "a share lies in the memory of the full layers", teach=COPIES)
            expect_linears(mlp, up, down, world)
            y = mlp(x)
            result: dict[str, Any] = {"y": y.detach().clone()}
            y.backward(direction)
            shares = {f"share {name}": p.detach() for name, p in mlp.named_parameters()}
            grads = {name: p.grad for name, p in mlp.named_parameters()}
            results.append(result | {"x": x.grad, "given": direction} | shares | grads)
        return results

    return run_ranks(body, world)


def expect_nothing_else_kept(make: Any, up: nn.Linear, down: nn.Linear) -> None:
    """Once the caller has let go of the full layers only the share lives."""
    gc.collect()
    with watch() as seen:
        full = copy.deepcopy(up), copy.deepcopy(down)
        mlp = make(*full)
        del full
        gc.collect()
        live, share = seen.live_bytes, 4 * sum(one.numel() for one in mlp.parameters())
    message = f"{live} bytes live on in ParallelMLP when the full layers are gone, and its share has {share}"
    expect(live <= share + SLACK_BYTES, message, teach=COPIES)


def expect_linears(mlp: nn.Module, up: nn.Linear, down: nn.Linear, world: int) -> None:
    units = up.out_features // world
    for name, wanted in (("up", (up.in_features, units)), ("down", (units, down.out_features))):
        layer = getattr(mlp, name, None)
        expect(
            isinstance(layer, nn.Linear) and (layer.in_features, layer.out_features) == wanted,
            f"self.{name} is {layer}, and should be an nn.Linear from {wanted[0]} to {wanted[1]} on {world} ranks",
            teach="self.up and self.down are nn.Linear layers of this rank's share.",
        )
    numbers = sum(one.numel() for one in (*mlp.parameters(), *mlp.buffers()))
    most = units * (up.in_features + 1 + down.out_features) + down.out_features
    expect(numbers == most, f"ParallelMLP has {numbers} numbers, and its share are {most}", teach=COPIES)


def draw_cases(draw: Draw, world: int) -> list[Case]:
    draw = draw.on(CPU)
    return [
        (*draw_layers(draw, shape[-1], units * world, out), *turn(turned, draw.normal(*shape), shape[:-1], out, draw))
        for shape, out, units in SIZES
        for turned in (False, True)
    ]


def turn(turned: bool, x: Tensor, rows: tuple[int, ...], out: int, draw: Draw) -> tuple[Tensor, Tensor]:
    """x and a direction, both contiguous or neither."""
    direction = draw.normal(*rows, out)
    if not turned or x.ndim < 2:
        return x, direction
    return x.mT.contiguous().mT, direction.mT.contiguous().mT


def expect_share(result: dict[str, Any], case: Case, rank: int, world: int, where: str) -> None:
    full = dict(zip(NAMES, (case[0].weight, case[0].bias, case[1].weight, case[1].bias), strict=True))
    names = {name.removeprefix("share ") for name in result if name.startswith("share ")}
    expect(
        names == set(NAMES),
        f"the parameters of ParallelMLP are {sorted(names)} and should be {sorted(NAMES)}",
        teach="self.up and self.down are nn.Linear layers of this rank's share.",
    )
    for name in NAMES:
        expect_close(
            result[f"share {name}"],
            share(name, full[name].detach(), rank, world),
            what=f"{where}, {name} of rank {rank}",
            teach="A hidden unit is a row of up.weight, a number of up.bias and a column of down.weight: a rank has "
            "all three of its units, in order, and the whole of down.bias.",
        )


def expect_forward(answer: Answer, draw: Draw, world: int) -> None:
    cases = draw_cases(draw, world)
    ranks = run(answer, cases, world)
    for number, case in enumerate(cases):
        up, down, x, direction = case
        expected = whole(*case)
        where = f"x of {list(x.shape)}, {up.out_features} hidden units, {world} ranks"
        for rank in ranks:
            got = rank.value[number]
            bias = down.bias.detach()
            known = [
                when(
                    lambda g, e, b=bias: torch.allclose(g, e + (world - 1) * b, atol=1e-4),
                    "The bias is in there once for every rank: it belongs after the sum.",
                ),
                when(
                    lambda g, e, r=rank.rank, c=case: torch.allclose(g, partial_output(*c[:3], r, world), atol=1e-4),
                    "That is this rank's partial sum: the ranks have not added theirs up.",
                ),
            ]
            expect_close(
                got["y"],
                expected["y"],
                what=f"{where}: the output on rank {rank.rank}",
                teach="Σ over all hidden units of gelu(…) · its column of down.weight, and the bias once.",
                diagnose=known if world > 1 else (),
                atol=1e-4,
            )
            expect_share(got, case, rank.rank, world, where)
            for name in ("x", *NAMES):
                expect_gradient(name, got, expected, rank.rank, world, where)
            expect_close(
                got["given"],
                direction,
                what="the gradient that came into backward",
                teach="all_reduce writes in place: what autograd hands you belongs to others too; reduce a clone.",
            )


def partial_output(up: nn.Linear, down: nn.Linear, x: Tensor, rank: int, world: int) -> Tensor:
    units = up.out_features // world
    own = slice(rank * units, (rank + 1) * units)
    return (gelu(up(x))[..., own] @ down.weight[:, own].mT + down.bias).detach()


def expect_gradient(
    name: str, got: dict[str, Any], expected: dict[str, Tensor], rank: int, world: int, where: str
) -> None:
    what = f"{where}: the gradient of {name} on rank {rank}"
    if got[name] is None:
        fail(f"{what} is missing", teach="The graph was cut: all_reduce by itself is unknown to autograd.")
    if name == "x":
        teach = (
            "Every rank used x, so its gradient is the sum of what comes back on all of them: all-reduce in backward."
        )
    else:
        teach = "A sum passes the gradient of the output on to each rank as it is, once."
    times = when(
        lambda g, e: world > 1 and torch.allclose(g, e * world, rtol=1e-3, atol=1e-4),
        "It is there once for every rank: each term of a sum has slope 1, so its backward adds nothing.",
    )
    expect_close(
        got[name], share(name, expected[name], rank, world), what=what, teach=teach, diagnose=[times], atol=1e-4
    )


@check("solved")
def two_ranks_make_one_layer(answer: Answer, draw: Draw) -> None:
    expect_forward(answer, draw, 2)


@check("solved")
def three_ranks_make_one_layer(answer: Answer, draw: Draw) -> None:
    expect_forward(answer, draw, 3)


@check("solved")
def one_rank_is_the_plain_layer(answer: Answer, draw: Draw) -> None:
    expect_forward(answer, draw, 1)


@check("lean")
def two_all_reduces_are_enough(answer: Answer, draw: Draw) -> None:
    world, n, d, out = 2, 6, 4, 3
    own = draw.on(CPU)
    case = (*draw_layers(own, d, 8, out), own.normal(n, d), own.normal(n, out))
    for rank in run(answer, [case], world):
        calls = ", ".join(f"{one.name} of {one.numbers} numbers" for one in rank.sent)
        expect(
            len(rank.sent) <= 2 and sum(one.numbers for one in rank.sent) <= n * (d + out),
            f"rank {rank.rank} communicates {len(rank.sent)} times for x of {n} × {d}, 8 hidden units and an output of "
            f"{n} × {out}: {calls}",
            teach="One all-reduce of the output and one of x's gradient are enough: hidden units stay home.",
        )
        note(f"{len(rank.sent)} all-reduces")


@check("solved")
def sums_are_new_tensors(answer: Answer, draw: Draw) -> None:
    for world in (1, 2):
        expect_new_sums(answer, [draw.on(CPU).normal(3, 2) for _ in range(world)])


NEW = "all_reduce writes into what it is given: give it a clone, what came in is not yours."


def expect_new_sums(answer: Answer, parts: list[Tensor]) -> None:
    """Forward in SumOverRanks, backward in CopyToRanks: the sum, in memory of its own, and what came in as it was."""
    add_up, copy_to = raw(answer.SumOverRanks), raw(answer.CopyToRanks)

    def sums(part: Tensor) -> list[tuple[Tensor, Tensor, bool]]:
        own, gradient, x = part.clone(), part.clone(), torch.zeros_like(part).requires_grad_()
        total = add_up.apply(own)
        (back,) = torch.autograd.grad(copy_to.apply(x), x, gradient)
        pairs = ((total.detach(), own), (back.detach(), gradient))
        return [(total, given, total.data_ptr() != given.data_ptr()) for total, given in pairs]

    def body(rank: int) -> list[tuple[Tensor, Tensor, bool]]:
        # The second time by columns, turned back for the comparison.
        turned = [(total.mT, given.mT, is_apart) for total, given, is_apart in sums(parts[rank].mT)]
        return sums(parts[rank]) + turned

    expected = torch.stack(parts).sum(0)
    for rank in run_ranks(body, len(parts)):
        for where, (total, given, is_apart) in zip(("forward", "backward") * 2, rank.value, strict=True):
            who = f"rank {rank.rank} of {len(parts)}"
            expect_close(total, expected, what=f"the sum on {who}, going {where},")
            expect_close(
                given, parts[rank.rank], what=f"what {who} handed in, going {where}, after the sum,", teach=NEW
            )
            expect(is_apart, f"the sum on {who}, going {where}, lies in the memory of what came in", teach=NEW)
