"""The inference experiment: which cases for which budget, and every kind of model and device as a clear record."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
import torch
from torchstone.configurations import PLAIN
from torchstone.trials import crossing, possible, subjects
from torchstone.trials.affording import Allowance
from torchstone.trials.crossing import find_crossover
from torchstone.trials.generating import StageJudge, exact_stages, measure_generation
from torchstone.trials.inferring import prepared

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.correctness import Judge
from torchstone.errors import UserError
from torchstone.experiments import Plan, inference
from torchstone.measuring.peak import Peak
from torchstone.models.text import Generation, prefill
from torchstone.records import Device, Finding, Measurement

QUICK_S = 0.4
SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
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
def prints():
    def answer(x):
        print("hello")
        return x
    return quiet(answer)
def meddles():
    def answer(x):
        torch.set_default_dtype(torch.float64)
        return x * 1.0
    return quiet(answer)
def fails():
    def answer(x):
        raise ValueError("no such layer")
    return quiet(answer)
def large(): return quiet(lambda x: torch.ones(1 << 18, device=x.device, dtype=x.dtype))
"""
Own = Callable[..., Plan]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One thread, and seconds that pass twenty times slower where they are rationed: a busy machine changes nothing."""
    monkeypatch.setattr(Allowance, "spent_s", property(lambda self: (self.now() - self.started) / 20))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    subjects.load_own_subject.cache_clear()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A plan for a model of the file, on a device."""
    (tmp_path / "mine.py").write_text(SOURCE)

    def make(name: str, device: str = "pretend", budget_s: float = QUICK_S) -> Plan:
        return Plan(device=find_device(device)[1], budget_s=budget_s, model=f"{tmp_path / 'mine.py'}:{name}")

    return make


def run_first(plan: Plan) -> list[Any]:
    """The records of the first case."""
    return list(next(iter(inference.cases(plan))).run(plan.budget_s))


def timed(plan: Plan) -> Measurement:
    found = run_first(plan)[0]
    assert isinstance(found, Measurement)
    return found


def measurements(records: Iterable[Measurement | Finding]) -> list[Measurement]:
    return [record for record in records if isinstance(record, Measurement)]


def device(kind: str) -> Device:
    return Device(id=kind, kind=kind, vendor="a", name="b", memory_bytes=None, unified_memory=None)


def names(kind: str, budget_s: float) -> list[str]:
    return [case.name for case in inference.cases(Plan(device=device(kind), budget_s=budget_s))]


def test_a_quick_round_begins_with_the_most_telling_and_keeps_to_what_fits() -> None:
    plan = Plan(device=device("cpu"), budget_s=35.0)
    found = list(inference.cases(plan))
    assert [case.name for case in found[:2]] == ["inference/efficientnet_lite0/batch=1", "inference/resnet50/batch=1"]
    assert sum(case.weight for case in found[1:]) <= plan.budget_s
    assert "bfloat16" in repr(found[-1].run), "what can end the process comes last"


def test_there_is_always_one_case_however_small_the_budget() -> None:
    assert names("cpu", 0.5)[0] == "inference/efficientnet_lite0/batch=1"


def test_a_long_run_has_every_model_and_batch() -> None:
    found = set(names("cpu", 36_000.0))
    for model in ("resnet50", "vgg16", "alexnet", "efficientnet_lite0", "vit_b", "bert_base"):
        assert {f"inference/{model}/batch={batch}" for batch in (1, 8, 32, 128)} <= found
    assert "inference/gpt2_small/decode/batch=1" in found


def test_the_same_names_on_every_device_and_a_crossover_on_accelerators() -> None:
    cpu, mps = set(names("cpu", 36_000.0)), set(names("mps", 36_000.0))
    assert mps - cpu == {"inference/efficientnet_lite0/crossover", "inference/resnet50/crossover"}
    assert cpu <= mps


def test_a_smaller_budget_gives_the_beginning_of_the_same_list() -> None:
    small, large = names("mps", 20.0), names("mps", 60.0)
    assert large[: len(small) - 1] == small[:-1]


def test_a_persons_model_in_full(own: Own) -> None:
    records = run_first(own("net"))
    name = "inference/mine.net"
    assert [record.name for record in records] == [name, *[f"{name}/memory"] * 3, f"{name}/energy"]
    found = records[0]
    assert found.status == "ok"
    assert (found.setup.device, found.setup.dtype, found.setup.engine) == ("pretend:0", "float32", "eager")
    assert (found.facts["items"], found.facts["item"], found.facts["batch"]) == (2, "rows", 2)
    assert found.facts["error"] <= found.facts["tolerance"]
    assert found.facts["outputs_verified"] >= 2
    assert records[-1].reason.startswith("unavailable")


