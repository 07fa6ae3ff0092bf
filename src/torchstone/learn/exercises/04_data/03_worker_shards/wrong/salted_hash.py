# rejected by: works_with_spawned_workers: Two spawned workers must give what one process gives
# "the same with no worker, with 2 and with 5": hash() of a string is salted anew in every spawned process
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
            yield index, float(np.random.default_rng(hash(f"{self.seed}/{index}") % 2**63).standard_normal())
