# rejected by: shares_are_equal: Equal shares: at most one more than any other worker has.
# each worker takes a run of ceil(length / workers), so 9 samples on 4 workers are 3, 3, 3, 0; promised: "each worker
# about as many as the others: at most one more"
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
        share = -(-self.length // step)
        for index in range(first * share, min((first + 1) * share, self.length)):
            yield index, self._noise(index)
