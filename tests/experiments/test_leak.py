"""Leaks through the experiment: planted ones and a person's own are found, clean models raise no alarm."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from tests.turns import make_plan

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.experiments import leak
from torchstone.experiments.leak import FEWEST_CALLS, FEWEST_WINDOWS, Size, choose_size
from torchstone.measuring.floors import NumberedCall
from torchstone.measuring.leaks import THRESHOLD_BYTES, WINDOWS
from torchstone.records import Finding, Measurement
from torchstone.scheduling.case import Case, Record, Turn

PLENTY_S = 1000.0
PHASES = ("fixed shapes", "varied shapes", "after empty-cache")
LEAKY = """
import torch
from torch import nn

kept = []

class Leaky(nn.Module):
    def forward(self, x):
        kept.append(x)
        return x * 2

class Clean(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 8)

    def forward(self, x):
        return self.layer(x).relu()

class Rigid(nn.Module):
    def forward(self, x):
        return x.reshape(2, 32, 32).sum()

class Broken(nn.Module):
    def forward(self, x):
        raise RuntimeError("not today")

def leaky():
    return Leaky(), (torch.ones(8, 2048),)

def clean():
    return Clean(), (torch.ones(4, 64),)

def rigid():
    return Rigid(), (torch.ones(4, 512),)

def broken():
    return Broken(), (torch.ones(4, 512),)
"""


@pytest.fixture(autouse=True)
def quiet(one_thread: None) -> Iterator[None]:
    yield
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture(autouse=True)
def small_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number of calls however busy the machine is."""
    monkeypatch.setattr(leak, "choose_size", lambda *_: Size(FEWEST_WINDOWS, 12))


@pytest.fixture
def models(tmp_path: Path) -> str:
    path = tmp_path / "models.py"
    path.write_text(LEAKY)
    return str(path)


def cases_of(device: str, model: str | None = None, is_deep: bool = True) -> list[Case]:
    plan = make_plan(*([] if device == "cpu" else [device]), model=model, is_deep=is_deep)
    return [case for case in leak.cases(plan) if case.listing.setup.device.startswith(device)]


def findings(records: list[Record]) -> dict[str, Finding]:
    return {one.subject.partition(": ")[2]: one for one in records if isinstance(one, Finding)}


def verdicts(records: list[Record], series: str) -> list[str]:
    found = findings(records)
    return [found[f"{series}, {phase}"].verdict for phase in PHASES if f"{series}, {phase}" in found]


def test_small_models_first_and_the_zoo_with_a_large_budget() -> None:
    quick, deep = ([case.listing.name for case in cases_of("cpu", is_deep=is_deep)] for is_deep in (False, True))
    assert quick == ["leak/transformer/inference", "leak/convnet/training step"], "both models and both modes"
    assert deep[:2] == quick
    assert "leak/efficientnet_lite0/training step" in deep
    assert "leak/vgg16/inference" in deep
    assert all(case.listing.is_alone for case in cases_of("cpu"))


@pytest.mark.parametrize("position", range(4))
def test_our_clean_models_raise_no_alarm(position: int) -> None:
    found = list(cases_of("cpu")[position].run(Turn(PLENTY_S)))
    evidence = [one.evidence if isinstance(one, Finding) else one.samples for one in found]
    assert verdicts(found, "process") == ["ok", "ok", "ok"], evidence
    followed = [one for one in found if isinstance(one, Measurement)]
    assert {one.facts["series"] for one in followed} == {"process"}, "the CPU has no other counter"
    assert {one.status for one in followed} == {"ok"}


@pytest.mark.parametrize(("driver_only", "series"), [(False, "allocator"), (True, "driver")])
def test_a_planted_leak_of_the_device_is_found_in_its_series(driver_only: bool, series: str) -> None:
    case = cases_of("pretend")[0]
    with pretend.configure(
        leak_bytes_per_call=64 * 1024, leak_ops=frozenset({"aten::_softmax"}), leak_driver_only=driver_only
    ):
        found = list(case.run(Turn(PLENTY_S)))
    assert verdicts(found, series) == ["leak", "leak", "leak"]
    size = findings(found)[f"{series}, fixed shapes"].facts["bytes_per_1000_calls"]
    assert size == pytest.approx(64 * 1024 * 1000, rel=0.2)
    if driver_only:
        assert verdicts(found, "allocator") == ["ok", "ok", "ok"]


def test_a_clean_device_raises_no_alarm() -> None:
    found = list(cases_of("pretend")[2].run(Turn(PLENTY_S)))
    assert verdicts(found, "allocator") == verdicts(found, "driver") == ["ok", "ok", "ok"]


@pytest.mark.parametrize("device", ["cpu", "pretend"])
def test_a_model_that_keeps_its_inputs_is_found_out(models: str, device: str) -> None:
    inference, training = cases_of(device, f"{models}:leaky")
    assert inference.listing.name == "leak/models.leaky/inference"
    found = list(inference.run(Turn(PLENTY_S)))
    assert "leak" in verdicts(found, "process" if device == "cpu" else "allocator")
    (nothing,) = training.run(Turn(PLENTY_S))
    assert isinstance(nothing, Measurement)
    assert (nothing.status, nothing.reason) == ("skipped", "the model has no parameter to train")


