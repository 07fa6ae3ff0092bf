# rejected by: works_with_spawned_workers: A spawned worker gets the dataset pickled: keep
# the dataset holds a lambda, and cannot be pickled for a spawned worker
from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed
        self.noise = lambda index: float(np.random.default_rng([seed, index]).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(worker, self.length, workers):
            yield index, self.noise(index)
