# earns: solved lean
# the norm from local squares, and the shards of a state by chunk
"""FSDP2: a model whose parameters are spread over the ranks, trained as if it were whole."""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.functional import mse_loss


def shard(model: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Spread the parameters over the mesh, block by block."""
    groups = [*model.blocks, model]
    for group in groups:
        fully_shard(group, mesh=mesh)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    for parameter in model.parameters():
        parameter.grad = None
    loss = mse_loss(model(x), y)
    loss.backward()
    grads = [parameter.grad.to_local() for parameter in model.parameters() if parameter.grad is not None]
    numbers = torch.zeros(2)
    numbers[0] = loss.detach()
    numbers[1] = sum(grad.square().sum() for grad in grads)
    dist.all_reduce(numbers)
    norm = numbers[1].sqrt()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    optimizer.step()
    return numbers[0].item() / dist.get_world_size()


def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    first = dist.get_rank() == 0
    wholes = ((name, parameter.detach().full_tensor()) for name, parameter in model.named_parameters())
    return {name: whole.clone() for name, whole in wholes if first}


def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            assert isinstance(parameter, DTensor)
            mesh = parameter.device_mesh
            chunks = state[name].chunk(mesh.size(), dim=0)
            if mesh.get_local_rank() < len(chunks):
                parameter.to_local().copy_(chunks[mesh.get_local_rank()])
