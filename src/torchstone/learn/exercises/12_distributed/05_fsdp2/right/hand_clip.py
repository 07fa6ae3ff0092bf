# earns: solved lean
# the norm and the factor by hand over local rows, rows cut by chunk, gathering by redistribute
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for module in [*model.blocks, model]:
        fully_shard(module, mesh=mesh, reshard_after_forward=True)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    for parameter in model.parameters():
        parameter.grad = None
    loss = mse_loss(model(x), y)
    loss.backward()
    rows = [parameter.grad.to_local() for parameter in model.parameters() if parameter.grad is not None]
    numbers = torch.zeros(2, dtype=torch.float64)
    numbers[0] = loss.item()
    numbers[1] = sum(row.double().square().sum().item() for row in rows)
    dist.all_reduce(numbers)
    norm = numbers[1].sqrt().item()
    if norm > max_norm:
        for row in rows:
            row.mul_(max_norm / norm)
    optimizer.step()
    return numbers[0].item() / dist.get_world_size()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    first = dist.get_rank() == 0
    state: dict[str, Tensor] = {}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            whole = parameter.redistribute(placements=[Replicate()]).to_local()
            if first:
                state[name] = whole.detach().clone()
            del whole
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            mesh = parameter.device_mesh
            pieces = state[name].chunk(mesh.size(), dim=parameter.placements[0].dim)
            rank = mesh.get_local_rank()
            if rank < len(pieces):
                parameter.to_local().copy_(pieces[rank])
