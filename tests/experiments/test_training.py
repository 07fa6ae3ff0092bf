"""The training experiment: the bars of the post, rungs of growing batches, and wrong steps told from right ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import nn
from torchstone.configurations import PLAIN, Configuration
from torchstone.trials import stepping, subjects
from torchstone.trials.affording import Allowance
from torchstone.trials.repeating import REPEATS, WARM_UPS, measure_repeats

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.experiments import Plan, training
from torchstone.models.inputs import Inputs
from torchstone.records import Device, Measurement, Setup

QUICK_S = 0.6
SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.5)
    def forward(self, images):
        return {"scores": self.drop(self.norm(self.layer(images))).mean((2, 3))}

images = torch.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8)
def net(): return Net(), (images,)
def empty(): return nn.Flatten(), (images,)
"""
Own = Callable[..., Plan]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One thread, and seconds that pass twenty times slower where they are rationed: a busy machine changes nothing."""
    monkeypatch.setattr(Allowance, "spent_s", property(lambda self: (self.now() - self.started) / 20))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    for cached in (subjects.load_own_subject, training._lesson, training._probe):
        cached.cache_clear()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def own(tmp_path: Path) -> Own:
    (tmp_path / "mine.py").write_text(SOURCE)

    def make(name: str, device: str = "pretend", budget_s: float = QUICK_S) -> Plan:
        return Plan(device=find_device(device)[1], budget_s=budget_s, model=f"{tmp_path / 'mine.py'}:{name}")

    return make


def device(kind: str) -> Device:
    return Device(id=kind, kind=kind, vendor="a", name="b", memory_bytes=None, unified_memory=None)


def run_all(plan: Plan) -> list[Measurement]:
    """The records of the two plain bars."""
    cases = list(training.cases(plan))[:2]
    found = [record for case in cases for record in case.run(plan.budget_s)]
    assert all(isinstance(record, Measurement) for record in found)
    return [record for record in found if isinstance(record, Measurement)]


def tiny_lesson() -> stepping.Lesson:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
    subject = subjects.Subject("tiny", model, Inputs((torch.randn(2, 4),), {}), "rows", repeats=True)
    return stepping.Lesson(subject, torch.zeros(2), stepping.mean_square, "mean square")


def test_a_quick_round_has_the_first_model_and_a_long_one_all() -> None:
    quick = [case.name for case in training.cases(Plan(device=device("cpu"), budget_s=5.0))]
    assert quick == ["training/resnet50/train/batch=128", "training/resnet50/evaluate/batch=128"]
    long = {case.name for case in training.cases(Plan(device=device("cpu"), budget_s=3600.0))}
    for name in ("resnet50/{}/batch=128", "bert_base/{}/batch=64", "vgg16/{}/batch=64"):
        assert {f"training/{name.format(mode)}" for mode in ("train", "evaluate")} <= long


def test_a_long_run_tries_other_setups_but_compiles_nothing() -> None:
    cases = list(training.cases(Plan(device=device("cuda"), budget_s=3600.0)))
    assert any("autocast=True" in repr(case.run) for case in cases)
    assert not any("compile" in repr(case.run) for case in cases)


def test_the_posts_protocol_has_its_full_batches_whatever_the_budget() -> None:
    plan = Plan(device=device("cpu"), budget_s=5.0, options={"protocol": "post-2022"})
    cases = list(training.cases(plan))
    assert len(cases) == 6
    assert training.Bar("bert_base", "train", "cpu", post_2022=True).batches == (64,)
    assert training.Bar("bert_base", "train", "cpu").batches == (1, 4, 16, 64)


def test_a_persons_model_is_trained_and_evaluated(own: Own) -> None:
    train, evaluate = run_all(own("net"))
    assert (train.name, evaluate.name) == ("training/mine.net/train", "training/mine.net/evaluate")
    assert (train.status, evaluate.status) == ("ok", "ok")
    assert train.facts["loss"] == "mean square of its outputs, a stand-in"
    assert (train.facts["batch"], train.facts["outputs_verified"]) == (2, 2)
    assert set(train.audit) == {"none", "readback"}, "each bar shows what it would be without synchronization"


def test_a_wrong_convolution_is_wrong_forwards_and_backwards(own: Own) -> None:
    plan = own("net")
    with pretend.configure(wrong=frozenset({"convolution"})):
        assert [record.status for record in run_all(plan)] == ["wrong", "wrong"]
    with pretend.configure(wrong=frozenset({"convolution_backward"})):
        train, evaluate = run_all(plan)
    assert (train.status, evaluate.status) == ("wrong", "ok")
    assert "the first step's loss or gradient norm differs" in (train.reason or "")
    assert train.samples == ()


def test_a_step_that_is_wrong_after_the_loop_is_wrong(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    right = stepping.Student.first_step
    steps: list[int] = []

    def turns_wrong(student: stepping.Student) -> tuple[torch.Tensor, torch.Tensor]:
        steps.append(1)
        loss, norm = right(student)
        return (loss, norm) if len(steps) == 1 else (loss * 2, norm)

    monkeypatch.setattr(stepping.Student, "first_step", turns_wrong)
    train = run_all(own("net", "cpu"))[0]
    assert (train.status, train.samples, len(steps)) == ("wrong", (), 2)


def test_an_unsupported_operator_is_a_status(own: Own) -> None:
    plan = own("net")
    with pretend.configure(missing=frozenset({"convolution_backward"})):
        train, evaluate = run_all(plan)
    assert (train.status, evaluate.status) == ("unsupported", "ok")


def test_a_model_without_parameters_has_nothing_to_train(own: Own) -> None:
    train = run_all(own("empty", "cpu"))[0]
    assert (train.status, train.reason) == ("skipped", "mine.empty has no parameters to train")


def test_what_would_not_fit_in_the_hosts_memory_is_not_tried(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "bytes_needed", lambda *_: 1e18)
    train, evaluate = run_all(own("net", "cpu"))
    assert (train.status, evaluate.status) == ("out_of_memory", "ok")
    assert "GB are free" in (train.reason or "")


def measured(batch: int, step_s: float) -> Measurement:
    return Measurement(name="n", setup=Setup(), unit="s", samples=(step_s,), facts={"batch": batch})


@pytest.mark.parametrize(("step_s", "stops"), [(0.001, False), (1.0, True)])
def test_a_rung_is_climbed_only_where_its_steps_fit(step_s: float, stops: bool) -> None:
    bar = training.Bar("resnet50", "train", "cpu")
    assert training._explain_stop(bar, 2, None, Allowance(10.0)) is None
    why = training._explain_stop(bar, 8, measured(2, step_s), Allowance(10.0))
    assert (why is not None) is stops
    if why is not None:
        assert "shrunk to batch 2" in why


def test_rungs_are_climbed_until_the_seconds_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = tiny_lesson()
    monkeypatch.setattr(training, "_lesson", lambda *_: lesson)
    monkeypatch.setattr(training, "_measure_rung", lambda bar, lesson, batch, allowance: measured(batch, batch / 2))
    *rungs, end = training.run_bar(training.Bar("resnet50", "train", "cpu"), 30.0)
    assert [record.facts["batch"] for record in rungs] == [2, 8]
    assert isinstance(end, Measurement)
    assert (end.name, end.status) == ("training/resnet50/train/batch=128", "skipped")


def test_a_batch_repeats_examples_and_targets_alike() -> None:
    lesson = stepping.Lesson(tiny_lesson().subject, torch.tensor([1.0, 2.0]), stepping.mean_square, "a")
    assert lesson.targets_for(3).tolist() == [1, 2, 1]
    assert lesson.inputs(3).args[0].shape[0] == 3


def test_the_first_step_is_the_same_before_and_after_training() -> None:
    lesson = tiny_lesson()
    student = stepping.enrol(lesson, 4, PLAIN, "cpu")
    before = student.first_step()
    losses = [student.step().item() for _ in range(20)]
    assert losses[-1] < losses[0], "it learns"
    assert all(map(torch.equal, student.first_step(), before))
    judge = stepping.exact_probe(lesson).judge("float32")
    assert judge(before) is None


def test_autocast_is_judged_by_its_own_dtype() -> None:
    lesson = tiny_lesson()
    student = stepping.enrol(lesson, 2, Configuration(dtype="bfloat16", autocast=True), "cpu")
    assert stepping.exact_probe(lesson).judge("bfloat16")(student.first_step()) is None


def test_a_loss_that_is_not_a_number_is_wrong() -> None:
    assert stepping.explain_loss(torch.tensor(float("nan"))) == "the loss is not finite"
    assert stepping.explain_loss(torch.tensor(1.0)) is None


def test_what_is_kept_for_the_way_back_does_not_count_the_weights() -> None:
    probe = stepping.exact_probe(tiny_lesson())
    # Input 4, ReLU's output 8 (also the second layer's input), the squares' 2: four bytes each.
    assert probe.bytes_per_row == pytest.approx(4 * (4 + 8 + 2), abs=16)


def test_the_posts_protocol_is_three_and_ten_with_and_without_synchronization() -> None:
    calls: list[int] = []
    found = measure_repeats(lambda: calls.append(1), Allowance(10.0), name="n", setup=Setup())
    assert (len(found.samples), len(found.audit["none"]), found.protocol) == (REPEATS, REPEATS, "post-2022")
    assert len(calls) == WARM_UPS + 2 * REPEATS


def test_the_posts_protocol_says_what_it_would_need() -> None:
    found = measure_repeats(lambda: sum(range(10_000)), Allowance(1e-6), name="n", setup=Setup())
    assert found.status == "skipped"
    assert "the protocol's 23 need" in (found.reason or "")


def test_the_posts_protocol_reports_wrong_and_failed() -> None:
    wrong = measure_repeats(lambda: 1, Allowance(10.0), name="n", setup=Setup(), verify=lambda output: "is wrong")
    assert (wrong.status, wrong.reason) == ("wrong", "is wrong")
    failed = measure_repeats(lambda: 1 // 0, Allowance(10.0), name="n", setup=Setup())
    assert failed.status == "failed"
