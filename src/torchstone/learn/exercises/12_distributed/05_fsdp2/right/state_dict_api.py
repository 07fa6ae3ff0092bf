# earns: solved lean
import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    set_model_state_dict,
)
from torch.distributed.fsdp import fully_shard


def shard(model, mesh):
    for module in reversed(list(model.modules())):
        if module in list(model.blocks) or module is model:
            fully_shard(module, mesh=mesh, reshard_after_forward=True)
    return model


def train_step(model, optimizer, x, y, max_norm):
    optimizer.zero_grad(set_to_none=False)
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    total = torch.nn.utils.get_total_norm([p.grad for p in model.parameters()]).full_tensor()
    torch.nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, total)
    optimizer.step()
    losses = [torch.zeros(()) for _ in range(dist.get_world_size())]
    dist.all_gather(losses, loss.detach())
    return torch.stack(losses).mean().item()


def gather_state(model):
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    return {name: state[name] for name, _ in model.named_parameters() if name in state}


def load_state(model, state):
    set_model_state_dict(model, dict(state), options=StateDictOptions(full_state_dict=True))
