# rejected by: what_the_layer_gave_counts: The ReLU after the layer works in place and writes over what you kept
# "A: what layer gave": the tensor is kept without a copy, and a ReLU in place after the layer overwrites it (and its
# gradient is that behind the ReLU)
import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""

    caught: list[Tensor] = []
    handle = layer.register_forward_hook(lambda module, args, output: caught.append(output))
    try:
        with torch.enable_grad():
            logits = net(images.detach().clone().requires_grad_())
            score = logits.gather(1, targets[:, None]).sum()
            (gradient,) = torch.autograd.grad(score, caught[-1])
    finally:
        handle.remove()
    maps = caught[-1].detach()
    weights = gradient.mean((2, 3), keepdim=True)
    cam = (weights * maps).sum(1, keepdim=True).relu()
    cam = functional.interpolate(cam, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = cam.amax((1, 2), keepdim=True)
    return cam / torch.where(top > 0, top, 1.0)
