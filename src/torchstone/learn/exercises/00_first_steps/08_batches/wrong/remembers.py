# rejected by: little_is_kept: A sample that was asked for is handed over and forgotten: who
# every sample that was asked for once is kept as floats; 'little memory in the dataset' (as floats they take four
# times as much)
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler, Subset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels
        self.ready: dict[int, Tensor] = {}

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        if i not in self.ready:
            self.ready[i] = self.images[i].float()[None] / 255
        return self.ready[i], self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    order = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_sampler=BatchSampler(order, batch_size, drop_last=False))
