# rejected by: a_failing_net_keeps_no_hooks: remove() each hook, in a finally
# if the net raises an exception the hook is left behind
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Catch:
    """Adds a zero to what the layer gives, and can be asked for the gradient in that zero."""

    def __call__(self, module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        self.maps = output.detach().clone()
        self.shift = torch.zeros_like(self.maps).requires_grad_()
        return self.maps + self.shift


def _scaled(heat: Tensor) -> Tensor:
    top = heat.max()
    return heat / top if top > 0 else heat


@torch.enable_grad()
def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    catch = _Catch()
    handle = layer.register_forward_hook(catch)
    scores = net(images.detach().clone())
    handle.remove()
    seed = functional.one_hot(targets.long(), scores.shape[1]).to(scores.dtype)
    (gradient,) = torch.autograd.grad(scores, catch.shift, grad_outputs=seed)
    heat = torch.einsum("nc,nchw->nhw", gradient.flatten(2).mean(2), catch.maps).relu()
    heat = functional.interpolate(heat[:, None], images.shape[2:], mode="bilinear", align_corners=False).squeeze(1)
    return torch.stack([_scaled(one) for one in heat])
