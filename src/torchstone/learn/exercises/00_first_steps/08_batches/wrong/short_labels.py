# rejected by: samples_are_right: RuntimeError: value cannot be converted to type
# the label goes through int16; 'its label as a Python `int`'
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
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        # None puts an axis of length 1 in front: networks want to know how many colours there are.
        return self.images[i][None].to(torch.float32) / 255, int(torch.tensor(self.labels[i], dtype=torch.int16))


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
