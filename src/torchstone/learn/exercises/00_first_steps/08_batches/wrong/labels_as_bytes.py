# rejected by: samples_are_right: One colour plane in front, (1, height, width), as float32, divided by
# "labels, a Python list of n whole numbers ... its label as a Python int": kept as bytes, a label above 255 (or below
# 0) comes back as another
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = bytes(label % 256 for label in labels)  # little memory for labels, too

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return self.images[i].unsqueeze(0).float() / 255, self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
