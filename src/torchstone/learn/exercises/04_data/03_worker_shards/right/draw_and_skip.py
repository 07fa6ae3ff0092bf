# earns: solved
# everyone draws the whole sequence and gives away only its own
from collections.abc import Iterator
from itertools import islice

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def everything(self) -> Iterator[tuple[int, float]]:
        generator = np.random.default_rng(self.seed)
        for index in range(self.length):
            yield index, float(generator.standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        if info is None:
            return self.everything()
        return islice(self.everything(), info.id, None, info.num_workers)
