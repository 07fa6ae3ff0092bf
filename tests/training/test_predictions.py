"""Which predictions are shown, that they are the trained model's own, and the pictures that are kept of them."""

import dataclasses
from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image
from tests.training.conftest import make_trainer, weights_of
from torch import Tensor, nn

from torchstone.training.predictions import (
    SHOWN_SIDE,
    Prediction,
    choose,
    colour_of,
    draw_overlay,
    draw_photograph,
    keep,
    look,
    name_place,
)
from torchstone.training.recipe import Recipe
from torchstone.training.trainer import Trainer

AMPLE_S = 1e6


def prediction(row: int, truth: int, named: int, confidence: float) -> Prediction:
    return Prediction(row, truth, named, confidence)


def rows(predictions: list[Prediction]) -> list[int]:
    return [one.row for one in predictions]


def test_the_surest_mistakes_then_the_first_right_ones_in_turn_for_each_class() -> None:
    found = [
        prediction(0, 0, 0, 0.6),
        prediction(1, 0, 1, 0.7),
        prediction(2, 0, 1, 0.9),
        prediction(3, 0, 1, 0.8),
        prediction(4, 1, 0, 0.55),
        prediction(5, 0, 0, 0.9),
        prediction(6, 1, 1, 0.7),
        prediction(7, 0, 0, 0.99),
    ]
    assert rows(choose(found, 6)) == [2, 4, 3, 0, 6, 5]
    assert rows(choose(list(reversed(found)), 2)) == [2, 7]


def test_equal_confidence_is_decided_by_the_order() -> None:
    found = [prediction(row, 0, 1, 0.5) for row in (3, 1, 2)]
    assert rows(choose(found, 2)) == [1, 2]


@pytest.mark.parametrize(
    ("mistakes", "right", "expected"), [(0, 9, (0, 8)), (9, 0, (8, 0)), (1, 1, (1, 1)), (9, 9, (4, 4))]
)
def test_what_one_kind_lacks_the_other_fills(mistakes: int, right: int, expected: tuple[int, int]) -> None:
    found = [prediction(row, 0, int(row < mistakes), 0.9) for row in range(mistakes + right)]
    chosen = choose(found)
    assert (sum(not one.is_right for one in chosen), sum(one.is_right for one in chosen)) == expected


def trained(recipe: Recipe) -> Trainer:
    trainer = make_trainer(recipe)
    list(trainer.run())
    return trainer


def test_all_test_photographs_are_looked_at_as_the_accuracy_sees_them(recipe: Recipe) -> None:
    trainer = trained(recipe)
    before = {name: value.clone() for name, value in weights_of(trainer).items()}
    found = look(trainer, AMPLE_S)
    assert rows(found) == list(range(len(trainer.photographs.test_labels)))
    assert sum(one.is_right for one in found) / len(found) == trainer.history.epochs[-1].accuracy
    assert all(0.5 <= one.confidence <= 1 for one in found)
    assert found == look(trainer, AMPLE_S)
    assert all(torch.equal(value, before[name]) for name, value in weights_of(trainer).items())


def test_a_slow_device_does_not_begin(recipe: Recipe) -> None:
    trainer = make_trainer(recipe)
    trainer.history.step_s = [100.0]
    assert look(trainer, 10.0) == []
    assert look(trainer, AMPLE_S)


def test_pictures_are_kept_small_with_their_overlays(recipe: Recipe, tmp_path: Path) -> None:
    trainer = trained(recipe)
    chosen = choose(look(trainer, AMPLE_S))
    shown = list(keep(trainer, chosen, tmp_path / "new", "finetune-cpu"))
    assert [one.prediction for one in shown] == chosen
    assert shown[0].photograph == "finetune-cpu-1-photograph.jpg"
    names = [name for one in shown for name in (one.photograph, one.overlay) if name is not None]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(names)
    for name in names:
        with Image.open(tmp_path / "new" / name) as picture:
            assert picture.size == (SHOWN_SIDE, SHOWN_SIDE)
            assert picture.format == "JPEG"
    for one in shown:
        assert (one.overlay is None) == (one.no_overlay is not None) == (one.strongest is None)
    assert {one.grid for one in shown if one.overlay} == {"7 × 7"}


def test_a_model_without_a_map_keeps_the_photographs_and_says_why(recipe: Recipe, tmp_path: Path) -> None:
    trainer = make_trainer(recipe)

    class Flat(nn.Module):
        def forward(self, images: Tensor) -> Tensor:
            return images.mean((2, 3))[:, :2]

    trainer.model = Flat()
    (only,) = keep(trainer, [prediction(0, 0, 1, 0.9)], tmp_path, "x")
    assert only.overlay is None
    assert "no convolution" in (only.no_overlay or "")
    assert [path.name for path in tmp_path.iterdir()] == ["x-1-photograph.jpg"]


def test_a_grey_photograph_and_one_in_colour_can_be_drawn() -> None:
    grey = draw_photograph(torch.full((1, 16, 16), 77, dtype=torch.uint8))
    assert grey.shape == (SHOWN_SIDE, SHOWN_SIDE, 3)
    assert set(grey.flatten().tolist()) == {77}
    red = torch.zeros(3, 400, 400, dtype=torch.uint8)
    red[0] = 255
    assert draw_photograph(red)[9, 9].tolist() == [255, 0, 0]


def test_more_evidence_is_lighter_for_every_eye() -> None:
    """Luminance rises with the evidence, so that hue is not needed to read it."""
    colours = colour_of(numpy.linspace(0, 1, 101, dtype=numpy.float32))
    luminance = colours @ numpy.array([0.2126, 0.7152, 0.0722])
    assert (numpy.diff(luminance) > 0).all()
    assert colours[0].tolist() == [68, 1, 84]
    assert colours[-1].tolist() == [253, 231, 37]


def test_the_overlay_is_coloured_where_the_evidence_is() -> None:
    picture = numpy.full((SHOWN_SIDE, SHOWN_SIDE, 3), 128, dtype=numpy.uint8)
    evidence = torch.zeros(16, 16)
    evidence[:, 12:] = 1.0
    drawn = draw_overlay(picture, evidence).astype(int)
    far, near = drawn[100, 10], drawn[100, 214]
    assert near[0] > 200 > 80 > near[2], "yellow"
    assert far[2] > far[1], "violet, and most of the photograph"
    assert abs(far - 128).max() < 40


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [(0, 0, "at the top on the left"), (1, 1, "in the middle"), (2, 1, "at the bottom"), (1, 2, "on the right")],
)
def test_the_place_of_the_evidence_in_words(row: int, column: int, words: str) -> None:
    evidence = torch.zeros(15, 15)
    evidence[5 * row + 2, 5 * column + 2] = 1.0
    assert name_place(evidence) == words


def test_batch_norm_in_training_is_asked_in_evaluation(recipe: Recipe) -> None:
    trainer = make_trainer(dataclasses.replace(recipe, freezes_batch_norm=False))
    before = {name: value.clone() for name, value in weights_of(trainer).items()}
    modes = [layer.training for layer in trainer.model.modules()]
    look(trainer, AMPLE_S)
    assert any(modes)
    assert [layer.training for layer in trainer.model.modules()] == modes
    assert all(torch.equal(value, before[name]) for name, value in weights_of(trainer).items())
