# rejected by: shares_are_equal: Equal shares
# "each worker about as many as the others: at most one more": pieces of ⌈length / workers⌉ leave little or nothing
# for the last worker
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
        share = -(-self.length // workers)
        for index in range(worker * share, min((worker + 1) * share, self.length)):
            generator = np.random.default_rng([self.seed, index])
            yield index, float(generator.standard_normal())
