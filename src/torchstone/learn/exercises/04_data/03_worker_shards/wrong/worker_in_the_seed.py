# rejected by: noise_is_its_own: The noise of an index must not depend on the number of workers
# "the same with no worker, with 2 and with 5": each worker draws from a stream of its own
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
        generator = np.random.default_rng([self.seed, worker])
        for index in range(worker, self.length, workers):
            yield index, float(generator.standard_normal())
