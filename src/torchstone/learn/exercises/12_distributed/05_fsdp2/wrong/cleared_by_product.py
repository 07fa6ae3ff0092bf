# rejected by: two_ranks_train_as_one: Fresh gradients
# old gradients are multiplied by 0, and an old inf remains; 'What an earlier backward left in `.grad` must not matter'
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    # The root last: it takes what no block has taken.
    return fully_shard(model, mesh=mesh)


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    with torch.no_grad():
        for one in model.parameters():
            if one.grad is not None:
                one.grad.mul_(0)
    loss = mse_loss(model(x), y)
    loss.backward()
    # Gradients are DTensors here: their norm is summed over the ranks by itself.
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    # Parts of one size: the mean of their means is the mean of all.
    total = loss.detach().clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    # full_tensor is a collective: each rank calls it for each parameter, whoever needs the result.
    state = {}
    for name, parameter in model.named_parameters():
        full = parameter.detach().full_tensor()
        if dist.get_rank() == 0:
            state[name] = full.clone()
    return state


@torch.no_grad()
def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    for name, parameter in model.named_parameters():
        assert isinstance(parameter, DTensor)
        parameter.copy_(distribute_tensor(state[name], parameter.device_mesh, parameter.placements))
