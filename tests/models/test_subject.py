"""Subjects: labels, repeated batches, and a person's own inputs as they are."""

import pytest
import torch
from torch import nn

from torchstone.contests.answering import judge_queries, reference_of
from torchstone.errors import UserError
from torchstone.models.inputs import Inputs
from torchstone.models.subject import Origin, Subject, is_own, label, load_subject, own_subject, repeat_rows


class Double(nn.Module):
    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values * 2


def subject(origin: Origin = "own", rows: int = 2) -> Subject:
    return Subject("some", origin, Double(), Inputs((torch.ones(rows, 3),), {}))


@pytest.mark.parametrize(
    ("target", "expected", "own"),
    [
        ("path/to/mynet.py:build", "mynet.build", True),
        ("package.module:Net", "package.module.Net", True),
        ("zoo:resnet50", "resnet50", False),
        ("resnet50", "resnet50", False),
        ("hf:some/folder", "hf.folder", True),
    ],
)
def test_a_target_is_one_part_of_a_name(target: str, expected: str, own: bool) -> None:
    assert (label(target), is_own(target)) == (expected, own)


@pytest.mark.parametrize("shape", [(0, 64), (4, 0), (0,)])
def test_an_empty_input_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="some comes with an empty input: " + "x".join(map(str, shape))):
        own_subject(Double(), Inputs((), {"values": torch.ones(shape)}), "some")


def test_what_has_no_rows_is_not_counted_as_one() -> None:
    assert subject(rows=0).facts(1)["items"] == 0
    assert Subject("some", "own", Double(), Inputs((torch.tensor(3.0),), {})).facts(1)["items"] == 1


def test_an_empty_tensor_beside_the_rows_is_the_persons_own_affair() -> None:
    inputs = Inputs((torch.ones(2, 3), torch.ones(0)), {})
    assert own_subject(Double(), inputs, "some").rows(1) == 2


def test_a_batch_repeats_the_two_examples() -> None:
    inputs = repeat_rows(Inputs((torch.tensor([[1.0], [2.0]]), 7), {"x": torch.tensor([3.0, 4.0])}), 5)
    assert inputs.args[0].flatten().tolist() == [1, 2, 1, 2, 1]
    assert inputs.args[1] == 7
    assert inputs.kwargs["x"].tolist() == [3, 4, 3, 4, 3]


def test_every_row_of_a_repeated_batch_is_judged_by_the_same_two_answers() -> None:
    ours = subject("zoo")
    judge = reference_of(ours).judge(rows=ours.example_of(5))
    assert judge(ours.model(*ours.inputs(5).args)) is None
    assert ours.facts(5)["batch"] == 5


def test_a_query_is_judged_as_often_as_it_is_answered() -> None:
    ours = subject("zoo")
    assert judge_queries(ours, 3)(ours.model(*ours.inputs(3).args)) is None
    assert judge_queries(ours, 3)(torch.zeros(3, 3)) is not None


def test_a_persons_inputs_are_taken_as_they_are() -> None:
    own = subject(rows=3)
    assert own.inputs(64) is own.examples
    assert (own.rows(64), own.facts(64)["items"], own.example_of(64)) == (3, 3, None)


def test_a_model_without_tensor_inputs_counts_one_row() -> None:
    assert own_subject(nn.Identity(), Inputs((5,), {}), "some").rows(1) == 1


def test_only_four_dimensions_are_images() -> None:
    assert not subject().is_for_images
    assert own_subject(nn.Identity(), Inputs((torch.ones(1, 3, 2, 2),), {}), "some").is_for_images


def test_a_small_subject_is_ours_and_repeats() -> None:
    small = load_subject("convnet")
    assert (small.origin, small.repeats, small.rows(16)) == ("small", True, 16)
