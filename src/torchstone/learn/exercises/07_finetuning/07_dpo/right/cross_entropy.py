# earns: solved lean
import copy

import torch
import torch.nn.functional as F


def answer_log_probabilities(model, tokens, mask):
    logits = model(tokens)[:, :-1].to(torch.float32)
    losses = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    return -losses.masked_fill(~mask[:, 1:], 0).sum(dim=1)


def make_reference(model):
    twin = copy.deepcopy(model)
    twin.eval()
    for p in twin.parameters():
        p.requires_grad = False
    return twin


def dpo_step(policy, reference, optimizer, chosen, rejected, beta):
    n = chosen[0].shape[0]
    tokens, mask = (torch.cat(both, dim=0) for both in zip(chosen, rejected))
    optimizer.zero_grad(set_to_none=True)
    ours = answer_log_probabilities(policy, tokens, mask)
    with torch.inference_mode():
        theirs = answer_log_probabilities(reference, tokens, mask)
    ratio = ours - theirs.clone()
    margin = ratio[:n] - ratio[n:]
    loss = F.softplus(-beta * margin).mean()
    loss.backward()
    optimizer.step()
    return float(loss.detach()), float((margin.detach() > 0).double().mean())
