# earns: solved lean
from copy import deepcopy

import torch


def answer_log_probabilities(model, tokens, mask):
    n, length = tokens.shape
    logits = model(tokens).float()
    row = torch.arange(n, device=tokens.device)[:, None]
    place = torch.arange(length - 1, device=tokens.device)[None]
    chosen = logits[row, place, tokens[:, 1:]] - logits[:, :-1].logsumexp(-1)
    return torch.where(mask[:, 1:], chosen, torch.zeros_like(chosen)).sum(1)


def make_reference(model):
    copied = deepcopy(model)
    copied.requires_grad_(False)
    return copied.eval()


def dpo_step(policy, reference, optimizer, chosen, rejected, beta):
    tokens = torch.stack([chosen[0], rejected[0]])
    mask = torch.stack([chosen[1], rejected[1]])
    flat, flat_mask = tokens.flatten(0, 1), mask.flatten(0, 1)
    with torch.no_grad():
        base = answer_log_probabilities(reference, flat, flat_mask)
    gain = (answer_log_probabilities(policy, flat, flat_mask) - base).view(2, -1)
    margin = gain[0] - gain[1]
    loss = -torch.nn.functional.logsigmoid(margin * beta).mean()
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = None
    loss.backward()
    optimizer.step()
    return loss.item(), margin.gt(0).float().mean().item()
