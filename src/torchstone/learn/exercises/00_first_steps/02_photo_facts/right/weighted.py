# earns: solved
# sizes one by one; grey by a sum over a divided photograph
import torch


def describe(photo):
    facts = {}
    facts["height"] = photo.size(0)
    facts["width"] = photo.size(1)
    facts["dtype"] = photo.dtype
    facts["brightest"] = int(photo.max())
    facts["mean"] = float(photo.double().mean())
    return facts


def to_grey(photo):
    scaled = photo / 255
    return scaled.sum(-1) / 3
