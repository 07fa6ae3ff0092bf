"""A DataLoader in place of inputs: its first batch, as much of it as the model needs; other numbers of workers."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from torchstone.errors import UserError
from torchstone.models.loader import inputs_of, take_first_batch, with_workers
from torchstone.models.subject import load_subject


class Two(nn.Module):
    def forward(self, one: Tensor, other: Tensor, scale: float = 1.0) -> Tensor:
        return one * other * scale


def pairs(count: int = 6) -> "DataLoader[Any]":
    return DataLoader(TensorDataset(torch.ones(count, 3), torch.zeros(count)), batch_size=2)


def test_a_model_gets_what_it_needs_of_a_batch() -> None:
    assert len(take_first_batch("mine", pairs(), nn.Linear(3, 1)).args) == 1
    assert len(take_first_batch("mine", pairs(), Two()).args) == 2
    assert inputs_of({"ids": 1}, Two()).kwargs == {"ids": 1}
    assert inputs_of(torch.ones(2), Two()).args[0].shape == (2,)


class Broken(Dataset[Tensor]):
    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Tensor:
        raise OSError("no such picture")


def test_an_empty_or_broken_loader_is_a_mistake_in_words() -> None:
    with pytest.raises(UserError, match="is empty"):
        take_first_batch("mine", DataLoader(TensorDataset(torch.ones(0, 3))), nn.Linear(3, 1))
    with pytest.raises(UserError, match="OSError: no such picture"):
        take_first_batch("mine", DataLoader(Broken()), nn.Linear(3, 1))


def test_the_same_batches_by_other_workers() -> None:
    loader = pairs()
    other = with_workers(loader, 1)
    assert other.num_workers == 1
    assert [len(batch[0]) for batch in with_workers(loader, 0)] == [len(batch[0]) for batch in loader]


def test_a_target_may_return_a_loader(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n"
        "def model():\n"
        "    data = TensorDataset(torch.ones(4, 3), torch.zeros(4))\n"
        "    return torch.nn.Linear(3, 2), DataLoader(data, batch_size=2)\n"
    )
    subject = load_subject(f"{tmp_path}/mine.py:model")
    assert subject.loader is not None
    assert subject.examples.args[0].shape == (2, 3)
