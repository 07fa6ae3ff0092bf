# earns: solved
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class Pictures(Dataset):
    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.pairs = images, labels

    def __len__(self) -> int:
        return self.pairs[0].shape[0]

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        images, labels = self.pairs
        return torch.true_divide(images[i][None], 255.0), int(labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    order = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_sampler=BatchSampler(order, batch_size, drop_last=False))
