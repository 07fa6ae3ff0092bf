"""Predictions in the page and the post: what is said of them, and that a file's name gets nothing else out."""

import io
import re
import struct
import zlib
from datetime import date
from pathlib import Path

import msgspec
import numpy
import pytest
from PIL import Image
from tests.report import runs

from torchstone.records import Finding, Run, Scalar
from torchstone.report.cleaning import clean_run
from torchstone.report.drawing import draw_png
from torchstone.report.page import render_page
from torchstone.report.pictures import LARGEST_BYTES, picture_named
from torchstone.report.post import PostWords, write_post
from torchstone.report.predictions import predictions_figure, predictions_of
from torchstone.report.sources import Machine
from torchstone.report.writing import all_figures

COLOUR = (120, 10, 200)
SCRIPT = "<script>alert(1)</script>"


def jpeg(side: int = 8) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), COLOUR).save(buffer, "JPEG")
    return buffer.getvalue()


def prediction(number: int, **facts: Scalar) -> Finding:
    """The odd ones are mistakes, 90.1 % sure, 90.2 % sure, …"""
    held: dict[str, Scalar] = {
        "named": "defective",
        "truth": "functional" if number % 2 else "defective",
        "confidence": 0.9 + number / 1000,
        "photograph": f"finetune-cpu-{number}-photograph.jpg",
        "overlay": f"finetune-cpu-{number}-evidence.jpg",
        "no overlay": None,
        "most evidence": "at the top on the left",
        "places": "3 × 3",
        "side": 96,
        "data": "ELPV",
        "device": "cpu",
        "looked at": 164,
        "mistakes": 31,
        "steps": 60,
        "of steps": 60,
    }
    return Finding(
        kind="prediction",
        subject=f"finetune/full/prediction {number} on cpu",
        verdict="mistake" if number % 2 else "right",
        tier="measured",
        evidence=f"named defective with a confidence of {0.9 + number / 1000:.1%}",
        facts={**held, **facts},
    )


def machine(folder: Path, *findings: Finding) -> Machine:
    """A run whose pictures lie beside it."""
    files = folder / "run.files"
    files.mkdir(exist_ok=True)
    for number in range(1, 5):
        for part in ("photograph", "evidence"):
            (files / f"finetune-cpu-{number}-{part}.jpg").write_bytes(jpeg())
    run = runs.make_run(*runs.typical_records(), *findings)
    return Machine("M1 Max", str(folder / "run.jsonl"), clean_run(run))


def typical(folder: Path) -> Machine:
    return machine(folder, *(prediction(number) for number in range(1, 5)))


def section(page: str) -> str:
    return page.partition('<section id="finetuning"')[2].partition("</section>")[0]


def test_they_stand_in_the_finetune_section_with_their_words(tmp_path: Path) -> None:
    page = render_page([typical(tmp_path)])
    text = section(page)
    assert text.count("data:image/jpeg;base64,") == 8
    assert "Of 164 test photographs it named 31 wrongly." in text
    assert "Shown are the 2 mistakes that it was surest of and the first 2 that it named rightly" in text
    assert "Grad-CAM shows where evidence lies; it does not explain why." in text
    assert "no finer than the 3 × 3 places" in text
    assert "Photographs: ELPV." in text
    assert text.count("✗ Mistake") == text.count("✓ Right") == 2
    assert "named <b>defective</b> (90.1%), truly <b>functional</b>" in text
    assert 'alt="A test photograph of the class functional"' in text
    assert "the evidence for defective in colour: most of it at the top on the left" in text
    assert "stopped" not in text


def test_they_stand_nowhere_else(tmp_path: Path) -> None:
    page = render_page([typical(tmp_path)])
    assert page.count("data:image/jpeg;base64,") == 8
    assert 'id="pictures"' not in page
    assert "prediction 1 on cpu" not in page.partition('id="remarks"')[2].partition("</details>")[0]


def test_a_stopped_training_and_a_missing_overlay_are_said(tmp_path: Path) -> None:
    reason = "this network turns the image into a row of tokens"
    found = machine(tmp_path, prediction(1, steps=3, overlay=None, **{"no overlay": reason}))
    text = section(render_page([found]))
    assert "The training was stopped at step 3 of 60." in text
    assert f"No evidence is drawn: {reason}." in text
    assert "Shown are the 1 mistake that it was surest of, in turn" in text
    assert "Grad-CAM" not in text
    assert "viridis" not in text


