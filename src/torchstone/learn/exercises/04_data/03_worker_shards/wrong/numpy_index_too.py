# rejected by: each_index_once: iterating yields
# "an int from 0 to length − 1": the index is a NumPy integer
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
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for index in np.arange(first, self.length, step):
            generator = np.random.default_rng([self.seed, index])
            yield index, float(generator.standard_normal())
