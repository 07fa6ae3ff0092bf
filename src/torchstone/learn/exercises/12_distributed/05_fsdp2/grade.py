"""Grades fsdp2: one process with the whole batch, in float64, as the reference; what each rank gathers is counted."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, note, raw, when
from torchstone.learn.grading.ranks import Rank, run_ranks

PROMISES = {
    "All parameters of one group (one call of fully_shard) are gathered at one time": None,
    "Before the module runs its rows are gathered, afterwards all": None,
    "in backward each rank gets its own rows of the mean gradient": None,
    "With two ranks or more the tensors are copies": "states_are_whole",
    "Neither this nor `load_state` is called after a forward pass": None,
    "Each of these is called on every rank of a one-dimensional mesh": None,
    "x and y are this rank's part of the batch, as large on every rank": "two_ranks_train_as_one",
    "Every block is a group, and what is left is one": "one_block_at_a_time",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CPU = torch.device("cpu")
STEPS = 3
LR = 0.1
NORMS = (0.05, 0.05, 1e6)
"""Below every gradient's norm here, and in the last step above it."""


class Net(nn.Module):
    """Blocks of several shapes, one with rows that no number of ranks divides, and a parameter beside them."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.register_buffer("shift", torch.ones(width), persistent=False)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width + 2 * place + 1), nn.Tanh(), nn.Linear(width + 2 * place + 1, width))
            for place in range(depth)
        )

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x * self.scale + self.shift)
        return x


def draw_net(draw: Draw, width: int, depth: int) -> Net:
    net = Net(width, depth)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(draw.normal(*parameter.shape) * 0.5)
    return net


def train_whole(net: Net, batches: list[tuple[Tensor, Tensor]], make: Any) -> tuple[dict[str, Tensor], list[float]]:
    """What one process with the whole batch does."""
    net = copy.deepcopy(net).double()
    optimizer = make(net.parameters())
    losses = []
    for (x, y), max_norm in zip(batches, NORMS, strict=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x.double()), y.double())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), max_norm)
        optimizer.step()
        losses.append(loss.item())
    return {name: parameter.detach().float() for name, parameter in net.named_parameters()}, losses


def in_mesh(world: int, body: Callable[[int, Any], Any]) -> list[Rank]:
    return run_ranks(lambda rank: body(rank, init_device_mesh("cpu", (world,))), world)


def local_shapes(net: nn.Module) -> dict[str, Any]:
    """Of each parameter the local rows and where the others are, or why it is none of ours."""
    return {
        name: (tuple(p.to_local().shape), [str(one) for one in p.placements]) if isinstance(p, DTensor) else None
        for name, p in net.named_parameters()
    }


def whole_values(net: nn.Module) -> dict[str, Tensor]:
    return {
        name: (p.full_tensor() if isinstance(p, DTensor) else p).detach().clone() for name, p in net.named_parameters()
    }


@check("solved")
def rows_are_spread(answer: Answer, draw: Draw) -> None:
    own = draw.on(CPU)
    shard = raw(answer.shard)
    net, x, world = draw_net(own, 4, 2), own.normal(3, 4), 3
    expected = net(x).detach()

    def body(rank: int, mesh: Any) -> tuple[bool, dict[str, Any], Tensor]:
        given = copy.deepcopy(net)
        sharded = shard(given, mesh)
        return sharded is given, local_shapes(given), given(x).detach()

    for rank in in_mesh(world, body):
        same, shapes, output = rank.value
        expect(same, "shard returns another model than the one that it was given", teach="It works in place.")
        expect_rows(net, shapes, rank.rank, world)
        expect_close(output, expected, what=f"the output on rank {rank.rank} of {world}", atol=1e-4)


def expect_rows(net: Net, shapes: dict[str, Any], rank: int, world: int) -> None:
    for name, parameter in net.named_parameters():
        found = shapes.get(name)
        expect(
            found is not None,
            f"{name} is no DTensor on rank {rank}: every rank holds all of it",
            teach="fully_shard(block) for each block, and then for the model, which takes what is left.",
        )
        pieces = parameter.detach().chunk(world)
        wanted = tuple(pieces[rank].shape) if rank < len(pieces) else (0, *parameter.shape[1:])
        expect(
            found[0] == wanted,
            f"rank {rank} of {world} holds {list(found[0])} of {name}, which is {list(parameter.shape)}; "
            f"its rows are {list(wanted)} ({', '.join(found[1])})",
            teach="Shards are rows: Shard(0) over the mesh, as fully_shard makes them.",
        )


def stepping(answer: Answer, net: Net, batches: list[tuple[Tensor, Tensor]], make: Any, world: int) -> list[Rank]:
    shard, step = raw(answer.shard), raw(answer.train_step)

    def body(rank: int, mesh: Any) -> tuple[list[Any], dict[str, Tensor]]:
        sharded = shard(copy.deepcopy(net), mesh)
        optimizer = make(sharded.parameters())
        losses = []
        for number, (x, y) in enumerate(batches):
            if number > 0:  # someone has looked at a gradient in between
                looked = sharded(x.chunk(world)[rank]).sum()
                (looked if number == 1 else looked * torch.inf).backward()
            losses.append(
                step(sharded, optimizer, x.chunk(world)[rank].clone(), y.chunk(world)[rank].clone(), NORMS[number])
            )
        return losses, whole_values(sharded)

    return in_mesh(world, body)


def momentum(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=LR, momentum=0.9)


def expect_training(answer: Answer, draw: Draw, world: int, depth: int) -> None:
    own = draw.on(CPU)
    net = draw_net(own, 3, depth)
    # The parts of the ranks are far from alike, so that their losses and norms are, too.
    by_part = torch.arange(1.0, world + 1).repeat_interleave(2)[:, None]
    batches = [(own.normal(2 * world, 3) * by_part, own.normal(2 * world, 3) * by_part) for _ in range(STEPS)]
    expected, losses = train_whole(net, batches, momentum)
    for rank in stepping(answer, net, batches, momentum, world):
        found, values = rank.value
        expect_losses(found[:1], losses[:1], rank.rank, world)
        for name, value in expected.items():
            expect_close(
                values[name],
                value,
                what=f"{name} after {STEPS} steps on {world} ranks",
                teach="Fresh gradients, clipped by the norm over all of them on all ranks, then the step.",
                rtol=1e-3,
                atol=1e-4,
            )
        expect_losses(found, losses, rank.rank, world)


def expect_losses(found: list[Any], losses: list[float], rank: int, world: int) -> None:
    for number, (got, loss) in enumerate(zip(found, losses, strict=True)):
        if not isinstance(got, float):
            fail(f"train_step returned a {type(got).__name__}, not a float")
        summed = when(
            lambda g, e: world > 1 and abs(g - world * e) < 1e-3 * abs(g), "The losses are added up, not averaged."
        )
        expect_close(
            got,
            loss,
            what=f"the loss of step {number + 1} on rank {rank} of {world}",
            teach="Each rank knows the loss of its own part: the mean over the ranks is that of the whole batch.",
            diagnose=[summed],
            rtol=2e-5,
        )


@check("solved")
def two_ranks_train_as_one(answer: Answer, draw: Draw) -> None:
    expect_training(answer, draw, 2, depth=2)


@check("solved")
def other_worlds_train_as_one(answer: Answer, draw: Draw) -> None:
    expect_training(answer, draw, 1, depth=1)
    expect_training(answer, draw, 3, depth=1)


@check("solved")
def states_are_whole(answer: Answer, draw: Draw) -> None:
    own = draw.on(CPU)
    net = draw_net(own, 4, 2).double()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.div_(3)  # beyond what float32 holds
    net.register_buffer("count", torch.ones(2))
    net.blocks[0][0].bias.requires_grad_(False)
    shard, gather = raw(answer.shard), raw(answer.gather_state)

    def body(rank: int, mesh: Any) -> tuple[dict[str, Any], bool]:
        sharded = shard(copy.deepcopy(net), mesh)
        state = gather(sharded)
        told = {key: value.clone() for key, value in state.items() if not isinstance(value, DTensor)}
        told = {key: value.detach().requires_grad_(state[key].requires_grad) for key, value in told.items()}
        parts = any(isinstance(value, DTensor) for value in state.values())
        before = whole_values(sharded)
        with torch.no_grad():
            for value in state.values():
                value.add_(1)
        apart = all(torch.equal(before[name], value) for name, value in whole_values(sharded).items())
        return {"state": told, "parts": parts}, apart

    for rank in in_mesh(2, body):
        found, apart = rank.value
        expect(not found["parts"], "gather_state returns DTensors: each rank has rows only", teach="full_tensor()")
        expected = {name: p.detach() for name, p in net.named_parameters()} if rank.rank == 0 else {}
        expect(
            set(found["state"]) == set(expected),
            f"gather_state returns {len(found['state'])} tensors on rank {rank.rank}, not {len(expected)}",
            teach="Every rank takes part in the gathering; only rank 0 keeps what comes of it: "
            "parameters, frozen ones too, and no buffers.",
        )
        for name, value in expected.items():
            kept = found["state"][name]
            expect_close(kept.detach(), value, what=f"{name} in the gathered state", rtol=0, atol=0)
            expect(
                not kept.requires_grad, f"{name} in the gathered state requires grad", teach="A plain tensor: detach."
            )
        expect(apart, "who changes the gathered state changes the model", teach="The state is a copy.")


@check("solved")
def states_are_loaded_in_place(answer: Answer, draw: Draw) -> None:
    own = draw.on(CPU)
    net, other = draw_net(own, 4, 2).double(), draw_net(own, 4, 2).double()
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.div_(3)  # beyond what float32 holds
    net.blocks[0][0].bias.requires_grad_(False)
    flags = {name: p.requires_grad for name, p in net.named_parameters()}
    state = {name: p.detach().clone() for name, p in other.named_parameters()}
    shard, load = raw(answer.shard), raw(answer.load_state)

    def body(rank: int, mesh: Any) -> tuple[bool, bool, dict[str, Any], dict[str, Tensor], bool]:
        sharded = shard(copy.deepcopy(net), mesh)
        known = dict(sharded.named_parameters())
        given = {name: value.clone() for name, value in state.items()}
        load(sharded, given)
        now = dict(sharded.named_parameters())
        same = all(now[name] is known[name] for name in known)
        unchanged = all(type(given.get(name)) is Tensor and given[name].equal(value) for name, value in state.items())
        learning = all(p.requires_grad == flags[name] for name, p in now.items())
        return same, unchanged, local_shapes(sharded), whole_values(sharded), learning

    world = 3
    for rank in in_mesh(world, body):
        same, unchanged, shapes, values, learning = rank.value
        teach = "The optimizer holds the old objects and would go on with them: write into them, in place."
        expect(same, "the parameters are other objects after load_state", teach=teach)
        expect(unchanged, "load_state changed the dictionary that it was given", teach="Others may need it still.")
        expect(learning, "load_state changed requires_grad of a parameter")
        expect_rows(net, shapes, rank.rank, world)
        for name, value in state.items():
            what = f"{name} after load_state, gathered from {world} ranks"
            expect_close(values[name], value, what=what, rtol=0, atol=0)


@check("lean")
def one_block_at_a_time(answer: Answer, draw: Draw) -> None:
    world, own = 2, draw.on(CPU)
    net = draw_net(own, 6, 3)
    batch = (own.normal(4, 6), own.normal(4, 6))
    groups = [sum(padded(p, world) for p in block.parameters()) for block in net.blocks]
    largest = max(groups)
    shard, step, gather = raw(answer.shard), raw(answer.train_step), raw(answer.gather_state)

    def body(rank: int, mesh: Any) -> tuple[list[str], list[str]]:
        sharded = shard(copy.deepcopy(net), mesh)
        x, y = (one.chunk(world)[rank].clone() for one in batch)
        step(sharded, momentum(sharded.parameters()), x, y, NORMS[0])
        gather(sharded)
        sharded(x)
        groups = [name for name, module in sharded.named_modules() if isinstance(module, FSDPModule)]
        return [name for name, found in local_shapes(sharded.blocks).items() if found is None], groups

    for rank in in_mesh(world, body):
        gathered = max((one.numbers for one in rank.sent if "gather" in one.name), default=0)
        expect(
            gathered <= largest,
            f"rank {rank.rank} gathers {gathered} numbers at once; the largest block has {largest}",
            teach="A group is gathered as a whole: make every block one of its own, before the model.",
        )
        whole, found = rank.value
        expect(
            not whole,
            f"after a forward pass rank {rank.rank} still holds the whole of blocks.{', blocks.'.join(whole)}",
            teach="Rows of others are let go after use (reshard_after_forward), or all blocks live whole at one time.",
        )
        expect(
            found == ["", *(f"blocks.{place}" for place in range(len(net.blocks)))],
            f"the groups are {[name or 'the model' for name in found]}, and should be each block and the model",
            teach="Every block is a group, and what is left is one: the finer they are, the more often ranks wait.",
        )
        note(f"at most {gathered} numbers gathered at a time, of {sum(p.numel() for p in net.parameters())}")


def padded(parameter: Tensor, world: int) -> int:
    """Rows are filled up to a multiple of the ranks on the way."""
    return -(-parameter.shape[0] // world) * world * (parameter.numel() // parameter.shape[0])
