# earns: solved lean
# norm, clipping and loading by hand on the local rows
"""FSDP2: the shards are handled by hand: norms, gathering and loading on the local rows."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for part in [*model.blocks, model]:
        fully_shard(part, mesh=mesh, reshard_after_forward=True)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    for parameter in model.parameters():
        parameter.grad = None
    loss = (model(x) - y).square().mean()
    loss.backward()
    rows = [parameter.grad.to_local() for parameter in model.parameters() if parameter.grad is not None]
    numbers = torch.zeros(2, dtype=torch.float64)
    numbers[0] = loss.detach()
    numbers[1] = sum(float(gradient.double().square().sum()) for gradient in rows)
    dist.all_reduce(numbers)
    norm = float(numbers[1]) ** 0.5
    if norm > max_norm:
        for gradient in rows:
            gradient.mul_(max_norm / (norm + 1e-6))
    optimizer.step()
    return float(numbers[0]) / dist.get_world_size()


@torch.no_grad()
def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    state: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        everywhere = parameter.detach().redistribute(placements=[Replicate()]).to_local()
        if dist.get_rank() == 0:
            state[name] = torch.empty(parameter.shape, dtype=parameter.dtype).copy_(everywhere)
    return state


@torch.no_grad()
def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    rank, world = dist.get_rank(), dist.get_world_size()
    for name, parameter in model.named_parameters():
        assert isinstance(parameter, DTensor)
        pieces = state[name].detach().chunk(world, dim=parameter.placements[0].dim)
        local = parameter.to_local()
        if rank < len(pieces) and local.numel() > 0:
            local.copy_(pieces[rank])
