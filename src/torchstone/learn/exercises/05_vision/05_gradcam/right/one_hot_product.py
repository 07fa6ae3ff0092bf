# earns: solved
# scores picked by a one-hot product; image by image for the scaling
import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""

    seen: dict[str, Tensor] = {}

    def take(module: nn.Module, args: tuple, output: Tensor) -> Tensor:
        leaf = output.detach().clone()
        leaf.requires_grad_(True)
        seen["A"] = leaf
        return leaf * 1

    handle = layer.register_forward_hook(take)
    try:
        with torch.set_grad_enabled(True):
            logits = net(images.detach())
            wanted = functional.one_hot(targets, logits.shape[1]).to(logits.dtype)
            grads = torch.autograd.grad([(logits * wanted).sum()], [seen["A"]])[0]
    finally:
        handle.remove()
    result = []
    for a, g in zip(seen["A"].detach(), grads):
        cam = (a * g.mean(dim=(1, 2))[:, None, None]).sum(0)
        cam = torch.maximum(cam, torch.zeros_like(cam))
        cam = functional.interpolate(cam[None, None], images.shape[2:], mode="bilinear", align_corners=False)[0, 0]
        peak = float(cam.max())
        result.append(cam / cam.max() if peak > 0 else cam)
    return torch.stack(result)