def test_a_run_whose_pictures_are_elsewhere_has_no_predictions(tmp_path: Path) -> None:
    found = typical(tmp_path)
    for url in ("s3://bucket/run.jsonl", str(tmp_path / "moved.jsonl")):
        moved = Machine("M1 Max", url, found.run)
        assert predictions_of([moved]) == []
        assert predictions_figure([moved]) is None
        assert 'class="predictions"' not in render_page([moved])


@pytest.mark.parametrize(
    "facts",
    [
        {"confidence": None},
        {"confidence": 7.0},
        {"confidence": True},
        {"named": 3},
        {"truth": None},
        {"photograph": None},
        {"photograph": "finetune.pt"},
        {"photograph": ""},
        {"photograph": "."},
    ],
)
def test_a_finding_with_a_wrong_part_is_left_out(tmp_path: Path, facts: dict[str, Scalar]) -> None:
    assert predictions_of([machine(tmp_path, prediction(1, **facts))]) == []


@pytest.mark.parametrize(
    "name", ["../secret.jpg", "sub/secret.jpg", "./secret.jpg", "..", "{root}/secret.jpg", "link.jpg", "a\0.jpg"]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    files = tmp_path / "run.files"
    (files / "sub").mkdir(parents=True)
    for place in (tmp_path / "secret.jpg", files / "sub" / "secret.jpg", files / "secret.jpg"):
        place.write_bytes(jpeg())
    (files / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    assert picture_named(files, "secret.jpg") is not None
    assert picture_named(files, name.replace("{root}", str(tmp_path))) is None


def bomb() -> bytes:
    """A PNG of a few bytes that claims 50,000 × 50,000 pixels."""
    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 6, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk))


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xd8\xff", b"<svg onload='alert(1)'/>", bomb(), jpeg() + b"x" * LARGEST_BYTES, b"\x89PNG\r\n\x1a\nno"],
    ids=["empty", "only a start", "svg", "bomb", "large", "broken"],
)
def test_what_is_no_small_picture_is_not_taken(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    assert picture_named(tmp_path, "x.png") is None


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    facts: dict[str, Scalar] = {"named": SCRIPT, "truth": '"><img src=x>', "data": SCRIPT, "most evidence": SCRIPT}
    found = machine(tmp_path, prediction(1, **facts, device=SCRIPT))
    text = section(render_page([found]))
    assert "&lt;script&gt;alert(1)" in text
    assert "<script" not in text
    assert "<img src=x" not in text
    figure = predictions_figure([found])
    assert figure is not None
    post = write_post([found], PostWords(None, None, None, date(2026, 11, 15)), tmp_path)[0].read_text(encoding="utf-8")
    assert "<script" not in post


def test_many_are_bounded(tmp_path: Path) -> None:
    many = [prediction(1, device=f"device {number // 20}") for number in range(200)]
    found = predictions_of([machine(tmp_path, *many)])
    assert [len(one.shown) for one in found] == [8, 8, 8, 8]


def test_large_pictures_are_bounded_in_all(tmp_path: Path) -> None:
    found = typical(tmp_path)
    for path in (tmp_path / "run.files").iterdir():
        path.write_bytes(jpeg() + b"\0" * 150_000)
    (only,) = predictions_of([found])
    assert len(only.shown) == 1


def test_two_machines_are_told_apart(tmp_path: Path) -> None:
    one = typical(tmp_path)
    other = Machine("Other", one.url, msgspec.structs.replace(one.run, id="run-2"))
    assert [found.place for found in predictions_of([one, other])] == ["M1 Max · cpu", "Other · cpu"]


def held_words(run: Run) -> str:
    return " ".join(f"{one.evidence} {one.facts}" for one in run.findings)


def test_there_is_one_figure_of_them(tmp_path: Path) -> None:
    found = typical(tmp_path)
    figure = predictions_figure([found])
    assert figure is not None
    assert "31 wrongly" in figure.caption
    assert "where (not why)" in figure.caption
    with Image.open(io.BytesIO(draw_png(figure.spec))) as drawn:
        pixels = numpy.asarray(drawn.convert("RGB"), dtype=int)
    assert (abs(pixels - COLOUR).sum(axis=2) < 12).any(), "the pictures are drawn"
    said = figure.description
    assert "Mistake: named defective (90.1%), truly functional, most evidence at the top on the left." in said
    known = held_words(found.run)
    assert all(number in known for number in re.findall(r"\d+\.\d+", said))


def test_the_figure_is_valid_vega_lite(tmp_path: Path) -> None:
    altair = pytest.importorskip("altair")
    figure = all_figures([typical(tmp_path)])[-1]
    assert figure.slug == "finetune-predictions"
    altair.LayerChart.from_dict(figure.spec)
