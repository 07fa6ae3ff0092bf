# rejected by: samples_are_made_when_asked_for: Keep images as it is, and make the sample in __getitem__,
# the last sample is kept; 'nothing of it is kept'
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels
        self.last = (None, None)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        # None puts an axis of length 1 in front: networks want to know how many colours there are.
        if self.last[0] != i:
            self.last = (i, self.images[i][None].to(torch.float32) / 255)
        return self.last[1], self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
