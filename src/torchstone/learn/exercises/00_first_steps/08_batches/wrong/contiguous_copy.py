# rejected by: samples_are_made_when_asked_for: Keep images as it is
# contiguous() copies images that are a transposed or sliced view; 'holds images itself and no copy'
# (images.transpose(1, 2), changed afterwards)
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images.contiguous()
        self.labels = labels

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        image = self.images[i].float() / 255
        return image.unsqueeze(0), self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
