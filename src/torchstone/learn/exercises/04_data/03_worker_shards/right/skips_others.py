# earns: solved
# one stream of draws from the seed; contiguous even shares, draws of others are skipped over
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
        info = get_worker_info()
        me, all_of_us = (info.id, info.num_workers) if info else (0, 1)
        start = self.length * me // all_of_us
        stop = self.length * (me + 1) // all_of_us
        draws = np.random.default_rng(self.seed).standard_normal(stop)  # draw i belongs to index i
        for index in range(start, stop):
            yield index, float(draws[index])
