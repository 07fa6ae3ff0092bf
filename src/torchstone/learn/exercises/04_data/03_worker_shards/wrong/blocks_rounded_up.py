# rejected by: shares_are_equal: Equal shares
# "each worker about as many as the others: at most one more": blocks of ceil(length / workers), so of 10 for 4 the
# last gets 1 and the others 3
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info
import math


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        size = math.ceil(self.length / workers)
        for index in range(worker * size, min((worker + 1) * size, self.length)):
            yield index, float(np.random.default_rng([self.seed, index]).standard_normal())
