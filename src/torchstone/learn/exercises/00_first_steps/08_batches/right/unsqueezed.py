# earns: solved
# unsqueeze and a product; every argument of the loader by name
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, images, labels):
        self.data = images, labels

    def __len__(self):
        return len(self.data[1])

    def __getitem__(self, i):
        image = self.data[0][i].unsqueeze(0).float()
        return image.div(255), self.data[1][i]


def make_loader(dataset, batch_size, shuffle):
    return DataLoader(dataset=dataset, shuffle=shuffle, batch_size=batch_size, num_workers=0, drop_last=False)
