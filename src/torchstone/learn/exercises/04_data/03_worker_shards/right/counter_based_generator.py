# earns: solved
# a counter-based generator (Philox), its counter set to the index
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

    def _noise(self, index: int) -> float:
        bits = np.random.Philox(key=self.seed % 2**128, counter=index << 128)
        return float(np.random.Generator(bits).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for index in islice(range(self.length), first, None, step):
            yield index, self._noise(index)
