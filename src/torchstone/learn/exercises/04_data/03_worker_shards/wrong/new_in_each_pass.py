# rejected by: works_with_spawned_workers: Two spawned workers must give what one process
# the noise depends on the base seed of the DataLoader, which is new in every pass
from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(worker, self.length, workers):
            generator = np.random.default_rng([self.seed, index, 0 if info is None else info.seed - info.id])
            yield index, float(generator.standard_normal())
