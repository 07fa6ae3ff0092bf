"""The training experiment: the bars of the post, rungs of growing batches, and wrong steps told from right ones."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.turns import make_plan, make_turn, measurements

import torchstone.pretend as pretend
from torchstone.contests import learning
from torchstone.experiments import Plan, training
from torchstone.measuring.repeats import REPEATS, WARM_UPS, measure_repeats
from torchstone.models import subject as subjects
from torchstone.records import Measurement, Setup
from torchstone.training.step import Learner

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
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
TRAIN, EVALUATE = "training/mine.net/train", "training/mine.net/evaluate"


@pytest.fixture(autouse=True)
def alone(one_thread: None) -> Iterator[None]:
    pretend.install()
    for cached in (subjects.load_own_subject, training._lesson):
        cached.cache_clear()
    training._ROW_S.clear()
    yield
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture
def own(tmp_path: Path) -> Own:
    (tmp_path / "mine.py").write_text(SOURCE)

    def make(name: str, *devices: str, **options: Any) -> Plan:
        return make_plan(*devices, model=f"{tmp_path / 'mine.py'}:{name}", options=options)

    return make


def run_all(plan: Plan) -> list[Measurement]:
    """The times of both modes."""
    found = [record for case in training.cases(plan) for record in measurements(case.run(make_turn()))]
    return [one for one in found if one.quantity == "time"]


def on_device(found: list[Measurement]) -> dict[str, Measurement]:
    """Of the plain setup."""
    plain = [one for one in found if one.setup.device == "pretend:0" and not one.setup.options]
    return {one.name: one for one in plain if one.setup.precision == "as it is"}


def names(*devices: str, **rest: Any) -> list[str]:
    return [case.listing.name for case in training.cases(make_plan(*devices, **rest))]


def test_a_quick_round_has_two_models_steps_and_a_long_one_all() -> None:
    assert names() == [
        "training/resnet50/train/batch=2",
        "training/bert_base/train/batch=1",
        "training/resnet50/evaluate/batch=2",
    ]
    long = set(names(is_deep=True))
    for name in ("resnet50/{}/batch=128", "bert_base/{}/batch=64", "vgg16/{}/batch=64"):
        assert {f"training/{name.format(mode)}" for mode in ("train", "evaluate")} <= long
    assert len(names("pretend")) == len(set(names("pretend")))


def test_the_posts_protocol_has_its_full_batches_whatever_the_budget() -> None:
    found = names(options={"protocol": "post-2022"})
    assert len(found) == 6
    assert "training/bert_base/train/batch=64" in found


def test_a_persons_model_is_trained_and_evaluated(own: Own) -> None:
    found = run_all(own("net", "pretend"))
    assert {one.name for one in found} == {TRAIN, EVALUATE}
    assert {one.status for one in found} == {"ok"}
    train = on_device(found)[TRAIN]
    assert train.facts["loss"] == "mean square of its outputs, a stand-in"
    assert train.facts["batch"] == 2
    assert {"none", "readback"} <= set(train.audit), "each bar shows what it would be without synchronization"
    options = {one.setup.options for one in found if one.name == TRAIN}
    assert options == {(), ("fused optimizer",)}


def test_the_memory_of_a_step_is_split(own: Own) -> None:
    case = next(iter(training.cases(own("net"))))
    (memory,) = [one for one in measurements(case.run(make_turn())) if one.quantity == "peak memory"]
    assert memory.samples[0] > 0


def test_a_wrong_convolution_is_wrong_forwards_and_backwards(own: Own) -> None:
    plan = own("net", "pretend")
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = on_device(run_all(plan))
    assert (found[TRAIN].status, found[EVALUATE].status) == ("wrong", "wrong")
    with pretend.configure(wrong=frozenset({"convolution_backward"})):
        found = on_device(run_all(plan))
    assert (found[TRAIN].status, found[EVALUATE].status) == ("wrong", "ok")
    assert "the first step's loss or gradient norm differs" in (found[TRAIN].reason or "")
    assert found[TRAIN].samples == ()


def test_a_step_that_is_wrong_after_the_loop_is_wrong(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Learner.first_step
    seen: set[int] = set()

    def turns_wrong(learner: Learner) -> tuple[torch.Tensor, torch.Tensor]:
        loss, norm = right(learner)
        if id(learner) in seen:
            return loss * 2, norm
        seen.add(id(learner))
        return loss, norm

    monkeypatch.setattr(Learner, "first_step", turns_wrong)
    train = [one for one in run_all(own("net")) if one.name == TRAIN]
    assert {(one.status, one.samples) for one in train} == {("wrong", ())}


def test_an_unsupported_operator_is_a_status(own: Own) -> None:
    with pretend.configure(missing=frozenset({"convolution_backward"})):
        found = on_device(run_all(own("net", "pretend")))
    assert (found[TRAIN].status, found[EVALUATE].status) == ("unsupported", "ok")


def test_a_model_without_parameters_has_nothing_to_train(own: Own) -> None:
    train = run_all(own("empty"))[0]
    assert (train.status, train.reason) == ("skipped", "mine.empty has no parameters to train")


def test_what_would_not_fit_in_the_hosts_memory_is_not_tried(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "bytes_needed", lambda *_: 1e18)
    found = run_all(own("net"))
    assert {(one.name, one.status) for one in found} == {(TRAIN, "out_of_memory"), (EVALUATE, "ok")}
    assert "GB are free" in (found[0].reason or "")


@pytest.mark.parametrize(("row_s", "stops"), [(0.001, False), (5.0, True)])
def test_a_rung_is_begun_only_where_its_steps_fit(row_s: float, stops: bool) -> None:
    name = "training/resnet50/train/batch=32"
    assert training._explain_stop(name, Setup(), 32, make_turn(10.0)) is None, "nothing is known yet"
    training._ROW_S["training/resnet50/train", "cpu"] = row_s
    why = training._explain_stop(name, Setup(), 32, make_turn(10.0))
    assert (why is not None) is stops


def test_the_posts_protocol_of_a_persons_model(own: Own) -> None:
    found = run_all(own("net", "pretend", protocol="post-2022"))
    assert {(one.protocol, one.setup.device) for one in found} == {("post-2022", "cpu"), ("post-2022", "pretend:0")}
    assert {one.status for one in found} == {"ok"}


def test_the_posts_protocol_is_three_and_ten_with_and_without_synchronization() -> None:
    calls: list[int] = []
    found = measure_repeats(lambda: calls.append(1), 1e9, name="n", setup=Setup())
    assert (len(found.samples), len(found.audit["none"]), found.protocol) == (REPEATS, REPEATS, "post-2022")
    assert len(calls) == WARM_UPS + 2 * REPEATS


def test_the_posts_protocol_says_what_it_would_need() -> None:
    found = measure_repeats(lambda: sum(range(10_000)), 1e-6, name="n", setup=Setup())
    assert found.status == "skipped"
    assert "the protocol's 23 need" in (found.reason or "")


def test_the_posts_protocol_reports_wrong_and_failed() -> None:
    wrong = measure_repeats(lambda: 1, 1e9, name="n", setup=Setup(), verify=lambda output: "is wrong")
    assert (wrong.status, wrong.reason) == ("wrong", "is wrong")
    failed = measure_repeats(lambda: 1 // 0, 1e9, name="n", setup=Setup())
    assert failed.status == "failed"
