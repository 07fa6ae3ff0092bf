"""A race that goes on in a later turn."""

from tests.turns import make_turn

from torchstone.contests.race import Entrant, Race, Ready
from torchstone.models.placing import plain_setup
from torchstone.records import Measurement, Setup


def earlier(setup: Setup, seconds: float, rounds: int) -> Measurement:
    return Measurement(name="x", setup=setup, unit="s", samples=(seconds,) * rounds, contest="x")


def test_a_turn_in_which_nothing_is_left_to_tell_ends_at_once() -> None:
    plain = plain_setup("cpu")
    rival = Setup(device="cpu", engine="other")
    found = (earlier(plain, 1.0, 40), earlier(rival, 0.5, 20))
    entrants = [Entrant(setup, lambda: Ready(lambda: None)) for setup in (plain, rival)]
    records = list(Race("x", entrants, make_turn(2.0, earlier=found)).run())
    assert [(one.setup, one.samples) for one in records] == [(plain, (1.0,) * 40)]