def test_a_wrong_convolution_is_wrong_and_not_fast(own: Own) -> None:
    plan = own("net")
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = run_first(plan)
    assert [record.status for record in found] == ["wrong"]
    assert found[0].samples == ()
    assert "differs from the CPU's float64 answer" in found[0].reason
    assert found[0].facts["error"] > found[0].facts["tolerance"]


def test_a_convolution_that_turns_wrong_in_the_loop_is_wrong(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = chain([None, None], repeat("turned wrong"))
    monkeypatch.setattr(Judge, "__call__", lambda self, output: next(verdicts))
    assert timed(own("net")).status == "wrong"


def test_a_wrong_device_is_wrong_in_its_latencies_too(own: Own) -> None:
    plan = own("net", budget_s=1.5)
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = measurements(inference.run_latency("pretend:0", plan.model or "", None, 0.5))
    assert [(record.name, record.status) for record in found] == [("inference/mine.net/latency=hot", "wrong")]


def test_three_latencies(own: Own) -> None:
    found = measurements(inference.run_latency("cpu", own("net", "cpu").model or "", None, 0.9))
    assert [record.name.split("=")[-1] for record in found] == ["hot", "paced", "sustained"]
    assert {(record.status, record.quantity) for record in found} == {("ok", "latency")}


def test_an_unsupported_operator_and_a_full_memory_are_statuses(own: Own) -> None:
    plan = own("net")
    with pretend.configure(missing=frozenset({"convolution"})):
        assert timed(plan).status == "unsupported"
    with pretend.configure(capacity_bytes=1 << 16):
        assert timed(own("large")).status == "out_of_memory"


@pytest.mark.parametrize("name", ["dictionary", "pair", "fixed"])
def test_models_of_unusual_form_are_measured(own: Own, name: str) -> None:
    found = timed(own(name, "cpu"))
    assert found.status == "ok"
    assert found.facts["parameters"] == 0


def test_a_model_that_says_nan_is_wrong_on_any_device(own: Own) -> None:
    found = timed(own("nan", "cpu"))
    assert (found.status, found.samples) == ("wrong", ())
    assert "NaN on the CPU in float64 already" in (found.reason or "")


@pytest.mark.parametrize(("name", "why"), [("chance", "differs from call to call"), ("text", "no floating-point")])
def test_what_cannot_be_judged_is_measured_and_said(own: Own, name: str, why: str) -> None:
    found = timed(own(name, "cpu"))
    assert found.status == "ok"
    assert why in str(found.facts["not verified"])


def test_a_model_that_prints_does_not_disturb_stdout(own: Own, capsys: pytest.CaptureFixture[str]) -> None:
    found = timed(own("prints", "cpu"))
    assert found.status == "ok"
    assert found.facts["printed characters"]
    assert capsys.readouterr().out == ""


def test_a_model_that_changes_global_state_is_undone_and_named(own: Own) -> None:
    found = timed(own("meddles", "cpu"))
    assert torch.get_default_dtype() is torch.float32
    assert "default dtype" in str(found.facts["changed and restored"])


def test_a_model_that_fails_says_where(own: Own) -> None:
    found = timed(own("fails", "cpu"))
    assert found.status == "failed"
    assert "mine.py" in (found.reason or "")
    assert "no such layer" in (found.reason or "")


def test_a_target_that_is_not_there_is_the_persons_mistake(own: Own) -> None:
    with pytest.raises(UserError, match="absent"):
        run_first(own("absent", "cpu"))


def test_a_missing_extra_skips_our_model_and_not_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> subjects.Subject:
        raise UserError("the package transformers is not installed", "pip install it")

    monkeypatch.setattr(subjects, "load_zoo_subject", refuse)
    (found,) = inference.run_generation("cpu", 1.0)
    assert isinstance(found, Measurement)
    assert (found.status, found.reason) == ("skipped", "the package transformers is not installed: pip install it")


def test_compilation_without_the_time_for_it_is_skipped_with_the_reason(own: Own) -> None:
    plan = own("net", "cpu", 100.0)
    case = next(case for case in inference.cases(plan) if "compile" in repr(case.run))
    (found,) = case.run(1.0)
    assert isinstance(found, Measurement)
    assert (found.status, found.setup.engine) == ("skipped", "compile")
    assert "60 s" in (found.reason or "")


def test_a_budget_too_small_for_a_second_call_is_said(own: Own) -> None:
    found = timed(own("net", "cpu", 1e-9))
    assert (found.status, found.samples) == ("skipped", ())
    assert "the first call took" in (found.reason or "")


def test_what_took_long_before_is_not_begun_in_a_larger_batch() -> None:
    slow = tiny_images()
    slow.row_seconds["cpu"] = 10.0
    found = prepared(slow, 8, PLAIN, "cpu", "inference/tiny/batch=8", Allowance(30.0))
    assert isinstance(found, Measurement)
    assert (found.status, found.facts) == ("skipped", {})
    assert "about 80 s" in (found.reason or "")


def tiny_images() -> subjects.Subject:
    from torch import nn

    from torchstone.models.inputs import Inputs

    return subjects.Subject("tiny", nn.Conv2d(3, 2, 3), Inputs((torch.ones(2, 3, 8, 8),), {}), "images", repeats=True)


def test_a_slow_device_never_wins_and_the_finding_says_how_far_was_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend.install()
    monkeypatch.setattr(crossing, "BATCHES", (1, 2))
    with pretend.configure(op_seconds=0.002):
        (found,) = find_crossover(tiny_images(), "pretend:0", Allowance(1.0))
    assert isinstance(found, Finding)
    assert found.verdict == "not found"
    assert isinstance(found.facts["batch=1"], float)
    assert found.facts["batch=1"] < 1.0


def test_a_wrong_device_ends_the_search() -> None:
    pretend.install()
    torch.manual_seed(0)  # for some weights a result that is 1 % off is within the tolerance
    with pretend.configure(wrong=frozenset({"convolution"})):
        (found,) = find_crossover(tiny_images(), "pretend:0", Allowance(1.0))
    assert isinstance(found, Finding)
    assert "before batch 1: pretend:0: wrong" in found.evidence


@pytest.fixture(scope="module")
def writer() -> subjects.Subject:
    """A GPT-2 small enough for a test."""
    from torchstone.models.text import from_config, random_sequences

    shape = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64, "vocab_size": 50}
    model = from_config("GPT2LMHeadModel", "GPT2Config", 0, bos_token_id=0, eos_token_id=0, **shape)
    return subjects.Subject("tiny_gpt", model, random_sequences(2, 0, 50, 12), "tokens", 12, repeats=True)


