# rejected by: shuffling_loses_nothing: shuffle=True has the loader draw a new order for each pass
# "with `shuffle=True` each pass has another order": one order is drawn when the loader is made and used in every pass
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
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return self.images[i][None].float() / 255, self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    if shuffle:
        order = torch.randperm(len(dataset)).tolist()
        return DataLoader(dataset, batch_size=batch_size, sampler=order)
    return DataLoader(dataset, batch_size=batch_size)
