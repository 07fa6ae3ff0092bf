# rejected by: optimizers_share_nothing: What an optimizer keeps is its own
# m, v and t live in the class, so a second optimizer for the same parameters goes on with the first one's; 'each
# optimizer counts for itself, and its m and v begin at 0'
import math

import torch


def learning_rate(step, peak, warmup, total, floor=0.0):
    if step < warmup:
        return peak / warmup * (step + 1)
    if step >= total:
        return floor
    return floor + (peak - floor) * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


class AdamW:
    memory = {}

    def __init__(self, parameters, rate=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
        self.parameters = list(parameters)
        self.rate, self.betas, self.eps, self.decay = rate, betas, eps, decay

    @torch.no_grad()
    def step(self):
        b1, b2 = self.betas
        for p in self.parameters:
            if p.grad is None:
                continue
            if p not in self.memory:
                self.memory[p] = [0, torch.zeros_like(p), torch.zeros_like(p)]
            entry = self.memory[p]
            entry[0] += 1
            t, m, v = entry
            p.mul_(1 - self.rate * self.decay)
            m.mul_(b1).add_(p.grad, alpha=1 - b1)
            v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
            p.addcdiv_(m, v.div(1 - b2**t).sqrt_().add_(self.eps), value=-self.rate / (1 - b1**t))

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None
