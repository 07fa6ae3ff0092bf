"""The finetune experiment: its cases and records, wrong devices, bad input, stopping and going on."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from tests.training.conftest import furnish
from tests.turns import case_named

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.errors import UserError
from torchstone.experiments import Plan, finetune
from torchstone.records import Finding, Measurement, Scalar
from torchstone.scheduling.case import Record, Turn
from torchstone.training import checkpoint
from torchstone.training.recipe import fine_tuning_s

AMPLE_S = 600.0
"""A training of the tiny model takes far less: nothing depends on the machine's speed."""
Planner = Callable[..., Plan]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    pretend.install()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    finetune._load.cache_clear()
    yield
    torch.set_num_threads(before)
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alike steps would fill their whole share of the seconds."""
    monkeypatch.setattr(finetune, "STEPS_SHARE", 0.0005)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return furnish(tmp_path_factory.mktemp("workshop"))


@pytest.fixture
def plan(workshop: Path, tmp_path: Path) -> Planner:
    def make(model: str = "net", device: str = "cpu", **options: Scalar) -> Plan:
        given = {"data": str(workshop / "photographs"), "epochs": 2, "learning-rate": 0.01, **options}
        named = {name.replace("_", "-"): value for name, value in given.items() if value is not None}
        return Plan(
            devices=tuple(find_device(name)[1] for name in dict.fromkeys(("cpu", device))),
            model=f"{workshop / 'mine.py'}:{model}",
            options=named,
            artifacts=str(tmp_path / "files"),
        )

    return make


def run(plan: Plan, kind: str) -> list[Record]:
    """On the last device of the plan."""
    case = case_named(finetune.cases(plan), f"finetune/mine.{_model(plan)}/{kind}", plan.devices[-1].id)
    return list(case.run(Turn(AMPLE_S)))


def _model(plan: Plan) -> str:
    return (plan.model or "").rpartition(":")[2]


def by_quantity(records: list[Record]) -> dict[str, Measurement]:
    return {one.quantity: one for one in records if isinstance(one, Measurement)}


def test_the_probe_comes_first_and_names_carry_no_device(plan: Planner) -> None:
    cases = list(finetune.cases(plan(device="pretend")))
    assert [case.listing.name for case in cases] == ["finetune/mine.net/probe", "finetune/mine.net/full"] * 2
    assert [case.listing.setup.device for case in cases] == ["cpu", "cpu", "pretend:0", "pretend:0"]


def test_a_round_of_all_probes_alone(plan: Planner) -> None:
    """Training to an accuracy is for who asks for it, or has the time."""
    round_of_all = dataclasses.replace(plan(), is_asked_for=False)
    assert [case.listing.name for case in finetune.cases(round_of_all)] == ["finetune/mine.net/probe"]
    assert len(list(finetune.cases(dataclasses.replace(round_of_all, is_deep=True)))) == 2


def test_fewer_seconds_shrink_the_solar_cells() -> None:
    device = find_device("cpu")[1]
    quick, deep = (
        finetune._new_job(Plan(devices=(device,)), device, seconds, fine_tuning_s).recipe
        for seconds in (40.0, 36_000.0)
    )
    assert (deep.side, deep.batch, deep.most_images) == (192, 32, None)
    assert quick.side < deep.side


def test_the_probes_records(plan: Planner) -> None:
    found = by_quantity(run(plan(), "probe"))
    assert found["time"].status == "ok"
    assert found["time"].facts["items"] == 32
    assert found["accuracy"].samples[0] > 0.5


@pytest.mark.parametrize("device", ["cpu", "pretend"])
def test_a_training_gives_all_that_was_promised(plan: Planner, device: str) -> None:
    records = run(plan(device=device), "full")
    findings = [one for one in records if isinstance(one, Finding)]
    assert findings[0].verdict == "as on the CPU"
    assert [one.facts["epoch"] for one in findings[1:3]] == [1, 2]
    assert all(isinstance(one.facts["loss"], float) for one in findings[1:3])
    found = by_quantity(records)
    assert {"accuracy", "time to accuracy", "energy", "peak memory"} <= set(found)
    assert len(found["accuracy"].samples) == 2
    assert found["accuracy"].facts["final accuracy"] == found["accuracy"].samples[-1]
    assert "best validation accuracy" in str(found["test accuracy"].facts["chosen"])
    counted = [found["accuracy"].facts[f"{part} images"] for part in ("train", "validation", "test")]
    assert counted == [32, 4, 12]
    assert found["energy"].status in ("ok", "skipped")


def predictions(records: list[Record]) -> tuple[Finding, list[Finding]]:
    """The summary, and one for each picture."""
    found = [one for one in records if isinstance(one, Finding)]
    (summary,) = [one for one in found if "/predictions on " in one.subject]
    return summary, [one for one in found if one.kind == "prediction"]


@pytest.mark.parametrize(("device", "stem"), [("cpu", "finetune-cpu"), ("pretend", "finetune-pretend-0")])
def test_predictions_are_the_trained_models_and_their_pictures_are_kept(
    plan: Planner, device: str, stem: str, tmp_path: Path
) -> None:
    records = run(plan(device=device, epochs=12), "full")
    summary, shown = predictions(records)
    accuracy = by_quantity(records)["accuracy"].samples[-1]
    wrong, looked_at = summary.facts["mistakes"], summary.facts["looked at"]
    assert isinstance(wrong, int)
    assert looked_at == 12
    assert 1 - wrong / looked_at == pytest.approx(accuracy)
    assert len(shown) == 8
    assert f"the first right ones ({8 - min(wrong, 4)})" in summary.evidence
    assert ("mistakes" in summary.evidence) == (wrong > 0)
    assert sum(one.verdict == "mistake" for one in shown) == min(wrong, 4)
    for number, one in enumerate(shown, start=1):
        assert one.facts["photograph"] == f"{stem}-{number}-photograph.jpg"
        assert (tmp_path / "files" / str(one.facts["photograph"])).is_file()
        assert (one.facts["overlay"] is None) == (one.facts["no overlay"] is not None)
        assert {one.facts["named"], one.facts["truth"]} <= {"lying", "standing"}
        assert (one.verdict == "right") == (one.facts["named"] == one.facts["truth"])
    assert any(one.facts["overlay"] for one in shown)


def test_pictures_come_after_all_that_is_timed_but_before_the_steps_for_energy(plan: Planner) -> None:
    """Those change the weights."""
    kinds = [one.quantity if isinstance(one, Measurement) else one.kind for one in run(plan(), "full")]
    first, last = kinds.index("prediction"), len(kinds) - 1 - kinds[::-1].index("prediction")
    assert kinds.index("time to accuracy") < first
    assert last < kinds.index("energy")


def test_without_a_folder_or_without_time_there_are_no_pictures(
    plan: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = run(dataclasses.replace(plan(), artifacts=None), "full")
    assert not [one for one in nowhere if isinstance(one, Finding) and "predict" in one.subject]
    monkeypatch.setattr(finetune, "LOOKING_SHARE", -1.0)
    summary, shown = predictions(run(plan(), "full"))
    assert (summary.verdict, shown) == ("no pictures", [])
    assert "--budget" in summary.evidence
    assert not list(tmp_path.rglob("*.jpg"))


def test_pictures_that_cannot_be_written_cost_no_measurement(plan: Planner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    wanted = dataclasses.replace(plan(checkpoint=str(tmp_path / "elsewhere")), artifacts=str(tmp_path / "file"))
    records = run(wanted, "full")
    summary, shown = predictions(records)
    assert (summary.verdict, shown) == ("no pictures", [])
    assert "cannot be written" in summary.evidence
    assert "energy" in by_quantity(records)


@pytest.mark.parametrize("device", ["cpu", "pretend"])
def test_the_step_races_the_textbooks_and_the_cpu_at_its_best(plan: Planner, device: str) -> None:
    records = run(plan(device=device), "full")
    timed = [one for one in records if isinstance(one, Measurement) and one.name.endswith("/step")]
    setups = [(one.setup.device, one.setup.memory_format, one.setup.options) for one in timed]
    assert setups[:2] == [("cpu", "contiguous", ()), ("cpu", "channels_last", ("fused optimizer",))]
    assert [name for name, *_ in setups[2:]] == ([] if device == "cpu" else ["pretend:0"])
    assert all(one.samples and one.facts["item"] == "images" for one in timed)


def test_a_wrong_device_is_wrong_and_not_fast(plan: Planner) -> None:
    wanted = plan(device="pretend")
    with pretend.configure(wrong={"aten::convolution"}):
        records = run(wanted, "full")
    assert [one.verdict for one in records if isinstance(one, Finding)] == ["wrong"]
    (found,) = [one for one in records if isinstance(one, Measurement)]
    assert (found.status, found.samples) == ("wrong", ())


def test_a_step_that_the_budget_cannot_hold_is_skipped(plan: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "left_s", property(lambda self: 1e-9))
    found = run(plan(), "full")[-1]
    assert isinstance(found, Measurement)
    assert found.status == "skipped"
    assert "a step would take" in (found.reason or "")


def test_a_model_that_gives_nan_is_a_record(plan: Planner) -> None:
    found = run(plan("blind"), "full")[-1]
    assert isinstance(found, Measurement)
    assert found.status == "failed"
    assert "nan, nan, nan on the CPU in float64" in (found.reason or "")


def test_stopped_by_the_budget_it_says_so_and_resume_goes_on_to_the_same_weights(
    plan: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(plan(checkpoint=str(tmp_path / "whole")), "full")
    with monkeypatch.context() as context:
        context.setattr(finetune, "TRAIN_UNTIL", -1e6)
        stopped = by_quantity(run(plan(), "full"))
    assert "--resume goes on" in str(stopped["accuracy"].reason)
    resumed = run(plan(epochs=None, learning_rate=None, resume=str(tmp_path / "files")), "full")
    assert by_quantity(resumed)["accuracy"].samples == by_quantity(whole)["accuracy"].samples
    assert [one.facts for one in predictions(resumed)[1]] == [one.facts for one in predictions(whole)[1]]
    weights = [checkpoint.read(tmp_path / place / "finetune.pt")["model"] for place in ("whole", "files")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_resuming_with_another_recipe_is_a_mistake(plan: Planner, tmp_path: Path) -> None:
    run(plan(), "full")
    with pytest.raises(UserError, match="--epochs 7 is not what the checkpoint began with"):
        run(plan(epochs=7, resume=str(tmp_path / "files")), "full")
    with pytest.raises(UserError, match="no checkpoint"):
        list(finetune.cases(plan(resume=str(tmp_path / "nowhere"))))


def test_bad_input_is_a_mistake_with_a_hint(plan: Planner, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no folder"):
        run(plan(data=str(tmp_path / "nowhere")), "probe")
    with pytest.raises(UserError, match="images"):
        run(plan("text"), "probe")
    with pytest.raises(UserError, match="--processes 0"):
        run(plan(processes=0), "full")


def test_two_processes_report_how_they_scale_and_what_they_learnt(plan: Planner) -> None:
    records = run(plan(processes=2), "full")
    found = by_quantity(records)
    summary, shown = predictions(records)
    assert summary.facts["looked at"] == 12
    assert len(shown) == 8
    assert found["accuracy"].status == "ok"
    assert found["time"].name.endswith("/processes=2")
    assert found["scaling efficiency"].samples[0] > 0
    assert found["scaling efficiency"].facts["processes"] == 2
