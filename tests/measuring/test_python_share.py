"""How much of a call is Python code, by a clock that moves only where a test says so."""

from collections.abc import Callable

import pytest
import torch

from torchstone.measuring.python_share import AROUND_AN_OPERATOR_S, measure_python_share


class Hands:
    """Of a clock that somebody else moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> None:
        self.seconds += seconds


def model(hands: Hands, operators: int, around_s: float, waits_s: float) -> Callable[[], torch.Tensor]:
    """Operators that take no time by this clock, with so much around each of them, and a wait of its own."""

    def call() -> torch.Tensor:
        found = torch.ones(2)
        for _ in range(operators - 1):
            hands.wait(around_s)
            found = found + 1
        hands.wait(waits_s)
        return found

    return call


@pytest.mark.parametrize("operators", [1, 40])
def test_what_calling_operators_takes_is_no_code_of_the_models(operators: int) -> None:
    hands = Hands()
    assert measure_python_share(model(hands, operators, AROUND_AN_OPERATOR_S / 2, 0.0), hands.now) == 0.0


def test_a_wait_is() -> None:
    hands = Hands()
    share = measure_python_share(model(hands, 10, 0.0, 0.01), hands.now)
    assert share == pytest.approx(0.9)


def test_a_call_in_which_another_program_took_the_time_does_not_count() -> None:
    hands, calls = Hands(), iter([0.5, 0.0, 0.5, 0.0, 0.0])
    assert measure_python_share(lambda: model(hands, 10, 0.0, next(calls))(), hands.now) == 0.0


def test_of_a_call_that_fails_nothing_is_claimed() -> None:
    def refuse() -> None:
        raise RuntimeError("not while somebody looks")

    assert measure_python_share(refuse) is None
