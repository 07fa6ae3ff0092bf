# rejected by: noise_is_its_own: The noise of an index depends on the seed and on that index
# "The noise of an index depends on `seed` and on that index alone": the seed of an index is seed · length + index, so
# another length gives another noise
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
        return float(np.random.default_rng(self.seed * self.length + index).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        first, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, self.length, workers):
            yield index, self.noise(index)
