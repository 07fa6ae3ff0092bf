"""A training step that moves nothing: its loss is the reference's, however often it is made."""

import torch
from torch import nn

from torchstone.models.inputs import Inputs
from torchstone.training.image_step import prepare_image_step, train_on_anything


def test_the_loss_stays_what_the_reference_says() -> None:
    step = prepare_image_step("cpu")
    for _ in range(3):
        step.with_copy()
        assert step.disagreement() is None
    step.images.zero_()
    step.resident()
    assert "on the CPU in float64" in (step.disagreement() or "")


def test_any_model_can_be_trained_and_keeps_its_weights() -> None:
    model = nn.Linear(3, 2)
    before = model.weight.detach().clone()
    train_on_anything(model, Inputs((torch.ones(4, 3),), {}))
    assert torch.equal(model.weight, before)
    assert model.weight.grad is None
