"""A model and its inputs put where and as a setup says."""

from collections.abc import Iterator

import torch
from torch import nn

import torchstone.pretend as pretend
from torchstone.models.inputs import Inputs
from torchstone.models.placing import (
    CHANNELS_LAST,
    casting,
    changed,
    is_plain,
    place_inputs,
    place_model,
    plain_setup,
    step_with_threads,
    using_threads,
)

PLAIN = plain_setup()
NARROW = changed(PLAIN, dtype="bfloat16", precision="cast")


def test_a_plain_model_is_not_copied_and_any_other_is() -> None:
    model = nn.Conv2d(3, 4, 1)
    assert place_model(model, PLAIN) is model
    assert place_model(model, changed(PLAIN, threads=1)) is model
    assert next(place_model(model, NARROW).parameters()).dtype is torch.bfloat16
    assert next(model.parameters()).dtype is torch.float32
    assert is_plain(PLAIN)
    assert not is_plain(NARROW)


def test_layout_reaches_weights_and_images_but_nothing_else() -> None:
    layout = changed(PLAIN, memory_format=CHANNELS_LAST)
    weight = place_model(nn.Conv2d(3, 4, 3), layout).get_parameter("weight")
    assert weight.is_contiguous(memory_format=torch.channels_last)
    inputs = place_inputs(Inputs((torch.ones(2, 3, 4, 4), 7), {"ids": torch.ones(2, 5)}), layout)
    assert inputs.args[0].is_contiguous(memory_format=torch.channels_last)
    assert inputs.args[1] == 7
    assert inputs.kwargs["ids"].shape == (2, 5)


def test_token_ids_keep_their_dtype() -> None:
    placed = place_inputs(Inputs((torch.tensor([[1, 2]]), torch.ones(1)), {}), NARROW)
    assert [tensor.dtype for tensor in placed.args] == [torch.int64, torch.bfloat16]


def test_a_model_moves_to_the_device() -> None:
    pretend.install()
    placed = place_model(nn.Linear(2, 2), plain_setup("pretend:0"))
    assert next(placed.parameters()).device.type == "pretend"


def test_autocast_keeps_the_weights_and_narrows_the_work() -> None:
    mixed = changed(PLAIN, dtype="bfloat16", precision="autocast")
    model = place_model(nn.Linear(2, 2), mixed)
    with casting(mixed):
        assert model(torch.ones(1, 2)).dtype is torch.bfloat16
    with casting(PLAIN):
        assert model(torch.ones(1, 2)).dtype is torch.float32


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    with using_threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_whoever_takes_an_item_does_not_change_the_threads_of_the_next_step() -> None:
    before = torch.get_num_threads()

    def steps() -> Iterator[int]:
        yield torch.get_num_threads()
        yield torch.get_num_threads()

    seen = []
    for count in step_with_threads(before + 1, steps()):
        seen.append((count, torch.get_num_threads()))
        torch.set_num_threads(before)
    assert seen == [(before + 1, before)] * 2
