# rejected by: two_ranks_train_as_one: Fresh gradients
# "What an earlier backward left in `.grad` must not matter": old gradients count in the first step, since they are
# forgotten only afterwards
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
    return fully_shard(model, mesh=mesh, reshard_after_forward=True)


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    loss = mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    total = loss.detach().clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.detach()
        if isinstance(whole, DTensor):
            whole = whole.full_tensor()
        if dist.get_rank() == 0:
            state[name] = whole.clone()
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(
                distribute_tensor(state[name].detach().clone(), parameter.device_mesh, parameter.placements)
            )
