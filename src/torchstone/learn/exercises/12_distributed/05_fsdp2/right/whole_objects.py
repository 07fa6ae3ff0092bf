# earns: solved lean
# clip_grads_with_norm_ after get_total_norm, losses by all_gather, the mesh's own group
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    for block in reversed(model.blocks):
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    model.zero_grad(set_to_none=True)
    loss = (model(x) - y).square().mean()
    loss.backward()
    parameters = list(model.parameters())
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    if isinstance(norm, DTensor):
        norm = norm.full_tensor()
    nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    optimizer.step()
    losses: list[float] = [0.0] * dist.get_world_size()
    dist.all_gather_object(losses, loss.item())
    return sum(losses) / len(losses)


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    for module in model.modules():
        if hasattr(module, "reshard"):
            module.reshard()
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.detach().full_tensor()
        if dist.get_rank() == 0:
            state[name] = torch.empty_like(whole).copy_(whole)
    return state


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    for module in model.modules():
        if hasattr(module, "reshard"):
            module.reshard()
    for name, parameter in model.named_parameters():
        rows = distribute_tensor(state[name].detach(), parameter.device_mesh, parameter.placements)
        parameter.detach().to_local().copy_(rows.to_local())
