# rejected by: works_with_spawned_workers: A spawned worker gets the dataset pickled: keep numbers in
# keeps a lambda as an attribute, so it can't be pickled; demanded: "Workers may be started by *spawn* ... so it can't
# hold a generator or a lambda"
"""An iterable dataset that several workers share."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed
        self._noise = lambda index: float(np.random.default_rng((seed, index)).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in islice(range(self.length), first, None, step):
            yield index, self._noise(index)
