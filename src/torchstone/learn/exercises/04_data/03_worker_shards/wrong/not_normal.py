# rejected by: noise_is_normal: Mean 0 and variance 1 are not enough
# "a draw from the standard normal distribution": uniform between −√3 and √3 has mean 0 and variance 1, and is not
# normal
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
            yield index, float(np.random.default_rng([self.seed, index]).uniform(-(3**0.5), 3**0.5))
