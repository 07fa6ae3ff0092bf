"""Exercises that learn: a number must be reached, and the message says how far away it was."""

import math
from typing import Any

from torchstone.learn.grading.checks import expect, note


def expect_reaches(
    what: str,
    value: Any,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    teach: str | None = None,
) -> None:
    """A loss or an accuracy: `expect_reaches("the accuracy", 0.93, at_least=0.9)`."""
    number = float(value)
    expect(math.isfinite(number), f"{what} is {number}, not a finite number", teach=teach)
    if at_least is not None:
        expect(number >= at_least, f"{what} is {number:.4g} and should reach {at_least:g}", teach=teach)
    if at_most is not None:
        expect(number <= at_most, f"{what} is {number:.4g} and should come down to {at_most:g}", teach=teach)
    note(f"{what}: {number:.4g}")
