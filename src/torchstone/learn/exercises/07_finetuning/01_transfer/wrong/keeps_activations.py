# rejected by: frozen_part_keeps_nothing: Parameters that require grad make autograd keep their inputs
# 'the frozen part keeps no activations for a backward pass that it will never have': modes are right but the body
# still requires gradients, only the optimizer does not get them
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    own = model.state_dict()
    fitting = {}
    for key, tensor in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
                break
        if key in own and own[key].shape == tensor.shape:
            fitting[key] = tensor
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval()
    part = model.get_submodule(head)
    part.train()
    parameters = list(part.parameters())
    for parameter in parameters:
        parameter.requires_grad_(True)
    return parameters
