# rejected by: far_indices_do_not_overlap: A number made of seed and index meets itself somewhere
# (seed << 16) + index: (seed 0, index 65536) and (seed 1, index 0) share a noise; 'No two indices share a noise,
# and neither do two seeds'
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
            generator = np.random.default_rng((self.seed << 16) + index)
            yield index, float(generator.standard_normal())
