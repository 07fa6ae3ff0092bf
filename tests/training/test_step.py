"""One training step for everyone: verified at its first, and a loss that stays a number."""

import pytest
import torch
from torch import nn

from torchstone.models.inputs import Inputs
from torchstone.models.placing import changed, plain_setup
from torchstone.models.subject import Subject
from torchstone.training.step import (
    CHECKPOINTING,
    FUSED,
    Lesson,
    exact_first_step,
    explain_loss,
    make_learner,
    mean_square,
)


def tiny_lesson(targets: torch.Tensor | None = None) -> Lesson:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
    subject = Subject("tiny", "zoo", model, Inputs((torch.randn(2, 4),), {}))
    return Lesson(subject, torch.zeros(2) if targets is None else targets, mean_square, "mean square")


def test_a_batch_repeats_examples_and_targets_alike() -> None:
    lesson = tiny_lesson(torch.tensor([1.0, 2.0]))
    assert lesson.targets_for(3).tolist() == [1, 2, 1]
    assert lesson.inputs(3).args[0].shape[0] == 3


@pytest.mark.parametrize("options", [(), (FUSED,), (CHECKPOINTING,)])
def test_the_first_step_is_the_same_before_and_after_training(options: tuple[str, ...]) -> None:
    lesson = tiny_lesson()
    learner = make_learner(lesson, changed(plain_setup(), options=options), 4)
    before = learner.first_step()
    losses = [learner.step().item() for _ in range(20)]
    assert losses[-1] < losses[0], "it learns"
    assert all(map(torch.equal, learner.first_step(), before))
    assert exact_first_step(lesson).judge("float32")(before) is None


def test_autocast_is_judged_by_its_own_dtype() -> None:
    lesson = tiny_lesson()
    learner = make_learner(lesson, changed(plain_setup(), dtype="bfloat16", precision="autocast"), 2)
    assert exact_first_step(lesson).judge("bfloat16")(learner.first_step()) is None


def test_a_loss_that_is_not_a_number_is_wrong() -> None:
    assert explain_loss(torch.tensor(float("nan"))) == "the loss is not finite"
    assert explain_loss(torch.tensor(1.0)) is None


def test_what_is_kept_for_the_way_back_does_not_count_the_weights() -> None:
    # Input 4, ReLU's output 8 (also the second layer's input), the squares' 2: four bytes each.
    assert exact_first_step(tiny_lesson()).bytes_per_row == pytest.approx(4 * (4 + 8 + 2), abs=16)
