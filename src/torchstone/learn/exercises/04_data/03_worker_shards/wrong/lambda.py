# rejected by: works_with_spawned_workers: A spawned worker gets the dataset pickled
# "it can't hold a generator or a lambda": a lambda on the dataset cannot be pickled
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
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, self.length, step):
            yield index, self.noise(index)
