# earns: solved lean
# the norm and the loading by hand, on the rows of this rank
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh, reshard_after_forward=True)
    return fully_shard(model, mesh=mesh, reshard_after_forward=True)


def _sum(number: float) -> float:
    total = torch.tensor(number, dtype=torch.float64)
    dist.all_reduce(total)
    return total.item()


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    for parameter in model.parameters():
        parameter.grad = None
    error = model(x) - y
    loss = error.square().mean()
    loss.backward()
    shards = [parameter.grad.to_local() for parameter in model.parameters() if parameter.grad is not None]
    norm = _sum(sum(float(part.double().square().sum()) for part in shards)) ** 0.5
    if norm > max_norm:
        for part in shards:
            part.mul_(max_norm / norm)
    optimizer.step()
    return _sum(loss.item()) / dist.get_world_size()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    model.reshard()
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.detach().full_tensor()
        if dist.get_rank() == 0:
            state[name] = torch.empty_like(whole).copy_(whole)
        del whole
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    model.reshard()
    rank, world = dist.get_rank(), dist.get_world_size()
    for name, parameter in model.named_parameters():
        rows = -(-len(state[name]) // world)
        with torch.no_grad():
            parameter.to_local().copy_(state[name][rank * rows : (rank + 1) * rows])
