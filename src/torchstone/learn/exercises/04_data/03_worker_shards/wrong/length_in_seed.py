# rejected by: noise_is_its_own: The noise of an index depends on the
# seed * length + index: the noise depends on the length, and different seeds share noise at different lengths
from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(worker, self.length, workers):
            generator = np.random.default_rng(self.seed * self.length + index)
            yield index, float(generator.standard_normal())
