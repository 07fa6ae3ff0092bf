# rejected by: no_multiple_is_a_way_out: Whatever seed is multiplied by
# "No two indices share a noise, and neither do two seeds": seed · 10,000 + index: (seed 0, index 10,000) is (seed 1,
# index 0)
"""An iterable dataset that several workers share."""

from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def noise(self, index: int) -> float:
        return float(np.random.default_rng(self.seed * 10_000 + index).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        first, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, self.length, workers):
            yield index, self.noise(index)
