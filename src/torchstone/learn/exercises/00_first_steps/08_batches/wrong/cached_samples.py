# rejected by: little_is_kept: A sample that was asked for is handed over and forgotten: who
# functools.cache on __getitem__ keeps every float sample; 'and nothing of it is kept'
"""A dataset of pictures and the batches made from it."""

from functools import cache

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels

    def __len__(self) -> int:
        return self.images.shape[0]

    @cache
    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        image = torch.true_divide(self.images[i].to(torch.float32), 255)
        return image.unsqueeze(0), int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=False)
