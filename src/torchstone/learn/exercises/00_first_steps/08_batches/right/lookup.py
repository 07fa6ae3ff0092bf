# earns: solved
# a table of the 256 shades, and a collate function by hand
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    shades = torch.arange(256, dtype=torch.float32) / 255

    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return self.shades[self.images[i].to(torch.int64)][None], int(self.labels[i])


def together(samples: list[tuple[Tensor, int]]) -> list[Tensor]:
    images, labels = zip(*samples, strict=True)
    return [torch.stack(images), torch.tensor(labels)]


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    return DataLoader(dataset, batch_size, shuffle, collate_fn=together, drop_last=False)
