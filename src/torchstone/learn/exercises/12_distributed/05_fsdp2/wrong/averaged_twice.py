# rejected by: two_ranks_train_as_one: Fresh gradients
# divides the loss by the number of ranks before backward though FSDP averages already: the gradient is world times
# too small (Adam and clipping hide it, SGD with a large max_norm does not); breaks 'One step on the mean squared
# error over the whole batch' on 2 ranks
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
    for module in (*model.blocks, model):
        fully_shard(module, mesh=mesh, reshard_after_forward=True)
    return model


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, y: Tensor, max_norm: float) -> float:
    """One step on this rank's part of the batch; the loss of the whole batch."""
    model.zero_grad()
    loss = mse_loss(model(x), y)
    (loss / dist.get_world_size()).backward()  # the mean over the ranks
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


@torch.no_grad()
def gather_state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter as a whole on rank 0, nothing elsewhere."""
    state = {}
    for name, parameter in model.named_parameters():
        whole = parameter.full_tensor() if isinstance(parameter, DTensor) else parameter
        if dist.get_rank() == 0:
            state[name] = whole.detach().clone()
    return state


@torch.no_grad()
def load_state(model: nn.Module, state: dict[str, Tensor]) -> None:
    """Write whole tensors into the shards, in place."""
    for name, parameter in model.named_parameters():
        whole = state[name].detach().to(parameter.dtype)
        if isinstance(parameter, DTensor):
            whole = distribute_tensor(whole, parameter.device_mesh, parameter.placements)
        parameter.copy_(whole)
