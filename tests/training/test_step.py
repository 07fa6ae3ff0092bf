"""One training step for everyone: verified at its first, and a loss that stays a number."""

import pytest
import torch
from torch import nn

from torchstone.contests.learning import learning
from torchstone.models.inputs import Inputs
from torchstone.models.placing import changed, plain_setup
from torchstone.models.subject import Subject, own_subject
from torchstone.training.step import (
    ACCUMULATED,
    CHECKPOINTING,
    FUSED,
    Lesson,
    exact_first_step,
    explain_loss,
    lesson_of,
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


def test_rows_in_parts_are_the_same_step_where_the_loss_is_a_mean_over_rows() -> None:
    lesson = tiny_lesson()
    learner = make_learner(lesson, changed(plain_setup(), options=(f"{ACCUMULATED}2",)), 4)
    whole = make_learner(lesson, plain_setup(), 4)
    assert len(learner.parts) == 2
    assert exact_first_step(lesson, 2).judge("float32")(learner.first_step()) is None
    learner.step()
    whole.step()
    for one, other in zip(learner.model.parameters(), whole.model.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)
    with pytest.raises(ValueError, match="3 rows can't be taken in 2 equal parts"):
        make_learner(lesson, changed(plain_setup(), options=(f"{ACCUMULATED}2",)), 3)


def test_batch_norm_in_parts_is_another_step_and_is_refused() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
    subject = own_subject(model, Inputs((torch.randn(4, 4),), {}), "normed")
    lesson = lesson_of(subject)
    assert isinstance(lesson, Lesson)
    why = learning(lesson, changed(plain_setup(), options=(f"{ACCUMULATED}2",)), 1).prepare()
    assert isinstance(why, str)
    assert why.startswith("taken in parts it is another step: batch norm")


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
