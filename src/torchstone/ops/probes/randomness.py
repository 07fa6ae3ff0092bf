"""What draws at random: two draws differ, stay in range, and have the frequencies that they promise.

A bound is six standard deviations wide: one false alarm in a billion draws.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

COUNT = 4096
SIGMAS = 6.0
CALLS = 40
"""Of which none may hold a NaN, or be another's twin."""
Drawer = Callable[[torch.device], torch.Tensor]


def _uniform(device: torch.device) -> torch.Tensor:
    return torch.rand(COUNT, device=device)


def _categorical(device: torch.device) -> torch.Tensor:
    probabilities = torch.full((4, 100), 0.01, device=device)
    drawn: torch.Tensor = torch.distributions.Categorical(probabilities).sample((COUNT // 4,))  # type: ignore[no-untyped-call]
    return drawn.float()


def _permuted_like(device: torch.device, draw: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Drawn in the strides of a permuted tensor, every cell of which was something else before."""
    like = torch.full((16, 4, 64), 101.0, device=device).permute(2, 0, 1)
    return draw(like)


# name: what is drawn, its mean, its standard deviation, its range
DRAWS: dict[str, tuple[Drawer, float, float, tuple[float, float]]] = {
    "rand": (_uniform, 0.5, math.sqrt(1 / 12), (0, 1)),
    "rand_like": (lambda d: _permuted_like(d, torch.rand_like), 0.5, math.sqrt(1 / 12), (0, 1)),
    "randn": (lambda d: torch.randn(COUNT, device=d), 0.0, 1.0, (-7, 7)),
    "randn_like": (lambda d: _permuted_like(d, torch.randn_like), 0.0, 1.0, (-7, 7)),
    "normal_": (lambda d: torch.empty(COUNT, device=d).normal_(2.0, 3.0), 2.0, 3.0, (-20, 24)),
    "normal": (lambda d: torch.normal(torch.ones(COUNT, device=d), 2.0), 1.0, 2.0, (-14, 16)),
    "uniform_": (lambda d: torch.empty(COUNT, device=d).uniform_(-1, 3), 1.0, 4 * math.sqrt(1 / 12), (-1, 3)),
    "randint": (lambda d: torch.randint(0, 10, (COUNT,), device=d).float(), 4.5, math.sqrt(99 / 12), (0, 9)),
    "bernoulli": (lambda d: torch.bernoulli(torch.full((COUNT,), 0.3, device=d)), 0.3, math.sqrt(0.21), (0, 1)),
    "bernoulli_": (lambda d: torch.empty(COUNT, device=d).bernoulli_(0.3), 0.3, math.sqrt(0.21), (0, 1)),
    "exponential_": (lambda d: torch.empty(COUNT, device=d).exponential_(2.0), 0.5, 0.5, (0, 40)),
    "dropout": (lambda d: F.dropout(torch.ones(COUNT, device=d), 0.25), 1.0, math.sqrt(1 / 3), (0, 4 / 3)),
    "multinomial": (
        lambda d: torch.multinomial(torch.tensor([0.1, 0.2, 0.7], device=d), COUNT, replacement=True).float(),
        1.6,
        math.sqrt(0.44),
        (0, 2),
    ),
    "categorical": (
        _categorical,
        49.5,
        math.sqrt(9999 / 12),
        (0, 99),
    ),
    "log_normal_": (
        lambda d: torch.empty(COUNT, device=d).log_normal_(0.0, 0.5),
        math.exp(0.125),
        math.sqrt((math.exp(0.25) - 1) * math.exp(0.25)),
        (0, 60),
    ),
    "randperm": (
        lambda d: torch.randperm(COUNT, device=d).float(),
        (COUNT - 1) / 2,
        COUNT / math.sqrt(12),
        (0, COUNT - 1),
    ),
}


def probe_randomness(name: str, device: torch.device) -> Iterator[tuple[str, str]]:
    """Gives what is wrong of one kind of draw."""
    draw, mean, deviation, (low, high) = DRAWS[name]
    torch.manual_seed(12345)
    drawn = [draw(device).cpu().double() for _ in range(CALLS)]
    twins = sum(torch.equal(one, other) for one, other in pairwise(drawn))
    if twins:
        yield "two draws", f"{twins} of {CALLS} draws were the same as the one before"
    if any(bool(one.isnan().any()) for one in drawn):
        yield "range", "a draw held a NaN"
    lowest, highest = min(float(one.min()) for one in drawn), max(float(one.max()) for one in drawn)
    if lowest < low or highest > high + 1e-6:
        yield "range", f"values from {lowest:.4g} to {highest:.4g}, where {low:g} to {high:g} can be"
    yield from _moments(torch.cat([one.flatten() for one in drawn]), mean, deviation, name)
    yield from _order(drawn, name)


def _moments(every: torch.Tensor, mean: float, deviation: float, name: str) -> Iterator[tuple[str, str]]:
    bound = SIGMAS * deviation / math.sqrt(every.numel())
    if name != "randperm" and abs(float(every.mean()) - mean) > bound:
        yield "frequencies", f"the mean of {every.numel()} draws is {float(every.mean()):.4g} instead of {mean:.4g}"
    ratio = float(every.std()) / deviation
    if not 0.9 < ratio < 1.1 and name != "log_normal_":
        yield "frequencies", f"the spread of the draws is {ratio:.3g} times what it should be"


def _order(drawn: list[torch.Tensor], name: str) -> Iterator[tuple[str, str]]:
    """Neighbours are unrelated, and a permutation holds each number once, in no order."""
    for one in drawn[:4]:
        flat = one.flatten()
        if name == "randperm" and not torch.equal(flat.sort()[0], torch.arange(COUNT, dtype=flat.dtype)):
            yield "range", "a permutation does not hold each number once"
            return
        centred = flat - flat.mean()
        spread = float((centred * centred).sum())
        related = float((centred[1:] * centred[:-1]).sum()) / spread if spread else 1.0
        if abs(related) > SIGMAS / math.sqrt(flat.numel()):
            yield "order", f"neighbours are related: correlation {related:.3f}"
            return
