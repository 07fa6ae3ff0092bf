# earns: solved lean
# norm and loss in one all_reduce of two numbers, states written into the local shards by chunk
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    optimizer.zero_grad()
    model.zero_grad()
    loss = mse_loss(model(x), y)
    loss.backward()
    gradients = [weight.grad.to_local() for weight in model.parameters() if weight.grad is not None]
    group = next(model.parameters()).device_mesh.get_group()
    sums = torch.zeros(2, dtype=torch.float64)
    sums[0] = loss.item()
    sums[1] = sum(float(gradient.double().square().sum()) for gradient in gradients)
    dist.all_reduce(sums, group=group)
    norm = float(sums[1].sqrt())
    if norm > max_norm:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    optimizer.step()
    return float(sums[0]) / dist.get_world_size(group)


def reshard(model: nn.Module) -> None:
    """Let go of rows that a forward pass has left gathered."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    reshard(model)
    state = {}
    for name, weight in model.named_parameters():
        whole = weight.detach().full_tensor()
        if dist.get_rank() == 0:
            state[name] = whole.clone()
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    reshard(model)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            mesh = weight.device_mesh
            rows = state[name].chunk(mesh.size(), dim=0)
            place = mesh.get_local_rank()
            if place < len(rows):
                weight.to_local().copy_(rows[place])
