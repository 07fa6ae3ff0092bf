# earns: solved
# a counter-based generator keyed by both, contiguous shares with balanced borders
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
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        begin, end = worker * self.length // workers, (worker + 1) * self.length // workers
        for index in range(begin, end):
            generator = np.random.Generator(np.random.Philox(key=np.array([self.seed, index], dtype=np.uint64)))
            yield index, float(generator.standard_normal())
