"""The inference experiment: which cases for which round, and every kind of model and device as a clear record."""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.turns import case_named, findings, make_plan, make_turn, measurements

import torchstone.pretend as pretend
from torchstone.correctness import Judge
from torchstone.errors import UserError
from torchstone.experiments import Plan, inference
from torchstone.measuring import plausibility
from torchstone.measuring.peak import Peak
from torchstone.models import subject as subjects
from torchstone.models.inputs import Inputs
from torchstone.models.subject import Subject
from torchstone.records import Measurement

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Conv2d(3, 4, 3)
    def forward(self, images):
        return self.layer(images).mean((2, 3))

class Says(nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer
    def forward(self, *values):
        return self.answer(*values)

def quiet(answer): return Says(answer), (torch.ones(2, 3),)
def net(): return Net(), (torch.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8),)
def dictionary(): return quiet(lambda x: {"scores": x * 2, "ids": x.argmax(1)})
def pair(): return Says(lambda x, y: x + y), (torch.ones(2, 3), torch.ones(2, 3))
def nan(): return quiet(lambda x: x * float("nan"))
def chance(): return quiet(torch.rand_like)
def text(): return quiet(lambda x: "text")
def fixed(): return quiet(lambda x: x @ torch.eye(3))
def fails():
    def answer(x):
        raise ValueError("no such layer")
    return quiet(answer)
