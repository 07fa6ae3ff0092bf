"""What the numbers of a record may be. A run file may be damaged, or a stranger's: a number beyond these was never
measured, and would reach a headline as the fastest machine of all."""

from collections.abc import Iterable, Mapping

NEVER_NEGATIVE = ("s", "1/s", "bytes/s", "FLOP/s")
"""Units of times and rates; a file that holds others was damaged, and its ratios would be nonsense."""
LONGEST_S, SHORTEST_S = 1e9, 1e-12
"""Thirty years; and a picosecond, in which nothing is computed."""
MOST_OF_A_SAMPLE = 1e30
"""In any other unit; so that sums and ratios of samples stay numbers."""
MOST_OF_A_FACT = 1e300
"""Of all facts; an operator's error may be as large as float64 can tell."""
MOST_COUNTED = 1e18
"""Of what one call processes or a second holds."""
COUNTS = (
    "FLOP",
    "batch",
    "calls_per_window",
    "classes",
    "elapsed s",
    "highest_seen_rate",
    "items",
    "latency_bound_s",
    "lowest_broken_rate",
    "parameters",
    "rate",
    "scheduled_rate",
    "test images",
    "train images",
    "validation images",
)
"""Facts that reports reckon with."""
NEVER_ZERO = ("items",)
"""Of these: a call that processes nothing has no speed."""


def require_numbers(what: str, values: Iterable[object], most: float = MOST_OF_A_FACT) -> None:
    """JSON has no infinity: it would be written as null, a missing number without its reason."""
    for value in values:
        if isinstance(value, int | float) and not abs(value) <= most:
            raise ValueError(f"{what} must be finite numbers, up to {most:g}")


def require_samples(unit: str, samples: Iterable[float]) -> None:
    found = tuple(samples)
    require_numbers("samples", found, MOST_OF_A_SAMPLE)
    if unit in NEVER_NEGATIVE and min(found, default=0.0) < 0:
        raise ValueError(f"samples in {unit} cannot be negative")
    if unit == "s" and not all(SHORTEST_S <= one <= LONGEST_S for one in found):
        raise ValueError(f"samples in s must lie between {SHORTEST_S:g} and {LONGEST_S:g}")


def require_times(seconds: Iterable[float | None]) -> None:
    """Of what stands beside the samples: a compilation, or a way of waiting, may take nothing at all."""
    require_samples("s", (one for one in seconds if one))


def require_facts(facts: Mapping[str, object]) -> None:
    require_numbers("times and facts", facts.values())
    for name in COUNTS:
        value = facts.get(name)
        if isinstance(value, int | float) and not 0 <= value <= MOST_COUNTED:
            raise ValueError(f"{name} must be a count up to {MOST_COUNTED:g}, not {value:g}")
        if name in NEVER_ZERO and value == 0:
            raise ValueError(f"{name} must be more than nothing")
