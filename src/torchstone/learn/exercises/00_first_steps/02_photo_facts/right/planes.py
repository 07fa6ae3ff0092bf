# earns: solved
# three planes, added as floats
import torch


def describe(photo):
    pixels = photo.float()
    return dict(
        mean=pixels.mean().item(),
        brightest=photo.flatten().max().item(),
        dtype=photo.dtype,
        width=photo.shape[1],
        height=photo.shape[0],
    )


def to_grey(photo):
    red, green, blue = photo.float().unbind(dim=-1)
    return (red + green + blue) / (3 * 255)
