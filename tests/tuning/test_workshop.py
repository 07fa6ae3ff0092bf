"""What the worker does, contest by contest, on turns whose seconds pass by being looked at: no clock decides."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import torch
from tests.turns import make_turn, measurements
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from torchstone import engines, pretend
from torchstone.backends import find_device
from torchstone.contests.race import NO_TIME, Entrant, Ready
from torchstone.errors import UserError
from torchstone.models.inputs import Inputs
from torchstone.models.placing import changed, plain_setup
from torchstone.models.subject import Subject, own_subject
from torchstone.records import Measurement, Setup
from torchstone.scheduling.case import Record
from torchstone.tuning import Question, Wish
from torchstone.tuning.amounts import NOT_ABOVE_IDLE, NOT_TORCHS, measure_joules, measure_peak
from torchstone.tuning.answer import answer_from
from torchstone.tuning.batches import enlarge, explain_too_large
from torchstone.tuning.scoring import amounts, times_grown
from torchstone.tuning.space import base_of
from torchstone.tuning.workers import compare_workers, workers_of
from torchstone.tuning.workshop import BATCH_NORM, Workshop, _expected_seconds


@pytest.fixture(autouse=True)
def plain_torch_alone(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    monkeypatch.setenv(engines.ONLY_VARIABLE, "eager")


def subject(model: nn.Module | None = None, *args: Tensor) -> Subject:
    made = model or nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    return own_subject(made, Inputs(args or (torch.ones(4, 4),), {}), "mine")


def workshop(made: Subject | None = None, question: Question | None = None, train: bool = False) -> Workshop:
    wish = Wish("mine", (find_device("cpu")[1],), 60.0, train=train, subject=made or subject())
    return Workshop(replace(wish, question=question or Question()))


def run(records: Iterator[Record]) -> list[Measurement]:
    return measurements(records)


def test_who_is_ready_is_not_prepared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workshop(train=True)
    prepared: list[str] = []
    enter = made._enter

    def counted(subject: Subject, setup: Any) -> Any:
        prepared.append(setup.key)
        return enter(subject, setup)

    monkeypatch.setattr(made, "_enter", counted)
    found = run(made.race_the_plain(make_turn(60.0)))
    assert {one.status for one in found} == {"ok"}
    again = run(made.race_finalists(make_turn(60.0, earlier=tuple(found))))
    assert any(one.name.endswith("/final") and one.samples for one in again)
    assert len(set(prepared)) >= 3
    plain = plain_setup().key
    assert prepared.count(plain) == 1


def test_bytes_are_measured_of_all_where_memory_is_asked_for() -> None:
    made = workshop(question=Question("memory"), train=True)
    found = run(made.race_the_plain(make_turn(60.0)))
    held = amounts(found, "bytes")
    assert set(held) == {one.setup for one in found if one.unit == "s" and one.status == "ok"}
    answer = answer_from(found, Question("memory"))
    assert answer.winners[0].memory_bytes == min(held.values())


def test_a_bound_of_memory_leaves_nothing_or_everything() -> None:
    tight, wide = Question(memory_bound_bytes=1.0), Question(memory_bound_bytes=1e12)
    found = run(workshop(question=tight).race_the_plain(make_turn(60.0)))
    assert answer_from(found, tight).winners == ()
    assert answer_from(found, wide).winners


def test_an_engine_outside_torch_has_no_figure_and_a_frozen_program_holds_its_weights_twice() -> None:
    model = nn.Linear(64, 64)
    data = torch.ones(1, 64)
    plain = plain_setup()
    outside = measure_peak(Ready(lambda: None), plain, "x")
    assert (outside.status, outside.reason) == ("unsupported", NOT_TORCHS.format("eager"))
    weights = 4 * (64 * 64 + 64)
    as_it_is = measure_peak(Ready(lambda: model(data), model=model), plain, "x").samples[0]
    assert weights <= as_it_is < 1.5 * weights
    unseen = measure_peak(Ready(lambda: data + 1, model=model), replace_engine("compile:freezing"), "x").samples[0]
    assert unseen >= 2 * weights


def replace_engine(engine: str) -> Any:
    from torchstone.models.placing import changed

    return changed(plain_setup(), engine=engine)


def test_joules_come_from_the_devices_own_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend.install()
    monkeypatch.setattr("torchstone.tuning.amounts.ENERGY_S", 0.01)
    data = torch.ones(8, 8, device="pretend")
    ready, setup = Ready(lambda: data @ data), plain_setup("pretend:0")
    with pretend.configure(watts=5.0, op_seconds=1e-4):
        found = measure_joules(ready, setup, "x")
    assert (found.unit, found.status) == ("J", "ok")
    assert found.samples[0] == pytest.approx(5.0 * 1e-4, rel=0.5)
    with pretend.configure(watts=5.0):
        idle = measure_joules(ready, setup, "x")
    assert (idle.status, idle.reason) == ("skipped", NOT_ABOVE_IDLE)
    with pretend.configure(watts=None):
        missing = measure_joules(ready, setup, "x")
    assert missing.status == "skipped"
    assert "unavailable" in str(missing.reason)


class Fixed(nn.Module):
    def forward(self, data: Tensor) -> Tensor:
        return data.view(4, 4) * 2


def test_batches_grow_until_something_ends_it_and_the_reason_is_a_note() -> None:
    question = Question("throughput")
    made = workshop(question=question)
    found = run(made.race_the_plain(make_turn(60.0)))
    found += run(made.race_batches(make_turn(60.0, earlier=tuple(found))))
    assert max(times_grown(one.setup) for one in found) >= 4
    fixed = workshop(subject(Fixed()), question)
    kept = run(fixed.race_the_plain(make_turn(60.0)))
    kept += run(fixed.race_batches(make_turn(60.0, earlier=tuple(kept))))
    assert any(
        "takes no other number of rows, so the batch is kept" in note for note in answer_from(kept, question).notes
    )


def test_what_has_no_rows_or_would_not_fit_is_not_enlarged() -> None:
    assert "no rows that could be repeated" in str(enlarge(subject(nn.Identity(), torch.tensor(1.0)), 2))
    larger = enlarge(subject(), 2)
    assert isinstance(larger, Subject)
    assert explain_too_large(larger, Question()) is None
    assert "are allowed" in str(explain_too_large(larger, Question(memory_bound_bytes=1.0)))


def test_the_workers_of_a_loader_are_compared_with_those_that_it_has() -> None:
    data = TensorDataset(torch.ones(8, 4), torch.zeros(8))
    made = workshop(replace(subject(), loader=DataLoader(data, batch_size=4)), train=True)
    found = run(made.race_the_plain(make_turn(60.0)))
    raced = run(made.race_workers(make_turn(60.0, earlier=tuple(found))))
    assert {workers_of(one.setup) for one in raced} >= {0, 1}
    compared = compare_workers([*found, *raced])
    assert (compared[0]["workers"], compared[0]["ratio"]) == (0, 1.0)
    answer = answer_from([*found, *raced])
    assert len(answer.workers) == len(compared)
    assert any(note.startswith("your DataLoader:") for note in answer.notes)


def test_a_model_left_in_train_mode_is_said() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNorm1d(4)).train()
    remark = own_subject(model, Inputs((torch.ones(2, 4),), {}), "mine").remark
    assert remark is not None
    assert "1 dropout, 1 batch norm" in remark
    assert own_subject(model, Inputs((torch.ones(2, 4),), {}), "mine").remark is None


def test_a_training_step_says_nothing_of_evaluation_mode() -> None:
    dropping = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).train()
    learning = run(workshop(subject(dropping), train=True).race_the_plain(make_turn(60.0)))
    answering = run(workshop(subject(dropping.train())).race_the_plain(make_turn(60.0)))
    told = [any("evaluation mode" in note for note in answer_from(found).notes) for found in (learning, answering)]
    assert told == [False, True]


def test_the_plain_run_says_how_much_of_it_is_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchstone.tuning.workshop.measure_python_share", lambda call: 0.75)
    answering = run(workshop().race_the_plain(make_turn(60.0)))
    learning = run(workshop(train=True).race_the_plain(make_turn(60.0)))
    assert (answer_from(answering).python_share, answer_from(learning).python_share) == (0.75, None)


def test_an_empty_batch_is_refused() -> None:
    with pytest.raises(UserError, match="empty input: 0x4"):
        workshop(subject(None, torch.ones(0, 4)), train=True)


def test_what_there_is_no_time_for_is_said_and_the_search_ends() -> None:
    made = workshop()
    found = run(made.race_promising(make_turn(0.0, earlier=())))
    assert found == []
    assert all(one.reason for one in run(made.race_the_plain(make_turn(0.0))) if one.status != "ok")


def test_an_engine_that_had_no_time_is_not_begun_with_by_another_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engines.ONLY_VARIABLE, "eager,compile")
    made = workshop()
    known = run(made.race_the_plain(make_turn(60.0)))
    first = made.space["compile"][0]
    late = Measurement(name="tune/mine/compile", setup=first, unit="s", status="skipped", reason=NO_TIME)
    monkeypatch.setattr(made, "_enter", lambda subject, setup: Entrant(setup, lambda: "it is not prepared here"))
    raced = run(made.race_promising(make_turn(60.0, earlier=(*known, late))))
    assert "compile" not in {base_of(one.setup) for one in raced}


def test_an_export_is_expected_to_cost_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engines.ONLY_VARIABLE, "compile,onnxruntime")
    names = ("compile", "onnxruntime")
    spent = [Measurement(name="m", setup=Setup(engine=one), unit="s", facts={"prepare_s": 5.0}) for one in names]
    assert [_expected_seconds(spent, one) for one in names] == [5.0, 0.0]


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("train", [False, True])
def test_on_a_busy_machine_one_thread_is_a_control_in_every_deciding_contest(train: bool) -> None:
    wish = Wish("mine", (find_device("cpu")[1],), 60.0, train=train, subject=subject(), busy="others kept it busy")
    made = Workshop(wish)
    control = changed(plain_setup(), threads=1)
    first = run(made.race_the_plain(make_turn(60.0)))
    assert control in {one.setup for one in first}
    assert control not in made._scores_of(first)
    last = run(made.race_finalists(make_turn(60.0, earlier=tuple(first))))
    assert control in {one.setup for one in last if one.samples}
    quiet = run(Workshop(replace(wish, busy="")).race_the_plain(make_turn(60.0)))
    assert (control in {one.setup for one in quiet}) == (not train)


class Random(nn.Module):
    """With batch norm, as where accumulation would be another step."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.LazyLinear(10))

    def forward(self, pictures: Tensor) -> Tensor:
        answer: Tensor = self.layers(pictures)
        return answer + torch.randn(10)