def test_a_clean_model_of_a_person_raises_no_alarm_in_either_mode(models: str) -> None:
    for case in cases_of("cpu", f"{models}:clean"):
        found = list(case.run(Turn(PLENTY_S)))
        assert verdicts(found, "process") == ["ok", "ok", "ok"]


def test_a_model_that_takes_one_shape_only_goes_without_the_varied_phase(models: str) -> None:
    found = list(cases_of("cpu", f"{models}:rigid")[0].run(Turn(PLENTY_S)))
    refused = [one for one in found if one.facts == {} and isinstance(one, Measurement)]
    assert [one.name for one in refused] == ["leak/models.rigid/inference/varied shapes"]
    assert "no other number of rows" in (refused[0].reason or "")
    assert verdicts(found, "process") == ["ok", "ok"]


def test_a_model_that_fails_is_a_record(models: str) -> None:
    (found,) = cases_of("cpu", f"{models}:broken")[0].run(Turn(PLENTY_S))
    assert isinstance(found, Measurement)
    assert found.status == "failed"
    assert "not today" in (found.reason or "")


def test_a_wrong_device_is_called_wrong() -> None:
    case = cases_of("pretend")[2]
    with pretend.configure(wrong={"aten::addmm"}):
        (found,) = case.run(Turn(PLENTY_S))
    assert isinstance(found, Measurement)
    assert found.status == "wrong"


def test_a_target_that_is_not_there_is_the_persons_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no file"):
        list(cases_of("cpu", f"{tmp_path}/none.py:model")[0].run(Turn(1.0)))


def test_too_little_time_for_a_verdict_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak, "choose_size", choose_size)
    turn = Turn(0.01)
    (found,) = cases_of("cpu")[0].run(turn)
    assert isinstance(found, Measurement)
    assert found.status == "skipped"
    assert "the 140 calls of a verdict take" in (found.reason or "")
    assert "s for it: more --budget" in (found.reason or "")
    assert turn.is_undecided, "the seconds that others leave may be enough"


def following(call: NumberedCall, seconds: float = PLENTY_S) -> leak.Following:
    (device,) = (one for one in make_plan("pretend").devices if one.id.startswith("pretend"))
    return leak.Following("keeps", call, None, device, seconds, now=lambda: 0.0)


def test_seconds_that_are_left_go_to_what_is_unclear(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[torch.Tensor] = []
    sizes = iter([Size(FEWEST_WINDOWS, 10), Size(FEWEST_WINDOWS, 120)])
    monkeypatch.setattr(leak, "choose_phases", lambda wanted, *_: (wanted, next(sizes)))
    found = leak._follow_until_clear(following(lambda _: kept.append(torch.ones(512, device="pretend"))))
    assert "leak" in verdicts(list(found.records), "allocator"), "80 calls were too few to tell"
    assert len(findings(list(found.records))) == len([one for one in found.records if isinstance(one, Finding)])
    assert next(sizes, None) is None


def test_seconds_that_are_left_go_to_the_phase_that_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([1, 2])
    monkeypatch.setattr(leak, "choose_phases", lambda wanted, *_: (wanted[: next(sizes)], Size(FEWEST_WINDOWS, 10)))
    found = leak._follow_until_clear(following(lambda _: torch.ones(4, device="pretend")))
    assert verdicts(list(found.records), "allocator") == ["ok", "ok"]
    assert not found.is_undecided
    assert {one.status for one in found.records if isinstance(one, Measurement)} == {"ok"}


def test_what_no_seconds_are_left_for_is_taken_up_in_another_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak, "choose_phases", lambda wanted, *_: (wanted[:1], Size(FEWEST_WINDOWS, 10)))
    found = leak._follow_until_clear(following(lambda _: torch.ones(4, device="pretend")))
    assert found.is_undecided
    (left_out,) = (one for one in found.records if isinstance(one, Measurement) and one.status == "skipped")
    assert left_out.quantity == "memory floor, process, after empty-cache", "the series that takes its place later"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.1, None), (1.4, Size(FEWEST_WINDOWS, FEWEST_CALLS)), (3.0, Size(WINDOWS, 10)), (1e6, Size(WINDOWS, 1000))],
)
def test_the_number_of_calls_follows_from_the_time(seconds: float, expected: Size | None) -> None:
    assert choose_size(seconds, 0.00999, 0.0) == expected


def test_a_short_series_needs_more_growth_for_an_alarm() -> None:
    assert Size(8, 10).threshold_bytes > Size(24, 50).threshold_bytes
    assert Size(24, 1000).threshold_bytes == THRESHOLD_BYTES


def test_slow_calls_leave_out_the_later_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leak, "choose_size", choose_size)
    wanted = [leak.FIXED, leak.EMPTIED, leak.VARIED]
    at_least_s = leak.CALLS_FOR_A_VERDICT * 0.01
    for phases in (1, 2, 3):
        chosen, size = leak.choose_phases(wanted, (phases + 0.5) * at_least_s, 0.01, 0.0)
        assert chosen == wanted[:phases]
        assert size is not None
    assert leak.choose_phases(wanted, 0.5 * at_least_s, 0.01, 0.0) == ([], None)
