"""Image processing: the libraries agree where they should, a wrong device is called wrong, pictures are kept."""

from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image
from tests.turns import findings, make_plan, make_turn, measurements

import torchstone.pretend as pretend
from torchstone.data import imaging
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.experiments import Plan, images
from torchstone.experiments.images import Job
from torchstone.records import Measurement
from torchstone.scheduling.case import Record

PHOTOGRAPHS = make_photographs(2, 64, 0)
ALIKE_DB = 25.0
"""Where the algorithms differ at edges and in rounding, libraries still show the same picture."""


@pytest.fixture(autouse=True)
def alone(one_thread: None) -> Iterator[None]:
    pretend.install()
    yield
    pretend.set_knobs(pretend.Knobs())


def run(job: Job, plan: Plan | None = None) -> list[Record]:
    return list(images._case(job, plan or make_plan(), 0).run(make_turn(4.0)))


def on_device(records: list[Record]) -> Measurement:
    (found,) = [one for one in measurements(records) if one.setup.device == "pretend:0"]
    return found


@pytest.mark.parametrize("name", list(imaging.steps()))
def test_three_libraries_mean_the_same(name: str) -> None:
    exact = imaging.as_pixels(imaging.run_kornia((name,), PHOTOGRAPHS, "cpu", torch.float64))
    for way in (imaging.run_pillow, imaging.run_opencv):
        pixels = imaging.as_pixels(way((name,), PHOTOGRAPHS)[0])
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


def test_the_cpu_runs_all_three_libraries_and_names_the_fastest() -> None:
    records = run(Job("flip", ("flip",), 64, 2))
    found = measurements(records)
    assert [one.setup.engine for one in found] == ["eager", "pillow", "opencv"]
    assert {(one.status, one.contest, one.facts["items"]) for one in found} == {("ok", "images/flip/64/batch=2", 2)}
    (fastest,) = findings(records)
    assert fastest.facts["fastest"] in ("kornia", "pillow", "opencv")
    assert "40 dB or more" in fastest.evidence


@pytest.mark.parametrize("what", [images.FROM_FILE, images.FROM_PIXELS])
def test_the_cpu_takes_every_way_to_a_tensor(what: str) -> None:
    records = run(Job(what, (), 512, 1))
    engines = {"eager", "pillow", "opencv", "torch", "opencv+torch", "kornia_rs"}
    assert {one.setup.engine for one in measurements(records)} == engines
    assert len(findings(records)) == 1


def test_what_shows_another_picture_is_timed_apart_and_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imaging, "run_opencv", lambda names, photographs: [255 - one for one in photographs])
    records = run(Job("flip", ("flip",), 64, 1))
    (apart,) = [one for one in measurements(records) if one.setup.engine == "opencv"]
    assert apart.name == f"images/flip/64/batch=1/{images.APART}"
    (fastest,) = findings(records)
    assert fastest.facts["fastest"] in ("kornia", "pillow")
    assert "opencv" not in fastest.evidence


def test_a_wrong_device_does_not_make_tensors() -> None:
    with pretend.configure(wrong=frozenset({"convolution"})):
        found = on_device(run(Job(images.FROM_PIXELS, (), 300, 1), make_plan("pretend")))
    assert found.status == "wrong"
    assert "dB (PSNR)" in (found.reason or "")


def test_a_wrong_device_is_called_wrong_and_a_right_one_is_not() -> None:
    job = Job("blur", ("blur",), 64, 1)
    with pretend.configure(wrong=frozenset({"convolution"})):
        assert on_device(run(job, make_plan("pretend"))).status == "wrong"
    assert on_device(run(job, make_plan("pretend"))).status == "ok"


def test_decoding_is_for_the_cpu() -> None:
    found = measurements(run(Job("decode", (), 64, 2), make_plan("pretend")))
    assert [(one.setup.engine, one.setup.device) for one in found] == [("pillow", "cpu"), ("opencv", "cpu")]


def test_without_opencv_its_rows_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    (found,) = [one for one in measurements(run(Job("flip", ("flip",), 64, 1))) if one.setup.engine == "opencv"]
    assert found.status == "skipped"
    assert "opencv-python-headless" in (found.reason or "")


def test_pictures_are_kept_for_the_report(tmp_path: Path) -> None:
    run(Job("pipeline", imaging.PIPELINE, 64, 1), make_plan(artifacts=str(tmp_path / "files")))
    sizes = {}
    for moment in ("before", "after"):
        with Image.open(tmp_path / "files" / f"images-pipeline-64-{moment}.jpg") as picture:
            sizes[moment] = picture.size
    assert sizes == {"before": (64, 64), "after": (28, 28)}


def test_a_quick_round_has_fifteen_rows_and_a_long_one_larger_photographs() -> None:
    quick, deep = (
        [case.listing.name for case in images.cases(make_plan(is_deep=is_deep))] for is_deep in (False, True)
    )
    assert 12 <= len(quick) <= 16
    assert quick[0] == "images/pipeline/512/batch=1"
    assert len(deep) == len(set(deep)) > 40
    assert next(iter(images.cases(make_plan("pretend")))).listing.name == f"images/pipeline/{images.SMALL_SIDE}/batch=1"
