# rejected by: works_with_spawned_workers: A spawned worker gets the dataset pickled
# the dataset holds a lambda, which cannot be pickled for a spawned worker; 'it can't hold a generator or a lambda'
"""An iterable dataset that several workers share."""

from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed
        self.noise = lambda index: float(np.random.default_rng([seed, index]).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in range(first, self.length, step):
            yield index, self.noise(index)
