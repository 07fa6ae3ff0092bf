# earns: solved
# a counter-based generator with seed and index as key, balanced chunks
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


def noise(seed: int, index: int) -> float:
    return np.random.Generator(np.random.Philox(key=np.array([seed, index], dtype=np.uint64))).standard_normal()


class NoisyStream(IterableDataset):
    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length = length
        self.seed = seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        workers = 1 if info is None else info.num_workers
        worker = 0 if info is None else info.id
        first, last = (self.length * k // workers for k in (worker, worker + 1))
        return ((index, float(noise(self.seed, index))) for index in range(first, last))
