"""A race that goes on in a later turn."""

import threading
from itertools import count

import pytest
from tests.turns import make_turn

from torchstone.contests.race import DECIDING_ROUNDS, Entrant, Race, Ready
from torchstone.models.placing import plain_setup
from torchstone.records import Measurement, Setup
from torchstone.scheduling.case import Turn


def earlier(setup: Setup, seconds: float, rounds: int) -> Measurement:
    return Measurement(name="x", setup=setup, unit="s", samples=(seconds,) * rounds, contest="x")


def test_a_turn_in_which_nothing_is_left_to_tell_ends_at_once() -> None:
    plain = plain_setup("cpu")
    rival = Setup(device="cpu", engine="other")
    found = (earlier(plain, 1.0, 40), earlier(rival, 0.5, 20))
    entrants = [Entrant(setup, lambda: Ready(lambda: None)) for setup in (plain, rival)]
    records = list(Race("x", entrants, make_turn(2.0, earlier=found)).run())
    assert [(one.setup, one.samples) for one in records] == [(plain, (1.0,) * 40)]


@pytest.mark.parametrize(("over_in_round", "rounds"), [(3, 3), (6, DECIDING_ROUNDS), (12, 12)])
def test_who_is_nearly_decided_gets_the_rounds_that_are_missing(over_in_round: int, rounds: int) -> None:
    said: list[str] = []
    turn = Turn(
        1e3,
        tell=lambda words: said.append(str(words)),
        now=lambda: 1e4 if any(words.startswith(f"round {over_in_round},") for words in said) else 0.0,
    )
    alike = [Setup(device="cpu", engine=name) for name in ("eager", "other")]
    entrants = [Entrant(setup, lambda: Ready(lambda: None)) for setup in alike]
    records = list(Race("x", entrants, turn, goal="all_rounds").run())
    assert [len(one.samples) for one in records] == [rounds, rounds]


def test_who_hangs_in_a_round_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchstone.contests.race.LOOK_S", 0.001)
    plain, slow = (Setup(device="cpu", engine=name) for name in ("eager", "slow"))
    is_named, calls = threading.Event(), count()
    told: list[Setup | str] = []

    def tell(said: Setup | str) -> None:
        told.append(said)
        if said == slow and any(str(words).startswith("round 3,") for words in told):
            is_named.set()

    def hang_in_a_round() -> None:
        if any(str(words).startswith("round 3,") for words in told):
            assert is_named.wait(60.0)

    entrants = [Entrant(plain, lambda: Ready(lambda: None)), Entrant(slow, lambda: Ready(hang_in_a_round))]
    turn = Turn(1e3, tell=tell, now=lambda: 0.01 * next(calls))
    records = list(Race("x", entrants, turn, goal="all_rounds", most_rounds=4).run())
    assert [len(one.samples) for one in records] == [4, 4]
    assert is_named.is_set()
    assert [said for said in told if isinstance(said, Setup)][-1] == plain


def test_a_turn_without_time_to_prepare_all_leaves_the_contest_as_it_was() -> None:
    """The rounds of some alone would have put the others behind, who could then never join again."""
    setups = [Setup(threads=number) for number in (1, 2, 3)]
    known = tuple(earlier(setup, seconds, 3) for setup, seconds in zip(setups, (0.3, 0.2, 0.1), strict=True))
    turn = Turn(0.0, earlier=known)
    race = Race("x", [Entrant(setup, lambda: Ready(lambda: None)) for setup in setups], turn, goal="fastest")
    assert list(race.run()) == []
    assert turn.is_undecided
    assert race.records == dict(zip(setups, known, strict=True))
