# rejected by: shares_are_equal: Equal shares: at most one more than any
# each worker takes a chunk of the length divided and rounded up, and the last ones get far less
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
        chunk = -(-self.length // workers)
        for index in range(worker * chunk, min(self.length, (worker + 1) * chunk)):
            generator = np.random.default_rng([self.seed, index])
            yield index, float(generator.standard_normal())
