# rejected by: noise_is_its_own: The noise of an index depends on the seed and on that index alone
# seed * length + index has no collisions within one length, but the noise of an index changes with the length;
# 'depends on `seed` and on that index alone' (lengths 10 and 20, seed 3)
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
        for index in range(first, self.length, step):
            generator = np.random.default_rng(self.seed * self.length + index)
            yield index, float(generator.standard_normal())
