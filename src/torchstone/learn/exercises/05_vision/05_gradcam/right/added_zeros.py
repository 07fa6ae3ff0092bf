# earns: solved
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    found: dict[str, Tensor] = {}

    def hook(module: nn.Module, given: tuple, out: Tensor) -> Tensor:
        found["a"] = out.detach().clone()
        found["zeros"] = torch.zeros_like(found["a"], requires_grad=True)
        return out + found["zeros"]

    handle = layer.register_forward_hook(hook)
    try:
        with torch.enable_grad():
            logits = net(images)
    finally:
        handle.remove()
    pick = functional.one_hot(targets.long(), logits.shape[1]).to(logits.dtype)
    grads = torch.autograd.grad(logits, found["zeros"], grad_outputs=pick)[0]
    small = torch.einsum("nc,nchw->nhw", grads.flatten(2).mean(2), found["a"]).clamp(min=0)
    large = functional.interpolate(small[:, None], size=images.shape[-2:], mode="bilinear", align_corners=False)
    large = large.squeeze(1)
    return torch.nan_to_num(large / large.flatten(1).max(1).values[:, None, None], nan=0.0)
