"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels

    def __len__(self) -> int:
        # TODO: how many samples are there?
        return 0

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        # TODO: (height, width) bytes → (1, height, width) float32 between 0 and 1
        return self.images[i], self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    # TODO: hand over the size and whether to shuffle
    return DataLoader(dataset)
