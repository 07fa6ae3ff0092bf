# earns: solved
# a fresh float tensor is filled for each sample; labels as a tuple; a sampler of its own
"""A dataset of pictures and the batches made from it."""

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Pictures(Dataset):
    """Images as bytes with a label each; a sample is made when it is asked for."""

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        super().__init__()
        self.images = images
        self.labels = tuple(labels)

    def __len__(self) -> int:
        return self.images.shape[0]

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        picture = torch.empty((1, *self.images.shape[1:]), dtype=torch.float32)
        picture[0].copy_(self.images[i])
        return picture.div_(255), self.labels[i]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    """Batches of the dataset."""
    options = {"sampler": RandomSampler(dataset)} if shuffle else {}
    return DataLoader(dataset, batch_size, **options)
