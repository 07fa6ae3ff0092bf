# rejected by: each_index_once: Something is None
# "it is None without workers": the id is asked of None
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
        for index in range(info.id, self.length, info.num_workers):
            yield index, float(np.random.default_rng([self.seed, index]).standard_normal())
