"""Image processing: the libraries agree where they should, a wrong device is called wrong, pictures are kept."""

import dataclasses
from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.data import imaging
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.experiments import Plan, images
from torchstone.experiments.images import Job
from torchstone.records import Finding, Measurement, Setup

PHOTOGRAPHS = make_photographs(2, 64, 0)
ALIKE_DB = 25.0
"""Where the algorithms differ at edges and in rounding, libraries still show the same picture."""


def plan(device: str = "cpu", budget_s: float = 4.0, artifacts: str | None = None) -> Plan:
    return Plan(device=find_device(device)[1], budget_s=budget_s, artifacts=artifacts)


def measured(job: Job, asked: Plan, seconds: float = 1.5) -> list[Measurement]:
    return [
        record for record in images._case(job, asked, images.Pace()).run(seconds) if isinstance(record, Measurement)
    ]


@pytest.mark.parametrize("name", list(imaging.steps()))
def test_three_libraries_mean_the_same(name: str) -> None:
    exact = imaging.as_pixels(imaging.run_kornia((name,), PHOTOGRAPHS, "cpu", torch.float64))
    for run in (imaging.run_pillow, imaging.run_opencv):
        pixels = imaging.as_pixels(run((name,), PHOTOGRAPHS)[0])
        assert pixels.shape == exact.shape
        decibels = imaging.psnr(pixels, exact)
        assert decibels is None or decibels > ALIKE_DB


def test_decoders_agree() -> None:
    files = [encode_jpeg(one) for one in PHOTOGRAPHS]
    decibels = imaging.psnr(
        imaging.as_pixels(imaging.decode_pillow(files)[0]), imaging.as_pixels(imaging.decode_opencv(files)[0])
    )
    assert decibels is None or decibels > 35


def test_psnr_by_hand() -> None:
    black, grey = numpy.zeros((2, 2, 3)), numpy.full((2, 2, 3), 25.5)
    assert imaging.psnr(black, grey) == pytest.approx(20.0)
    assert imaging.psnr(black, black) is None


def test_the_cpu_runs_all_three_libraries() -> None:
    found = measured(Job("flip", ("flip",), 64, 2), plan())
    assert [one.setup.engine for one in found] == ["eager", "pillow", "opencv"]
    assert {one.status for one in found} == {"ok"}
    assert {one.facts["items"] for one in found} == {2}
    assert found[1].facts["psnr_db"] is None, "a flip is the same in every library"


@pytest.mark.parametrize("what", [images.FROM_FILE, images.FROM_PIXELS])
def test_the_cpu_takes_every_way_to_a_tensor_and_names_the_fastest(what: str) -> None:
    records = list(images._case(Job(what, (), 512, 2), plan(), images.Pace()).run(6.0))
    *found, last = records
    engines = ["eager", "pillow", "opencv", "torch", "opencv+torch", "kornia_rs"]
    assert [one.setup.engine for one in found if isinstance(one, Measurement)] == engines
    right = {
        one.setup.engine.replace("eager", "kornia") for one in found if isinstance(one, Measurement) and one.samples
    }
    assert isinstance(last, Finding)
    assert last.verdict == "ok"
    assert last.facts["fastest"] in right
    assert "40 dB or more" in last.evidence


def test_what_shows_another_picture_is_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imaging, "run_opencv", lambda names, photographs: [255 - one for one in photographs])
    records = list(images._case(Job("flip", ("flip",), 64, 1), plan(), images.Pace()).run(4.0))
    last = records[-1]
    assert isinstance(last, Finding)
    assert last.facts["fastest"] in ("kornia", "pillow")
    assert "opencv" not in last.evidence


def test_a_wrong_device_does_not_make_tensors() -> None:
    pretend.install()
    job = Job(images.FROM_PIXELS, (), 300, 1)
    with pretend.configure(wrong=frozenset({"convolution"})):
        (found,) = images._case(job, plan("pretend"), images.Pace()).run(6.0)
    assert isinstance(found, Measurement)
    assert found.status == "wrong"
    assert "dB (PSNR)" in (found.reason or "")


def test_decoding_is_for_the_cpu() -> None:
    found = measured(Job("decode", (), 64, 2), plan())
    assert [one.setup.engine for one in found] == ["pillow", "opencv"]
    assert {one.status for one in found} == {"ok"}


def test_without_opencv_its_rows_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    found = measured(Job("flip", ("flip",), 64, 1), plan())
    assert found[-1].status == "skipped"
    assert "opencv-python-headless" in (found[-1].reason or "")


def test_a_wrong_device_is_called_wrong() -> None:
    pretend.install()
    job = Job("blur", ("blur",), 64, 1)
    with pretend.configure(wrong=frozenset({"convolution"})):
        (found,) = measured(job, plan("pretend"))
    assert found.status == "wrong"
    (right,) = measured(job, plan("pretend"))
    assert right.status == "ok"
    assert right.setup.device == "pretend:0"


def test_pictures_are_kept_for_the_report(tmp_path: Path) -> None:
    measured(Job("pipeline", imaging.PIPELINE, 64, 1), plan(artifacts=str(tmp_path / "files")))
    sizes = {}
    for moment in ("before", "after"):
        with Image.open(tmp_path / "files" / f"images-pipeline-64-{moment}.jpg") as picture:
            sizes[moment] = picture.size
    assert sizes == {"before": (64, 64), "after": (28, 28)}


def test_a_small_budget_gives_the_most_telling_cases() -> None:
    few, many = (list(images.cases(plan(budget_s=budget_s))) for budget_s in (0.1, 1000.0))
    assert [case.name for case in few] == ["images/pipeline/512/batch=1"]
    assert len(many) > 30
    assert any("2048" in case.name for case in many)


def test_a_call_that_would_take_minutes_is_not_begun() -> None:
    small, large = (Job("pipeline", imaging.PIPELINE, side, 1) for side in (64, 2048))
    pace = images.Pace()
    assert pace.explain_hopeless(large, 0.1) is None, "nothing is known yet"
    pace.remember(small, Measurement(name=small.name, setup=Setup(), unit="s", samples=(0.5,)))
    assert pace.explain_hopeless(small, 1.0) is None
    assert pace.explain_hopeless(large, 1.0) == (
        "a call would take about 512 s, and 1 s are granted: give more --budget"
    )


def test_several_devices_begin_with_something_small() -> None:
    beside = dataclasses.replace(plan(), beside_others=True)
    first = next(iter(images.cases(beside)))
    assert first.name == f"images/pipeline/{images.SMALL_SIDE}/batch=1"
    assert next(one.status for one in first.run(1.5) if isinstance(one, Measurement)) == "ok"