def test_reading_and_writing_are_timed_apart(writer: subjects.Subject) -> None:
    read, write = measure_generation(writer, "cpu", Allowance(0.6))
    assert (read.name, write.name) == ("inference/tiny_gpt/prefill/batch=1", "inference/tiny_gpt/decode/batch=1")
    assert (read.status, write.status) == ("ok", "ok")
    assert (read.facts["items"], write.facts["items"]) == (12, 1)
    assert write.facts["error"] is not None


def test_wrong_keys_and_values_are_wrong(writer: subjects.Subject) -> None:
    pretend.install()
    with pretend.configure(wrong=frozenset({"addmm"})):
        found = list(measure_generation(writer, "pretend:0", Allowance(0.6)))
    assert [record.status for record in found] == ["wrong", "wrong"]
    assert "keys and values" in (found[0].reason or "")


def test_a_bad_token_is_wrong_and_the_best_one_is_not(writer: subjects.Subject) -> None:
    prompt = writer.examples.args[0][:1]
    exact = exact_stages(writer.model, prompt)["prefill"]
    judge = StageJudge(exact, Judge(exact.keys_and_values, exact.own_error, "float32"))
    generation = prefill(writer.model, prompt)
    assert judge(generation) is None
    worst = exact.logits.argmin(dim=-1, keepdim=True)
    assert "chose a token" in (judge(Generation(worst, generation.cache)) or "")


def test_a_device_that_cannot_generate_says_so(writer: subjects.Subject) -> None:
    pretend.install()
    with pretend.configure(missing=frozenset({"addmm"})):
        found = list(measure_generation(writer, "pretend:0", Allowance(0.6)))
    assert {record.status for record in found} == {"unsupported"}


def test_a_time_that_the_device_cannot_have_reached_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "mine.py"
    source.write_text(SOURCE)
    monkeypatch.setattr(possible, "measured_peak", lambda *_: Peak({"float32": 1.0}, None))
    found = list(inference.run_speed("cpu", f"{source}:net", None, 1, PLAIN, QUICK_S))
    (timed,) = (one for one in found if isinstance(one, Measurement) and one.quantity == "time")
    assert timed.status == "wrong"
    assert "impossible" in (timed.reason or "")
    assert not any(isinstance(one, Measurement) and one.quantity == "peak memory" for one in found)
