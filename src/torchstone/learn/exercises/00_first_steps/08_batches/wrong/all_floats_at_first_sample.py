# rejected by: little_is_kept: A sample that was asked for is handed over and forgotten: who
# the first sample that is asked for turns all images into floats, which stay; promised: "The work is done when a
# sample is asked for, and not before" and "little memory in the dataset"
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        super().__init__()
        self.images, self.labels = images, labels

    def __len__(self) -> int:
        return self.images.shape[0]

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        if not self.images.is_floating_point():
            self.images = self.images.to(torch.float32).div_(255)
        return self.images[i][None], int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler)
