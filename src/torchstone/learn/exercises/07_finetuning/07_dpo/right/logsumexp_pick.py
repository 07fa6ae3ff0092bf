# earns: solved lean
# the picked logit less logsumexp, a sign vector for chosen and rejected
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens).narrow(1, 0, tokens.shape[1] - 1).float()
    picked = logits.take_along_dim(tokens[:, 1:].unsqueeze(-1), dim=-1)[..., 0] - logits.logsumexp(-1)
    return torch.where(mask[:, 1:].bool(), picked, torch.zeros_like(picked)).sum(-1)


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    return copy.deepcopy(model).eval().requires_grad_(False)


def dpo_step(
    policy: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    chosen: Answers,
    rejected: Answers,
    beta: float,
) -> tuple[float, float]:
    """One step; the loss, and the share of pairs that are in the right order."""
    tokens, mask = torch.cat([chosen[0], rejected[0]]), torch.cat([chosen[1], rejected[1]])
    with torch.no_grad():
        before = answer_log_probabilities(reference, tokens, mask)
    gain = answer_log_probabilities(policy, tokens, mask) - before
    margin = gain.unflatten(0, (2, -1)).mul(torch.tensor([[1.0], [-1.0]], device=gain.device)).sum(0)
    loss = -logsigmoid(beta * margin).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), torch.count_nonzero(margin > 0).item() / margin.numel()
