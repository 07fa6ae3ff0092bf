"""The selftest's judgement; the whole command is tested in tests/commands."""

import math
import random

import torch

from torchstone.host import PowerState
from torchstone.measuring import comparing, selftest
from torchstone.measuring.comparing import Comparison
from torchstone.measuring.selftest import Fitness, Work
from torchstone.processes import Outcome
from torchstone.records import Fact, Finding, Measurement, Setup

CALM = Fitness(
    Fact(value=0.0, source="test"),
    Fact(value=3, source="test"),
    Fact(value=3, source="test"),
    PowerState(None, None, ""),
)


def comparison(noise: float, shift: float, count: int = 200) -> Comparison:
    draw = random.Random(4)
    a, b = (
        Measurement(
            name=name,
            setup=Setup(),
            unit="s",
            samples=tuple(math.exp(draw.gauss(0, noise)) * times for _ in range(count)),
        )
        for name, times in (("A", 1.0), ("B", shift))
    )
    return comparing._compared([comparing.Part(a, b, 1.0)], 0.005)


def verdicts(findings: tuple[Finding, ...]) -> dict[str, str]:
    return {finding.subject: finding.verdict for finding in findings}


def test_work_is_known_and_made_where_it_runs() -> None:
    import pickle

    work = pickle.loads(pickle.dumps(Work("cpu", 4, 3)))
    assert torch.equal(work(), torch.eye(4))


def test_a_calm_machine_is_fit() -> None:
    findings = selftest.judge(comparison(0.01, 1.0), comparison(0.01, 1.03), 3, CALM)
    assert verdicts(findings) == {"smallest change": "ok", "A against A": "ok", "planted change": "ok"}
    assert selftest.is_fit(findings)


def test_a_noisy_machine_is_not() -> None:
    findings = selftest.judge(comparison(0.3, 1.0), comparison(0.3, 1.03), 3, CALM)
    assert verdicts(findings)["smallest change"] == "warning"
    assert verdicts(findings)["planted change"] == "warning"
    assert not selftest.is_fit(findings)


def test_a_false_alarm_is_said() -> None:
    assert (
        verdicts(selftest.judge(comparison(0.001, 1.05), comparison(0.01, 1.03), 3, CALM))["A against A"] == "warning"
    )


def test_too_few_rounds_tell_nothing_of_the_machines_speed() -> None:
    few = comparison(0.3, 1.0, count=3)
    hints = {finding.subject: finding.hint for finding in selftest.judge(few, few, 3, CALM)}
    assert str(hints["A against A"]).startswith("too few rounds")


def test_what_disturbs_is_named() -> None:
    restless = Fitness(
        Fact(value=0.9, source="test"),
        Fact(value=3, source="test"),
        Fact(value=9, source="test"),
        PowerState(True, None, "test"),
    )
    found = verdicts(selftest.judge(comparison(0.01, 1.0), comparison(0.01, 1.03), 3, restless))
    assert {"load", "throttling", "power"} <= set(found)


def test_what_failed_is_said_and_not_judged() -> None:
    failed = comparing._failed(Outcome("killed", detail="the device vanished"), Setup(), ("A", "B"))
    findings = selftest.judge(failed, failed, 3, CALM)
    assert "the device vanished" in findings[0].evidence
    assert not selftest.is_fit(findings)


def test_the_plant_is_never_smaller_than_what_can_be_found() -> None:
    assert selftest.units_to_plant(None) == selftest.SMALLEST_PLANT
    assert selftest.units_to_plant(0.001) == selftest.SMALLEST_PLANT
    assert selftest.units_to_plant(0.072) == 8
