# rejected by: old_gradients_are_gone: 0 times either is nan
# old gradients are multiplied by 0, so an old inf or nan remains; 'What stood in `.grad` before is gone'
import torch
from torch.nn.functional import cross_entropy


def accumulate(net, inputs, labels, part, limit):
    learning = [p for p in net.parameters() if p.requires_grad]
    for p in learning:
        if p.grad is not None:
            p.grad *= 0
    count = int((labels != -100).sum())
    loss = 0
    for begin in range(0, len(labels), part):
        piece = cross_entropy(net(inputs[begin : begin + part]), labels[begin : begin + part], reduction="sum") / count
        piece.backward()
        loss = loss + piece.detach()
    norm = torch.cat([p.grad.flatten() for p in learning]).norm()
    if norm > limit:
        for p in learning:
            p.grad *= limit / norm
    return loss, norm
