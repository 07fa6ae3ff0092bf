# rejected by: noise_is_its_own: Every pass gives the same
# "and in every pass": the generator lives in the dataset and goes on drawing in the second pass
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed
        self.generator = np.random.default_rng(seed)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        noise = self.generator.standard_normal(self.length)
        for index in range(worker, self.length, workers):
            yield index, float(noise[index])
