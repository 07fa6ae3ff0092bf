# rejected by: two_ranks_train_as_one: Fresh gradients, clipped by the norm over all of them on all
# gradients are forgotten after the step only; 'What an earlier backward left in `.grad` must not matter'
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import distribute_tensor
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    loss = mse_loss(model(x), y)
    loss.backward()
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    with torch.no_grad():
        squares = torch.stack([one.to_local().square().sum() for one in gradients]).sum()
        dist.all_reduce(squares)
        factor = min(1.0, max_norm / (squares.sqrt().item() + 1e-6))
        for one in gradients:
            one.mul_(factor)
        mean = loss.detach() / dist.get_world_size()
        dist.all_reduce(mean)
    optimizer.step()
    model.zero_grad()
    return mean.item()


@torch.no_grad()
def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.full_tensor()
        if dist.get_rank() == 0:
            state[name] = whole.detach().clone()
    return state


@torch.no_grad()
def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    for name, parameter in model.named_parameters():
        parameter.copy_(distribute_tensor(state[name].detach().clone(), parameter.device_mesh, parameter.placements))
