# earns: solved
# samplers chosen by hand, and a plain class
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler


class Pictures:
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return self.images.shape[0]

    def __getitem__(self, i):
        height, width = self.images[i].shape
        return self.images[i].reshape(1, height, width) / 255, self.labels[i]


def make_loader(dataset, batch_size, shuffle):
    sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
    return DataLoader(dataset, batch_size, sampler=sampler)
