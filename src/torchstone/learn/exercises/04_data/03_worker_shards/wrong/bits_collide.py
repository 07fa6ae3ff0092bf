# rejected by: far_indices_do_not_overlap: A number made of seed and index meets itself somewhere: give the
# indices from 65,536 on share the noise of others (seed 1, indices 0 and 65536); 'No two indices share a noise, and
# neither do two seeds'
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
        for index in range(worker, self.length, workers):
            generator = np.random.default_rng((self.seed << 16) | index)
            yield index, float(generator.standard_normal())
