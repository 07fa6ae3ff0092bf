# earns: solved
# samplers of one's own choice in a BatchSampler
import torch
from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler


class Pictures(Dataset):
    def __init__(self, images: Tensor, labels: list[int]) -> None:
        self.images, self.labels = images, labels

    def __len__(self) -> int:
        return self.images.shape[0]

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return torch.true_divide(self.images[i : i + 1], 255).to(torch.float32), int(self.labels[i])


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool) -> DataLoader:
    sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_sampler=BatchSampler(sampler, batch_size, drop_last=False))
