# rejected by: shuffling_loses_nothing: shuffle=True has the loader draw a new order
# shuffled once when the loader is made: each pass has the same order
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        image = self.images[i].unsqueeze(0).float() / 255
        return image, int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    if shuffle:
        dataset = Subset(dataset, torch.randperm(len(dataset)).tolist())
    return DataLoader(dataset, batch_size=batch_size)