def threaded():
    import threading
    net = Net()
    class Aside(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net
        def forward(self, images):
            answers = []
            thread = threading.Thread(target=lambda: answers.append(self.net(images).detach()))
            thread.start()
            thread.join()
            return answers[0]
    return Aside(), (torch.ones(2, 3, 8, 8),)
def large(): return quiet(lambda x: torch.ones(1 << 18, device=x.device, dtype=x.dtype))
"""
Own = Callable[..., Plan]


@pytest.fixture(autouse=True)
def alone(one_thread: None) -> Iterator[None]:
    subjects.load_own_subject.cache_clear()
    pretend.install()
    yield
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A plan for a model of the file, on the CPU and perhaps a device."""
    (tmp_path / "mine.py").write_text(SOURCE)

    def make(name: str, *devices: str) -> Plan:
        return make_plan(*devices, model=f"{tmp_path / 'mine.py'}:{name}")

    return make


def run_first(plan: Plan) -> list[Any]:
    """The records of the first case."""
    return list(next(iter(inference.cases(plan))).run(make_turn()))


def timed(plan: Plan, device: str = "cpu") -> Measurement:
    found = [one for one in measurements(run_first(plan)) if one.quantity == "time" and one.setup.device == device]
    return found[0]


def names(*devices: str, **rest: Any) -> list[str]:
    return [case.listing.name for case in inference.cases(make_plan(*devices, **rest))]


def test_a_quick_round_has_five_models_a_language_model_among_them() -> None:
    cases = list(inference.cases(make_plan()))
    first = min(cases, key=lambda case: case.listing.rank)
    assert first.listing.name == "inference/efficientnet_lite0/batch=1"
    models = {case.listing.name.split("/")[1] for case in cases}
    assert models == {"efficientnet_lite0", "resnet50", "bert_base", "vit_b", "gpt2_small"}


def test_a_long_run_has_every_model_and_batch() -> None:
    found = set(names(is_deep=True))
    for model in ("resnet50", "vgg16", "alexnet", "efficientnet_lite0", "vit_b", "bert_base"):
        assert {f"inference/{model}/batch={batch}" for batch in (1, 8, 32, 128)} <= found


def test_an_accelerator_begins_with_something_small_and_gets_a_crossover() -> None:
    beside = names("pretend")
    assert beside[0] == "inference/convnet/batch=1"
    assert set(beside) - set(names()) == {"inference/convnet/batch=1", "inference/efficientnet_lite0/crossover"}
    assert len(beside) == len(set(beside))


def test_a_persons_model_in_full(own: Own) -> None:
    records = measurements(run_first(own("net", "pretend")))
    found = [one for one in records if one.contest == "inference/mine.net"]
    assert {one.setup.device for one in found} == {"cpu", "pretend:0"}
    assert found[0].setup.device == "cpu", "the baseline comes first"
    assert {one.status for one in found} == {"ok"}
    for one in found:
        assert (one.facts["items"], one.facts["item"], one.facts["batch"]) == (2, "rows", 2)
        assert float(str(one.facts["error"])) <= float(str(one.facts["tolerance"]))
    plain = next(one for one in found if one.setup.device != "cpu" and one.setup.dtype == "float32")
    assert {"none", "readback"} <= set(plain.audit)
    memory = [one for one in records if one.quantity == "peak memory"]
    assert [one.setup.device for one in memory] == ["cpu", "pretend:0"]
    assert all(one.samples[0] > 0 for one in memory)


def test_the_memory_of_other_threads_is_not_called_nothing(own: Own) -> None:
    (memory,) = [one for one in measurements(run_first(own("threaded"))) if one.quantity == "peak memory"]
    assert (memory.status, memory.samples) == ("skipped", ())
    assert "other threads" in (memory.reason or "")


def test_a_second_turn_goes_on_from_the_samples_of_the_first(own: Own) -> None:
    case = next(iter(inference.cases(own("net", "pretend"))))
    first = measurements(case.run(make_turn(2.0)))
    again = measurements(case.run(make_turn(2.0, earlier=tuple(first))))
    before = {one.setup: one.samples for one in first if one.quantity == "time"}
    assert all(one.samples[: len(before[one.setup])] == before[one.setup] for one in again)
    assert [one.quantity for one in again] == ["time"] * len(again), "memory was measured before"


def test_a_wrong_convolution_is_wrong_and_not_fast(own: Own) -> None:
    plan = own("net", "pretend")
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = timed(plan, "pretend:0")
    assert (found.status, found.samples) == ("wrong", ())
    assert "differs from the CPU's float64 answer" in (found.reason or "")
    assert float(str(found.facts["error"])) > float(str(found.facts["tolerance"]))


def test_a_convolution_that_turns_wrong_in_the_loop_is_wrong(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = chain([None], repeat("turned wrong"))
    monkeypatch.setattr(Judge, "__call__", lambda self, output: next(verdicts))
    assert timed(own("net")).status == "wrong"


def latencies(plan: Plan, seconds: float) -> list[Measurement]:
    case = next(case for case in inference.cases(plan) if case.listing.name.endswith("/latency"))
    return measurements(case.run(make_turn(seconds)))


def test_three_latencies_on_each_device(own: Own) -> None:
    found = latencies(own("net", "pretend"), 2.0)
    kinds = [(one.setup.device, one.name.split("=")[-1]) for one in found]
    assert kinds == [(device, pace) for device in ("cpu", "pretend:0") for pace in ("hot", "paced", "sustained")]
    assert {one.quantity for one in found} == {"latency"}
    assert {one.status for one in found} == {"ok"}


def test_a_wrong_device_is_wrong_in_its_latencies_too(own: Own) -> None:
    plan = own("net", "pretend")
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = latencies(plan, 2.0)
    assert {one.status for one in found if one.setup.device != "cpu"} == {"wrong"}


def test_an_unsupported_operator_and_a_full_memory_are_statuses(own: Own) -> None:
    with pretend.configure(missing=frozenset({"convolution"})):
        assert timed(own("net", "pretend"), "pretend:0").status == "unsupported"
    with pretend.configure(capacity_bytes=1 << 16):
        assert timed(own("large", "pretend"), "pretend:0").status == "out_of_memory"


@pytest.mark.parametrize("name", ["dictionary", "pair", "fixed", "text"])
def test_models_of_unusual_form_are_measured(own: Own, name: str) -> None:
    found = timed(own(name))
    assert found.status == "ok"
    assert found.facts["parameters"] == 0


@pytest.mark.parametrize(("name", "why"), [("chance", "no two calls agree"), ("nan", "NaN")])
def test_what_cannot_be_judged_is_measured_and_said(own: Own, name: str, why: str) -> None:
    found = timed(own(name))
    assert found.status in ("ok", "wrong")
    assert why in f"{found.facts.get('unverified')} {found.reason}"


def test_a_model_that_fails_says_where(own: Own) -> None:
    found = timed(own("fails"))
    assert found.status == "failed"
    assert "no such layer" in (found.reason or "")


def test_a_target_that_is_not_there_is_the_persons_mistake(own: Own) -> None:
    with pytest.raises(UserError, match="absent"):
        run_first(own("absent"))


def test_a_missing_extra_skips_our_model_and_not_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Subject:
        raise UserError("the package transformers is not installed", "pip install it")

    monkeypatch.setattr(subjects, "load_zoo_subject", refuse)
    (found,) = measurements(
        case_named(inference.cases(make_plan()), "inference/gpt2_small/generation").run(make_turn())
    )
    assert (found.status, found.reason) == ("skipped", "the package transformers is not installed: pip install it")


def tiny_images() -> Subject:
    torch.manual_seed(0)  # for some weights a result that is 1 % off is within the tolerance
    return Subject("tiny", "small", torch.nn.Conv2d(3, 2, 3).eval(), Inputs((torch.ones(2, 3, 8, 8),), {}), "images")


def test_a_slow_device_never_wins_and_the_finding_says_how_far_was_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "CROSSOVER_BATCHES", (1, 2))
    with pretend.configure(op_seconds=0.002):
        found = findings(inference.run_crossover(make_plan("pretend"), "n", tiny_images(), make_turn(120.0)))[-1]
    assert found.verdict == "not found"
    assert float(str(found.facts["batch=1"])) < 1.0


def test_a_wrong_device_ends_the_search() -> None:
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = findings(inference.run_crossover(make_plan("pretend"), "n", tiny_images(), make_turn()))[-1]
    assert "the search ended before batch 1" in found.evidence


def test_a_time_that_the_device_cannot_have_reached_is_wrong(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    for looks in ("measured_peak", "measure_peak"):
        monkeypatch.setattr(plausibility, looks, lambda *_: Peak({"float32": 1.0, "bfloat16": 1.0}, None))
    records = measurements(run_first(own("net")))
    assert {one.status for one in records if one.quantity == "time"} == {"wrong"}
    assert "impossible" in (records[0].reason or "")
    assert not [one for one in records if one.quantity == "peak memory"]


def test_dear_engines_have_a_contest_of_their_own(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", lambda model, **_: model)
    case = case_named(inference.cases(own("net")), "inference/mine.net/engines")
    found = measurements(case.run(make_turn()))
    assert [one.setup.engine for one in found] == ["eager", "compile:freezing", "compile", "compile:freezing"]
    assert {one.contest for one in found} == {"inference/mine.net/engines"}
