# rejected by: shuffling_loses_nothing: shuffle=True has the loader draw a new order for each pass
# shuffled when the loader is made, so every pass has one order; 'with shuffle=True each pass has another order'
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
        image = self.images[i].float() / 255
        return image.unsqueeze(0), self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    if shuffle:
        dataset = Subset(dataset, torch.randperm(len(dataset)).tolist())
    return DataLoader(dataset, batch_size=batch_size)
