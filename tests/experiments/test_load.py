"""Latency under load: LoadGen's own verdicts, the search for a rate, and models that fail under it."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from tests.turns import make_plan, measurements

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.experiments import load
from torchstone.experiments.load import Search
from torchstone.loadgen import Verdict
from torchstone.records import Finding, Measurement, Scalar
from torchstone.scheduling.case import Case, Turn

MODELS = """
import torch
from torch import nn

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x):
        return {"logits": self.layer(x)}

class Alone(nn.Module):
    def forward(self, x):
        return x.reshape(8) * 2

class FailsLater(nn.Module):
    calls = 0

    def forward(self, x):
        FailsLater.calls += 1
        if FailsLater.calls > 40:
            raise RuntimeError("tired of it")
        return x * 2

class Broken(nn.Module):
    def forward(self, x):
        raise RuntimeError("not today")

def small():
    return Small(), (torch.ones(1, 8),)

def alone():
    return Alone(), (torch.ones(1, 8),)

def fails_later():
    return FailsLater(), (torch.ones(1, 8),)

def broken():
    return Broken(), (torch.ones(1, 8),)

def nan():
    return nn.Identity(), (torch.full((1, 8), torch.nan),)
"""


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    pretend.set_knobs(pretend.Knobs())
    assert list((tmp_path / "here").iterdir()) == [], "LoadGen left files behind"


@pytest.fixture
def models(tmp_path: Path) -> str:
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    return str(path)


def cases_of(device: str = "cpu", model: str | None = None, bound: Scalar = 0.1) -> dict[str, Case]:
    plan = make_plan(*([] if device == "cpu" else [device]), model=model, options={"latency-bound": bound})
    return {
        case.listing.name.rpartition("/")[2]: case
        for case in load.cases(plan)
        if case.listing.setup.device.startswith(device)
    }


def one_of(case: Case, seconds: float) -> Measurement:
    (found,) = case.run(Turn(seconds))
    assert isinstance(found, Measurement)
    return found


def test_single_stream_keeps_every_latency_and_loadgens_verdict(models: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = one_of(cases_of(model=f"{models}:small")["SingleStream"], 1.0)
    assert found.name == "load/models.small/SingleStream"
    assert (found.status, found.quantity, found.unit, found.protocol) == ("ok", "latency", "s", "loadgen SingleStream")
    assert len(found.samples) >= 16
    assert min(found.samples) > 0
    assert found.facts["verdict"] in ("VALID", "INVALID")
    assert isinstance(found.facts["rate"], float)
    assert (found.facts["items"], found.facts["item"]) == (1, "queries")
    assert isinstance(found.facts["min_duration_s"], float)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(("model", "batch"), [("small", 8), ("alone", 1)])
def test_offline_answers_in_batches_where_the_model_takes_them(models: str, model: str, batch: int) -> None:
    found = one_of(cases_of(model=f"{models}:{model}")["Offline"], 1.5)
    assert found.status == "ok"
    assert found.facts["batch"] == batch


def test_the_server_runs_at_rising_rates_and_confirms_what_it_finds(
    models: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "CONFIRM_S", 1.0)
    found = list(cases_of("pretend", f"{models}:small", bound=5)["Server"].run(Turn(6.0)))
    runs = measurements(found)
    assert [one.name for one in runs[:2]] == ["load/models.small/Server/load=50%", "load/models.small/Server/load=75%"]
    rates = [float(str(one.facts["scheduled_rate"])) for one in runs[:2]]
    assert rates[0] < rates[1]
    assert {one.facts["latency_bound_s"] for one in runs if one.status == "ok"} == {5.0}
    assert any("/Server/confirmed=" in one.name and "queue grows" in one.facts for one in runs)
    finding = found[-1]
    assert isinstance(finding, Finding)
    assert (finding.facts["rate"] is not None) == (finding.verdict == "proven")
    assert finding.facts["highest_seen_rate"] is not None


def test_without_the_time_to_confirm_nothing_is_proven(models: str) -> None:
    finding = list(cases_of("pretend", f"{models}:small", bound=5)["Server"].run(Turn(2.0)))[-1]
    assert isinstance(finding, Finding)
    assert (finding.verdict, finding.facts["rate"]) == ("unproven", None)
    assert "--budget" in (finding.hint or "")


def test_a_queue_that_grows_is_told_from_one_that_does_not() -> None:
    assert load.queue_grows([number / 1000 for number in range(300)], bound_s=0.1)
    assert not load.queue_grows([0.01, 0.02, 0.09] * 100, bound_s=0.1)
    assert not load.queue_grows([1e-4 * (1 + number / 100) for number in range(300)], bound_s=0.1), "far below it"
    assert not load.queue_grows([], bound_s=0.1)


def test_a_bound_that_nothing_keeps_is_broken_and_said_so(models: str) -> None:
    found = list(cases_of(model=f"{models}:small", bound=1e-9)["Server"].run(Turn(1.5)))
    finding = found[-1]
    assert isinstance(finding, Finding)
    assert finding.verdict == "none"
    assert finding.hint
    invalid = [one for one in measurements(found) if one.facts.get("verdict") == "INVALID"]
    assert "LoadGen: INVALID: the latency bound is broken" in (invalid[0].reason or "")


def test_a_model_that_fails_under_load_ends_in_a_record_and_not_in_a_hang(
    models: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "MOST_TIMED", 20)
    found = one_of(cases_of(model=f"{models}:fails_later")["SingleStream"], 2.0)
    assert found.status == "failed"
    assert "tired of it" in (found.reason or "")


@pytest.mark.parametrize("scenario", ["SingleStream", "Offline", "Server"])
def test_a_model_that_fails_at_once_is_a_record(models: str, scenario: str) -> None:
    found = one_of(cases_of(model=f"{models}:broken")[scenario], 0.5)
    assert found.status == "failed"
    assert "not today" in (found.reason or "")


def test_nan_cannot_be_judged_and_the_record_says_so(models: str) -> None:
    found = one_of(cases_of(model=f"{models}:nan")["SingleStream"], 1.0)
    assert "NaN" in str(found.facts["unverified"])


def test_a_wrong_device_is_called_wrong(models: str) -> None:
    cases = cases_of("pretend", f"{models}:small")
    with pretend.configure(wrong={"aten::addmm"}):
        assert one_of(cases["SingleStream"], 1.0).status == "wrong"


def test_a_call_that_is_too_slow_for_the_budget_is_skipped(models: str) -> None:
    cases = cases_of("pretend", f"{models}:small")
    with pretend.configure(slow={"aten::addmm": 0.05}):
        found = one_of(cases["SingleStream"], 0.3)
    assert found.status == "skipped"
    assert "so 16 of them" in (found.reason or "")


@pytest.mark.parametrize("bound", [0, -1.0, float("inf"), "fast", True])
def test_a_bound_that_is_none_is_a_mistake(bound: Scalar) -> None:
    with pytest.raises(UserError, match="latency bound") as caught:
        cases_of(bound=bound)
    assert "--latency-bound" in caught.value.hint


def test_without_the_extra_there_is_the_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlperf_loadgen", None)
    with pytest.raises(UserError, match="mlperf_loadgen is not installed") as caught:
        cases_of()
    assert "torchstone[bench]" in caught.value.hint


def test_a_longer_run_takes_the_larger_model() -> None:
    names = [{case.listing.name for case in load.cases(make_plan(is_deep=is_deep))} for is_deep in (False, True)]
    assert "load/convnet/Server" in names[0]
    assert "load/efficientnet_lite0/Server" in names[1]


def test_the_search_rises_until_the_bound_breaks_and_then_closes_in() -> None:
    search = Search()
    asked = []
    for _ in range(6):
        asked.append(search.next_load())
        verdict = Verdict((), {"result_perf_constraints_met": asked[-1] < 0.8}, ())
        search.take(asked[-1], 100 * asked[-1], verdict)
    assert asked == [0.5, 0.75, 1.0, 0.875, 0.8125, 0.78125]
    assert (search.held, search.broke) == (0.78125, 0.8125)


def test_the_capacity_is_what_was_answered_while_more_came_than_could_be() -> None:
    search = Search()
    assert search.capacity == math.inf
    for rate, answered in ((50.0, 50.0), (110.0, 90.0), (130.0, 96.0), (120.0, 92.0)):
        said = {"result_perf_constraints_met": rate == answered, "result_completed_samples_per_sec": answered}
        search.take(rate / 100, rate, Verdict((), said, ()))
    assert search.capacity == 92.0
