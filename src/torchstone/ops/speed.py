"""How fast the operators that models use are on a device, against the CPU, and from which size on the device wins.

Each size is a contest, so a verdict says how sure it is; a size at which nobody wins beyond doubt decides nothing.
OpInfo's samples are far too small for any claim of speed: these sizes are those of layers in common models.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from torchstone.contests.race import Entrant, Race, Ready
from torchstone.ops.grading import grade
from torchstone.ops.names import matching_names
from torchstone.ops.placing import CPU, place, widen
from torchstone.records import Finding, Measurement, Setup
from torchstone.scheduling.case import Case, Turn, case

KIND = "ops speed"
NOT_JUDGED = "not judged"
SEED = 11
SIZES = (16, 64, 256, 1024)
Maker = Callable[[int], tuple[Callable[..., Any], tuple[Any, ...]]]


def _draw(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(SEED))


WORK: dict[str, Maker] = {
    "matmul": lambda n: (torch.matmul, (_draw(n, n), _draw(n, n))),
    "linear": lambda n: (functional.linear, (_draw(n, 768), _draw(768, 768), _draw(768))),
    "conv2d": lambda n: (functional.conv2d, (_draw(1, 64, min(n, 224), min(n, 224)), _draw(64, 64, 3, 3))),
    "layer_norm": lambda n: (lambda x: functional.layer_norm(x, (768,)), (_draw(n, 768),)),
    "softmax": lambda n: (lambda x: functional.softmax(x, -1), (_draw(n, n),)),
    "attention": lambda n: (functional.scaled_dot_product_attention, tuple(_draw(1, 8, n, 64) for _ in range(3))),
    "sum": lambda n: (torch.sum, (_draw(n, n),)),
    "add": lambda n: (torch.add, (_draw(n, n), _draw(n, n))),
    "gelu": lambda n: (functional.gelu, (_draw(n, n),)),
    "embedding": lambda n: (lambda i, w: functional.embedding(i, w), (torch.arange(n) % 1000, _draw(1000, 768))),
    "sort": lambda n: (torch.sort, (_draw(n, n),)),
    "batch_norm": lambda n: (
        lambda x, mean, spread: functional.batch_norm(x, mean, spread),
        (_draw(8, n, 14, 14), _draw(n), _draw(n).abs() + 1),
    ),
    "index_select": lambda n: (lambda x, i: x.index_select(0, i), (_draw(n, 768), torch.arange(n).flip(0))),
    "addcdiv": lambda n: (torch.addcdiv, (_draw(n, n), _draw(n, n), _draw(n, n).abs() + 1)),
}
"""`addcdiv` is what optimizers' steps are made of."""


class Outcome(NamedTuple):
    """Of one size: who won, or why that is not known."""

    size: int
    words: str
    is_raced: bool


def speed_cases(device_id: str, patterns: Sequence[str] = ()) -> Iterator[Case]:
    """One for each operator, or for those that some pattern names: all its sizes, the device against the CPU."""
    for name in matching_names("operator with a speed", list(WORK), patterns):
        setup = Setup(device=device_id, dtype="float32")
        yield case(f"ops speed/{name}", partial(_run, name, device_id), setup=setup, weight=2.0)


def _run(name: str, device_id: str, turn: Turn) -> Iterator[Measurement | Finding]:
    cpu, there = Setup(device="cpu", dtype="float32"), Setup(device=device_id, dtype="float32")
    outcomes: list[Outcome] = []
    for place_of, size in enumerate(SIZES):
        share_s = turn.left_s / (len(SIZES) - place_of)
        own_turn = replace(turn, seconds=share_s, is_undecided=False)
        entrants = [Entrant(setup, partial(_prepare, name, size, setup)) for setup in (cpu, there)]
        race = Race(f"ops speed/{name}/n={size}", entrants, own_turn)
        yield from race.run()
        ratio = race.compare(cpu, there)
        words = race.explain(there) if ratio is None else ratio.verdict
        outcomes.append(Outcome(size, words, is_raced=ratio is not None))
        turn.is_undecided |= own_turn.is_undecided
    yield _tell(name, device_id, outcomes)


def _prepare(name: str, size: int, setup: Setup) -> Ready:
    call, args = WORK[name](size)
    right, wide = call(*args), call(*widen(args))
    placed = place(args, torch.device(setup.device))

    def check(output: Any) -> str | None:
        back = [one.to(CPU) if isinstance(one, torch.Tensor) else one for one in _as_list(output)]
        return grade(back, _as_list(right), _as_list(wide), "ties", args[0]).wrong

    return Ready(lambda: call(*placed), check)


def _as_list(output: Any) -> list[Any]:
    return list(output) if isinstance(output, (tuple, list)) else [output]


def _tell(name: str, device_id: str, outcomes: list[Outcome]) -> Finding:
    """From which size on it wins, and at every larger one."""
    raced = [one for one in outcomes if one.is_raced]
    wins = [one.words == "faster" for one in raced]
    first = next((one.size for place, one in enumerate(raced) if all(wins[place:])), None)
    return Finding(
        kind=KIND,
        subject=f"{name} on {device_id}",
        verdict=_sum_up(outcomes, raced, first),
        level="note",
        tier="measured",
        evidence="against the CPU: " + ", ".join(f"n={one.size} {one.words}" for one in outcomes),
        facts={"op": name, "device": device_id, "wins_from": first},
    )


def _sum_up(outcomes: list[Outcome], raced: list[Outcome], first: int | None) -> str:
    """Beyond the last size that was raced, nothing is said."""
    if not raced:
        return NOT_JUDGED
    is_whole = raced[-1] == outcomes[-1]
    if first is None:
        return "never faster here" if is_whole else f"not faster up to n={raced[-1].size}"
    return f"faster from n={first} on" if is_whole else f"faster from n={first} to n={raced[-1].size}"
