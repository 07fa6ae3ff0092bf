"""Faults of random numbers: draws that repeat, orders that are not random, masks that are all alike."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.damages import answer
from plants.planting import Plant, plant
from plants.state import one_in, one_nan
from torchstone.pretend import Call, Fault

SEED = 20


def seeded(call: Call) -> Any:
    """Every call draws from the same place."""
    state = torch.get_rng_state()
    torch.manual_seed(SEED)
    result = call.right()
    torch.set_rng_state(state)
    return result


def draw_twice() -> Fault:
    """Every second call gives the numbers of the one before."""
    kept: list[Tensor] = []

    def fault(call: Call) -> Any:
        result = call.right()
        written = call.written[0]
        if kept and kept[0].shape == written.shape:
            written.copy_(kept.pop())
        else:
            kept[:] = [written.clone()]
        return result

    return fault


def keys_of_two(call: Call) -> Any:
    """The order is by keys that are 0 or 1."""
    out = call.kwargs["out"]
    call.right()
    out.copy_(torch.randint(0, 2, (out.numel(),)).sort(stable=True).indices)


def first_row_for_all(result: Tensor) -> Tensor:
    """All rows are the first one."""
    return result[:1].expand_as(result).clone()


def same_mask(call: Call) -> Any:
    """All rows are dropped alike."""
    source, probability = call.args[:2]
    mask = first_row_for_all(call.right()[1])
    return source * mask / (1 - probability), mask


def differ(first: Tensor, second: Tensor) -> bool:
    """Whether two draws are two."""
    return not torch.equal(first.cpu(), second.cpu())


def long_runs(order: Tensor) -> bool:
    """Whether an order rises nearly everywhere, as no random order of many does."""
    steps = order.cpu().diff() > 0
    return steps.float().mean().item() > 0.9


def rows_differ(result: Tensor) -> bool:
    """Whether some row differs from the first."""
    return bool((result.cpu() != result[:1].cpu()).any())


def beyond_classes(result: Tensor) -> Tensor:
    """Class 0 becomes the number of classes, which is none."""
    return torch.where(result == 0, CLASSES, result)


CLASSES = 4


def sample(device: str, weights: list[float]) -> bool:
    """Whether every sample is a class."""
    torch.manual_seed(0)
    found = torch.multinomial(torch.tensor(weights).to(device), 100, replacement=True).cpu()
    return bool((found < CLASSES).all())


def normal_is_finite(device: str, count: int) -> bool:
    """Whether many draws are all numbers."""
    return all(bool(torch.randn(20, device=device).isfinite().all()) for _ in range(count))


PLANTS: list[Plant] = [
    plant(
        "randn_same",
        "R",
        "randn",
        "normal_",
        "every call gives the same numbers",
        seeded,
        lambda d: differ(torch.randn(9, device=d), torch.randn(9, device=d)),
        lambda d: differ(torch.rand(9, device=d), torch.rand(9, device=d)),
    ),
    plant(
        "rand_twice",
        "R",
        "rand",
        "uniform_",
        "every second call gives the numbers of the one before",
        draw_twice,
        lambda d: differ(torch.rand(9, device=d), torch.rand(9, device=d)),
        lambda d: differ(torch.rand(9, device=d), torch.rand(8, device=d)),
        remembers=True,
    ),
    plant(
        "randperm_two_keys",
        "R",
        "randperm",
        "randperm",
        "the order is by keys that are 0 or 1",
        keys_of_two,
        lambda d: long_runs(torch.randperm(200, device=d)),
        lambda d: torch.randperm(200, device=d).sort().values,
    ),
    plant(
        "dropout_same_rows",
        "R",
        "dropout",
        "native_dropout",
        "all rows are dropped alike",
        same_mask,
        lambda d: rows_differ(functional.dropout(torch.ones(8, 20).to(d), 0.5)),
        lambda d: functional.dropout(torch.ones(8, 20).to(d), 0.5, training=False),
    ),
    plant(
        "multinomial_beyond",
        "R",
        "multinomial",
        "multinomial",
        "a class of small weight is drawn as no class at all",
        answer(beyond_classes),
        lambda d: sample(d, [0.5, 0.2, 0.2, 0.1]),
        lambda d: sample(d, [0.0, 0.5, 0.3, 0.2]),
    ),
    plant(
        "normal_nan",
        "RN",
        "randn",
        "normal_",
        "one call in 50 holds a NaN",
        one_in(50, answer(one_nan)),
        lambda d: normal_is_finite(d, 60),
        lambda d: normal_is_finite(d, 20),
        lambda d: all(bool(torch.rand(20, device=d).isfinite().all()) for _ in range(60)),
        remembers=True,
    ),
]
