# rejected by: little_is_kept: A sample that was asked for is handed over and forgotten
# every sample made is kept in a dictionary; 'nothing of it is kept' (after one pass all images are there as floats)
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels
        self.made = {}

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        if i not in self.made:
            image = self.images[i].float() / 255
            self.made[i] = image.unsqueeze(0)
        return self.made[i], self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
