"""What a device can do at most: the cases that there are, and what their records say."""

import pytest
from tests.turns import make_plan, make_turn

from torchstone.experiments import peak
from torchstone.machine.busyness import Usage
from torchstone.records import IN_DOUBT, Measurement, Scalar, Setup
from torchstone.report.live import group_words
from torchstone.scheduling.case import Turn


@pytest.mark.usefixtures("one_thread")
def test_every_device_is_asked_for_products_and_copies() -> None:
    found = [record for case in peak.cases(make_plan("pretend")) for record in case.run(make_turn(0.1))]
    records = [one for one in found if isinstance(one, Measurement)]
    assert {(one.name, one.setup.device) for one in records} >= {
        ("peak/matmul/float32", "cpu"),
        ("peak/matmul/float32", "pretend:0"),
        ("peak/copy", "cpu"),
        ("peak/copy", "pretend:0"),
    }
    assert all(one.quantity == "peak" and min(one.samples) > 0 for one in records if one.status == "ok")
    assert {one.unit for one in records} == {"FLOP/s", "bytes/s"}


def search(rates: list[float], turn: Turn, others_s: list[float]) -> Measurement:
    """The case's own search, where each search finds the next rate, takes 2 s, and others use so much meanwhile."""
    clock = iter(range(1000))
    used = iter(others_s)
    found = iter(rates)

    def once(seconds: float) -> Measurement:
        facts: dict[str, Scalar] = {"tries": 20, "agree": 20}
        return Measurement(
            name="peak/matmul/float32",
            setup=Setup(),
            unit="FLOP/s",
            quantity="peak",
            samples=(next(found),) * 3,
            facts=facts,
        )

    return peak.search_until_sure(once, turn, look=lambda: Usage(next(clock), next(used), 0.0, None))


def test_a_busy_machine_is_searched_for_as_long_as_there_is_time_and_its_peak_is_told_with_its_doubt() -> None:
    moments = iter(range(0, 100, 2))
    turn = Turn(9.0, now=lambda: next(moments))
    busy = [1000.0 * number for number in range(50)]
    found = search([53e9, 60e9, 222e9, 54e9, 55e9, 56e9], turn, busy)
    assert found.samples[0] == 222e9
    assert str(found.facts[IN_DOUBT]).startswith("the machine was busy; 20 of")
    assert "at least 222 GFLOP/s" in group_words([found])
    assert turn.is_undecided, "what others leave goes on with it"


def test_a_later_turn_that_found_less_does_not_take_the_place_of_an_earlier_one() -> None:
    quiet = [0.0] * 50
    before = search([222e9], Turn(9.0), quiet)
    turn = Turn(9.0, earlier=(before,))
    found = search([53e9], turn, quiet)
    assert found.samples[0] == 222e9
    assert not turn.is_undecided
    assert IN_DOUBT not in found.facts
