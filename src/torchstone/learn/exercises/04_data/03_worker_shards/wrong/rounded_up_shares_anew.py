# rejected by: shares_are_equal: Equal shares
# each worker takes ceil(length / workers) indices and the last ones get what is left: 10 indices for 4 workers are
# 3, 3, 3 and 1; 'about as many as the others: at most one more'
"""An iterable dataset that several workers share."""

from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        worker = get_worker_info()
        start, stop = 0, self.length
        if worker is not None:
            share = -(-self.length // worker.num_workers)
            start, stop = worker.id * share, min((worker.id + 1) * share, self.length)
        for index in range(start, stop):
            generator = np.random.default_rng([self.seed, index])
            yield index, float(generator.standard_normal())
