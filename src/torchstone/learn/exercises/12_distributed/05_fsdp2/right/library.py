# earns: solved lean
# fully_shard, clip_grad_norm_, full_tensor, distribute_tensor
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import distribute_tensor
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    model.zero_grad(set_to_none=True)
    loss = mse_loss(model(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    return (mean / dist.get_world_size()).item()


def put_away(model: nn.Module) -> None:
    """Let go of what a forward pass without a backward may have left gathered."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    put_away(model)
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.detach().full_tensor()
        if dist.get_rank() == 0:
            state[name] = whole.clone()
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    put_away(model)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            whole = state[name].detach().to(device=parameter.device, dtype=parameter.dtype)
            parameter.copy_(distribute_tensor(whole, parameter.device_mesh, parameter.placements))
