"""One process among several: its share of each batch, and what all of them agree on.

Every process knows the whole order of the epoch and takes each size-th image of a batch. The loss is divided by the
whole batch, so the gradients' average is that of one process with the whole batch, however unequal the shares are. A
process whose share is empty still computes one image, with no weight, because the others wait for its gradients.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar, cast

import torch
import torch.distributed as distributed
from torch import Tensor, nn

from torchstone.errors import UserError

Content = TypeVar("Content")
TIMEOUT_S = 60.0
"""How long a process waits for the others before it ends with an error; a stopped machine must not stop all for ever.
TORCHSTONE_TEAM_TIMEOUT changes it."""
TIMEOUT_VARIABLE = "TORCHSTONE_TEAM_TIMEOUT"


@dataclass(frozen=True)
class Team:
    """Alone by default."""

    rank: int = 0
    size: int = 1
    device_id: str = "cpu"

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def share(self, rows: Tensor) -> tuple[Tensor, float]:
        """My rows of a batch, and the weight of each in the loss."""
        mine = rows[self.rank :: self.size]
        return (mine, 1.0) if len(mine) else (rows[:1], 0.0)

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model that averages gradients with the others."""
        if self.size == 1:
            return model
        from torch.nn.parallel import DistributedDataParallel

        # The statistics of batch norm are frozen, so there are no buffers to send around.
        return DistributedDataParallel(model, broadcast_buffers=False, gradient_as_bucket_view=True)

    def sum(self, values: Tensor) -> Tensor:
        """Over all processes."""
        if self.size > 1:
            distributed.all_reduce(values)
        return values

    def follow_the_lead(self, decision: int) -> int:
        """What the first process decided."""
        if self.size == 1:
            return decision
        told = torch.tensor([decision], device=self.device_id)
        distributed.broadcast(told, src=0)
        return int(told.item())

    def from_lead(self, make: Callable[[], Content]) -> Content:
        """What the first process made; only its machine need hold the file that it reads."""
        if self.size == 1:
            return make()
        told = [make() if self.leads else None]
        distributed.broadcast_object_list(told, src=0, device=torch.device(self.device_id))
        return cast(Content, told[0])


@contextmanager
def joined(device_kind: str) -> Iterator[Team]:
    """The team that `torchrun` describes in the environment; alone where there is none."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device_id = device_kind if device_kind in ("cpu", "mps") else f"{device_kind}:{local_rank}"
    if size == 1:
        yield Team(device_id=device_id if device_kind == "cpu" else device_kind)
        return
    backend = _backend_for(device_kind)
    timeout = timedelta(seconds=float(os.environ.get(TIMEOUT_VARIABLE, TIMEOUT_S)))
    distributed.init_process_group(backend, timeout=timeout)
    try:
        yield Team(distributed.get_rank(), size, device_id)
    finally:
        distributed.destroy_process_group()


def _backend_for(device_kind: str) -> str:
    """gloo for the CPU, nccl for CUDA, xccl for XPU, and what an out-of-tree device has registered."""
    if not distributed.is_available():
        raise UserError("this torch is built without torch.distributed", "train in one process: leave --processes out")
    backend = distributed.get_default_backend_for_device(device_kind)
    if backend is None or not distributed.is_backend_available(backend):
        raise UserError(
            f"torch.distributed has no backend for {device_kind}", "train in one process: leave --processes out"
        )
    return backend
