# rejected by: seeds_do_not_overlap: No two seeds may share a noise
# "neither do two seeds": seed and index are multiplied together, so (2, 3) and (3, 2) share a noise, and all of index
# 0
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
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        for index in range(worker, self.length, workers):
            yield index, float(np.random.default_rng((self.seed + 1) * (index + 1)).standard_normal())
