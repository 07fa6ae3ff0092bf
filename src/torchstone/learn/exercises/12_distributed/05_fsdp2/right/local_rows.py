# earns: solved lean
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate


def shard(model, mesh):
    [fully_shard(block, mesh=mesh) for block in model.blocks]
    fully_shard(model, mesh=mesh)
    return model


def train_step(model, optimizer, x, y, max_norm):
    for parameter in model.parameters():
        parameter.grad = None
    loss = nn.MSELoss()(model(x), y)
    loss.backward()
    grads = [p.grad.to_local() for p in model.parameters()]
    squares = sum((g.double() ** 2).sum() for g in grads)
    both = torch.stack([squares, loss.detach().double()])
    dist.all_reduce(both)
    norm = both[0].sqrt().item()
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    optimizer.step()
    return (both[1] / dist.get_world_size()).item()


def gather_state(model):
    whole = {
        name: p.redistribute(placements=[Replicate()]).to_local().detach().clone()
        for name, p in model.named_parameters()
    }
    return whole if dist.get_rank() == 0 else {}


def load_state(model, state):
    with torch.no_grad():
        for name, p in model.named_parameters():
            pieces = state[name].chunk(p.device_mesh.size())
            rank = p.device_mesh.get_local_rank()
            if rank < len(pieces):
                p.to_local().copy_(pieces[rank])
