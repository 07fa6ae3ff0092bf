"""A race that goes on in a later turn."""

import threading
from itertools import count

import msgspec
import pytest
from tests.turns import make_turn

import torchstone.pretend as pretend
from torchstone.contests.race import DECIDING_ROUNDS, Entrant, Race, Ready
from torchstone.measuring.clock import Call
from torchstone.measuring.waiting import NoWaitError, WaitWatch
from torchstone.models.placing import plain_setup
from torchstone.records import Measurement, Setup
from torchstone.scheduling.case import Turn

ON_DEVICE = (("pretend:0", "eager"), ("pretend:0", "other"))


def refuse(record: Measurement, call: Call, watch: WaitWatch) -> Measurement:
    """As an audit does that finds nobody waiting."""
    watch.reason = "synchronize does not wait"
    return msgspec.structs.replace(record, status="wrong", reason=watch.reason)


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


@pytest.mark.parametrize("who_is_seen", [0, 1, 2])
def test_where_one_was_not_waited_for_all_of_that_device_are_refused(
    monkeypatch: pytest.MonkeyPatch, who_is_seen: int
) -> None:
    """Of two rivals on the device, or of the audit at the end; not the CPU's."""
    pretend.install()
    found = [Setup(device=name, engine=engine) for name, engine in (("cpu", "eager"), *ON_DEVICE)]
    monkeypatch.setattr("torchstone.contests.race.audited", refuse if who_is_seen == 2 else lambda record, *_: record)
    looks = count()

    def look(watch: WaitWatch, *_: object) -> None:
        if next(looks) == 20 + who_is_seen and who_is_seen < 2:
            watch.reason = "synchronize does not wait"
            raise NoWaitError(watch.reason)

    monkeypatch.setattr(WaitWatch, "look", look)
    entrants = [Entrant(setup, lambda: Ready(lambda: None)) for setup in found]
    turn = Turn(1e3, now=lambda: 0.0)
    records = list(Race("x", entrants, turn, goal="all_rounds", most_rounds=20).run())
    assert [one.status for one in records] == ["ok", "wrong", "wrong"]
    assert [one.reason for one in records[1:]] == ["synchronize does not wait"] * 2
    assert [len(one.samples) for one in records] == [20, 0, 0]


def test_what_an_earlier_turn_found_of_a_device_that_nobody_waits_for_is_refused_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend.install()
    cpu, plain, other = Setup(), *(Setup(device=name, engine=engine) for name, engine in ON_DEVICE)
    known = (earlier(cpu, 1e-3, 3), earlier(plain, 1e-3, 3), earlier(other, 1e-4, 2))

    def look(watch: WaitWatch, *_: object) -> None:
        watch.reason = "synchronize does not wait"
        raise NoWaitError(watch.reason)

    monkeypatch.setattr(WaitWatch, "look", look)
    entrants = [Entrant(setup, lambda: Ready(lambda: None)) for setup in (cpu, plain, other)]
    records = list(Race("x", entrants, Turn(1e3, earlier=known, now=lambda: 0.0), most_rounds=12).run())
    assert {one.setup: one.status for one in records} == {cpu: "ok", plain: "wrong", other: "wrong"}
