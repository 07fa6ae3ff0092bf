# rejected by: samples_are_right: One colour plane in front
# divided by the image's own brightest byte: a dim image gets bright and a black one NaN; 'torch.float32 between 0
# and 1' of bytes from 0 to 255
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        image = self.images[i].float()
        image = image / image.max()
        return image.unsqueeze(0), self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
