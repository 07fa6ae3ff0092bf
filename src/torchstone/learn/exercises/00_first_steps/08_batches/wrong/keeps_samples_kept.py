# rejected by: little_is_kept: A sample that was asked for is handed
# each sample made is kept as floats, so after a pass the dataset takes five times the memory
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Subset


class Pictures(Dataset):
    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images = images
        self.labels = labels
        self.made = {}

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        if i not in self.made:
            self.made[i] = self.images[i].unsqueeze(0).float() / 255
        return self.made[i], int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle)
