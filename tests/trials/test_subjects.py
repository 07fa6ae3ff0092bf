"""What is tried: labels, repeated batches, and models whose answers cannot be judged."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torchstone.trials.subjects import Subject, explain_unjudgeable, label, repeat_rows

from torchstone.models.inputs import Inputs


class Answers(nn.Module):
    """Says whatever it is told to."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, values: Tensor) -> Any:
        return self.answer(values)


def subject(answer: Any, repeats: bool = False, rows: int = 2) -> Subject:
    return Subject("own", Answers(answer), Inputs((torch.ones(rows, 3),), {}), "rows", repeats=repeats)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("path/to/mynet.py:build", "mynet.build"),
        ("package.module:Net", "package.module.Net"),
        ("zoo:resnet50", "resnet50"),
        ("hf:some/folder", "hf.folder"),
    ],
)
def test_a_target_is_one_part_of_a_name(target: str, expected: str) -> None:
    assert label(target) == expected


def test_a_batch_repeats_the_two_examples() -> None:
    inputs = repeat_rows(Inputs((torch.tensor([[1.0], [2.0]]), 7), {"x": torch.tensor([3.0, 4.0])}), 5)
    assert inputs.args[0].flatten().tolist() == [1, 2, 1, 2, 1]
    assert inputs.args[1] == 7
    assert inputs.kwargs["x"].tolist() == [3, 4, 3, 4, 3]


def test_every_row_of_a_repeated_batch_is_judged_by_the_same_two_answers() -> None:
    ours = subject(lambda values: values * 2, repeats=True)
    judge = ours.judge(5, "float32")
    assert judge(ours.model(*ours.inputs(5).args)) is None
    assert ours.facts(5)["batch"] == 5


def test_a_persons_inputs_are_taken_as_they_are() -> None:
    own = subject(lambda values: values, rows=3)
    assert own.inputs(64) is own.examples
    assert (own.rows(64), own.facts(64)["items"]) == (3, 3)
    assert explain_unjudgeable(own) is None


def test_a_model_without_tensor_inputs_counts_one_row() -> None:
    assert Subject("own", nn.Identity(), Inputs((5,), {}), "rows").rows(1) == 1


def test_an_answer_that_differs_from_call_to_call_cannot_be_judged() -> None:
    assert "differs from call to call" in (explain_unjudgeable(subject(torch.rand_like)) or "")


def test_an_answer_without_numbers_cannot_be_judged() -> None:
    assert "no floating-point tensor" in (explain_unjudgeable(subject(lambda values: "text")) or "")


def test_nan_is_not_called_random() -> None:
    assert explain_unjudgeable(subject(lambda values: values * float("nan"))) is None


def test_a_model_that_fixes_its_dtype_is_compared_in_float32() -> None:
    own = subject(lambda values: values @ torch.ones(3, 2))
    (exact,) = own.exact()
    assert exact.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert own.reference.startswith("CPU float32, because in float64")


def test_only_four_dimensions_are_images() -> None:
    assert not subject(lambda values: values).is_for_images
    assert Subject("own", nn.Identity(), Inputs((torch.ones(1, 3, 2, 2),), {}), "rows").is_for_images
