"""More rows of what a person's model is called with."""

import torch

from torchstone.models.batching import repeat_inputs, rows_of
from torchstone.models.inputs import Inputs


def test_tensors_that_share_the_rows_are_repeated_and_all_else_is_kept() -> None:
    mask = torch.ones(2, 3)
    inputs = Inputs((torch.zeros(2, 5), 7), {"masks": [mask], "scale": torch.tensor(3.0), "table": torch.ones(4)})
    assert rows_of(inputs) == 2
    more = repeat_inputs(inputs, 3)
    assert more.args[0].shape == (6, 5)
    assert more.args[1] == 7
    assert more.kwargs["masks"][0].shape == (6, 3)
    assert more.kwargs["scale"] == 3.0
    assert more.kwargs["table"].shape == (4,)


def test_once_is_a_copy_too() -> None:
    inputs = Inputs((torch.zeros(2, 5),), {})
    assert repeat_inputs(inputs, 1).args[0].data_ptr() != inputs.args[0].data_ptr()


def test_no_rows() -> None:
    assert rows_of(Inputs((torch.tensor(1.0), "text"), {})) is None
