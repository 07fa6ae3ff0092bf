"""Grades ddp_hand: one process with the whole batch as the reference, in float64."""

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, raw, when
from torchstone.learn.grading.ranks import run_ranks

PROMISES = {
    "If all ranks start from the same weights and step": None,
    "Where no rank has one, None and zeros are both right.": "gradients_are_those_of_the_whole_batch",
    "Every sample counts once, on however many ranks.": "gradients_are_those_of_the_whole_batch",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CPU = torch.device("cpu")
SHARDS = [[3], [2, 2], [1, 4], [5, 0], [0, 3], [40, 3], [2, 1, 4], [0, 5, 1]]
"""How many samples each rank has; the length is the number of ranks."""
FEATURES, CLASSES = 3, 4
MODES = "Whether layers train is the caller's affair: use the model as it is."


class Forked(nn.Module):
    """Samples with a positive first feature go through one layer, others through two of one weight; one is frozen."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.frozen = nn.Linear(FEATURES, FEATURES).requires_grad_(False)
        self.positive = nn.Linear(FEATURES, CLASSES)
        self.negative = nn.Linear(FEATURES, CLASSES, bias=False)
        self.twin = nn.Linear(FEATURES, CLASSES, bias=False)
        self.twin.weight = self.negative.weight
        self.register_buffer("shift", torch.zeros(FEATURES))
        for tensor in self.state_dict().values():
            tensor.copy_(draw.normal(*tensor.shape))

    def forward(self, x: Tensor) -> Tensor:
        # A layer without samples is not called, as experts in a mixture are not.
        positive = x[:, 0] > 0
        x = self.frozen(x) + self.shift
        result = x.new_zeros(len(x), CLASSES) + 0 * self.positive.bias
        if positive.any():
            result = result.masked_scatter(positive[:, None], self.positive(x[positive]))
        if not positive.all():
            result = result.masked_scatter(
                ~positive[:, None], self.negative(x[~positive]) + self.twin(x[~positive].cos())
            )
        return result


def whole_batch(model: Forked, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
    model = copy.deepcopy(model).double()
    loss = cross_entropy(model(inputs.double()), targets)
    loss.backward()
    found = {name: p.grad.to(inputs.dtype) for name, p in model.named_parameters() if p.grad is not None}
    return {"loss": loss.detach().to(inputs.dtype)} | found


def mean_of_means(model: Forked, shards: list[tuple[Tensor, Tensor]]) -> dict[str, Tensor]:
    parts = [whole_batch(model, *shard) for shard in shards if len(shard[1])]
    return {
        k: torch.stack([part.get(k, torch.zeros_like(v)) for part in parts]).sum(0) / len(shards)
        for k, v in {k: v for part in parts for k, v in part.items()}.items()
    }


def draw_shards(draw: Draw, sizes: list[int]) -> list[tuple[Tensor, Tensor]]:
    """Signs alternate by rank, so that with two full shards no layer is used by both."""
    shards = []
    for rank, size in enumerate(sizes):
        inputs = draw.normal(size, FEATURES)
        inputs[:, 0] = inputs[:, 0].abs() * (-1) ** rank
        shards.append((inputs, draw.integers(size, high=CLASSES)))
    return shards


@check("solved")
def every_rank_starts_alike(answer: Answer, draw: Draw) -> None:
    draw = draw.on(CPU)
    sync = raw(answer.sync_model)
    for world in (2, 3):
        models = [Forked(draw) for _ in range(world)]
        for number, model in enumerate(models):
            model.register_buffer("count", torch.tensor(2**40 + 1 + number))
            model.register_buffer("scratch", torch.tensor([1.0 + number]), persistent=False)
            model.register_buffer("fine", draw.normal(3).double() / 3)
            model.register_buffer("flags", torch.tensor([number == 0, number == 1]))
            model.slope = nn.Parameter(torch.tensor(number / 7, dtype=torch.float64))

        def body(rank: int, models: list[Forked] = models) -> Any:
            before = [id(one) for one in (*models[rank].parameters(), *models[rank].buffers())]
            memory = [one.data_ptr() for one in (*models[rank].parameters(), *models[rank].buffers())]
            sync(models[rank])
            after = (*models[rank].parameters(), *models[rank].buffers())
            same = before == [id(one) for one in after] and memory == [one.data_ptr() for one in after]
            kept = "In place: an optimizer that was made before holds these very tensors. Copy into them."
            expect(same, "sync_model has put other tensors in the place of the model's own", teach=kept)
            unchanged = all(
                p.requires_grad == q.requires_grad
                for p, q in zip(models[rank].parameters(), models[0].parameters(), strict=True)
            )
            return unchanged, dict(models[rank].state_dict()) | {"scratch": models[rank].scratch}

        expected = dict(models[0].state_dict()) | {"scratch": models[0].scratch.clone()}
        for rank in run_ranks(body, world):
            unchanged, state = rank.value
            expect(unchanged, f"sync_model changed requires_grad of a parameter of rank {rank.rank}")
            for name, tensor in expected.items():
                kind = "buffer" if name in ("shift", "count", "scratch", "fine", "flags") else "parameter"
                own = (dict(models[rank.rank].state_dict()) | {"scratch": models[rank.rank].scratch})[name]
                kept = when(
                    lambda got, e, own=own: torch.equal(got, own),
                    f"This {kind} is still the rank's own: every rank must call broadcast, for parameters and for "
                    "buffers, with rank 0 as its source.",
                )
                expect_close(
                    state[name],
                    tensor,
                    what=f"the {kind} {name!r} of rank {rank.rank} of {world} after sync_model",
                    teach="After it every rank must have what rank 0 has.",
                    diagnose=[kept],
                    rtol=0,
                    atol=0,
                )


@check("solved")
def gradients_are_those_of_the_whole_batch(answer: Answer, draw: Draw) -> None:
    draw = draw.on(CPU)
    backward = raw(answer.backward_everywhere)
    for world in (1, 2, 3):
        # Whatever has a dtype of its own must not narrow float64; modes are the caller's.
        dtype = torch.float64 if world == 3 else torch.float32
        model = Forked(draw).to(dtype).eval()
        model.positive.train()
        cases = [
            [(inputs.to(dtype), targets) for inputs, targets in draw_shards(draw, sizes)]
            for sizes in SHARDS
            if len(sizes) == world
        ]

        def body(rank: int, model: Forked = model, cases: Any = cases) -> list[dict[str, Tensor | None]]:
            found = []
            before = [module.training for module in model.modules()]
            for shards in cases:
                model.zero_grad(set_to_none=True)
                loss = backward(model, *shards[rank])
                modes = [module.training for module in model.modules()]
                expect(modes == before, "backward_everywhere changed the mode (train or eval) of a layer", teach=MODES)
                grads = {name: p.grad if p.grad is None else p.grad.clone() for name, p in model.named_parameters()}
                found.append({"loss": loss.detach() if isinstance(loss, Tensor) else loss} | grads)
            return found

        ranks = run_ranks(body, world)
        for number, shards in enumerate(cases):
            expected = whole_batch(model, *(torch.cat(parts) for parts in zip(*shards, strict=True)))
            for rank in ranks:
                compare(rank.value[number], expected, shards, rank.rank, mean_of_means(model, shards))


def compare(
    got: dict[str, Any],
    expected: dict[str, Tensor],
    shards: list[tuple[Tensor, Tensor]],
    rank: int,
    unweighted: dict[str, Tensor],
) -> None:
    sizes = [len(targets) for _, targets in shards]
    total = sum(sizes)
    for name, value in got.items():
        what = f"with shards of {sizes} samples, {'the loss' if name == 'loss' else f'{name}.grad'} on rank {rank}"
        if name.startswith("frozen"):
            expect(value is None, f"{what} should be None", teach="A frozen parameter has no part in this.")
            continue
        if name not in expected:  # no rank used it: nothing or zeros, both are true
            expect(value is None or not value.any(), f"{what} should be None or 0: no rank used it")
            continue
        if value is None:
            fail(f"{what} is None", teach="Another rank used this parameter: its gradient belongs here as well.")
        known = [
            when(
                lambda g, e: torch.allclose(g, e * total, atol=1e-5), "That is the sum over all samples, not the mean."
            ),
            when(
                lambda g, e, u=unweighted[name]: torch.allclose(g, u, atol=1e-5),
                "That is the mean of the ranks' means: a sample in a small shard weighs more in it than others.",
            ),
        ]
        teach = "Each of the samples counts once, wherever it lies: add sums over the ranks, divide by all samples."
        # What went through float32 on its way is within the usual tolerance of float64.
        is_double = expected[name].dtype == torch.float64
        if name == "loss" and is_double and isinstance(value, Tensor):  # the task does not say which dtype the loss has
            value, is_double = value.to(torch.float64), False
        tight = {"rtol": 1e-10, "atol": 1e-12} if is_double else {"rtol": 1e-5, "atol": 1e-6}
        expect_close(value, expected[name], what=what, teach=teach, diagnose=known if total > 1 else (), **tight)