def random_model() -> Random:
    made = Random()
    made(torch.ones(4, 3, 6, 6))
    return made


def test_batch_norm_is_not_taken_in_parts_even_where_nothing_can_be_verified() -> None:
    made = workshop(subject(random_model(), torch.rand(4, 3, 6, 6)), train=True)
    found = run(made.race_the_plain(make_turn(60.0)))
    refused = {one.reason for one in found if "accumulation×2" in one.setup.options}
    assert refused == {BATCH_NORM}


def test_what_could_not_be_verified_in_training_names_the_cause() -> None:
    made = workshop(subject(random_model(), torch.rand(4, 3, 6, 6)), train=True)
    raced = run(made.race_the_plain(make_turn(60.0)))
    assert {one.status for one in raced if "accumulation×2" not in one.setup.options} == {"ok"}
    said = [str(one.facts["unverified"]) for one in raced if one.samples]
    assert said
    assert all("its answer is random (randn)" in words for words in said)


def test_who_will_not_be_recommended_keeps_nobody_out_of_the_final() -> None:
    made = workshop(question=Question())
    plain = plain_setup()
    last, narrow = changed(plain, memory_format="channels_last"), changed(plain, dtype="bfloat16", precision="cast")
    raced = [timed(setup, seconds) for setup, seconds in ((plain, 1.0), (last, 0.7), (narrow, 0.1))]
    doubtful = [msgspec.structs.replace(one, facts={"unverified": "it is random"}) for one in raced]
    assert set(made._scores_of(raced)) == {plain, last, narrow}
    assert set(made._scores_of(doubtful)) == {plain, last}


def timed(setup: Setup, seconds: float) -> Measurement:
    return Measurement(name="c", contest="c", setup=setup, unit="s", samples=(seconds,) * 12)
