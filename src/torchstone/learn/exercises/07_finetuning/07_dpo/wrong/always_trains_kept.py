# rejected by: modes_stay: Dropout belongs to training
# the step puts the policy into train mode, though it may have been in eval mode
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    log_p = model(tokens)[:, :-1].float().log_softmax(-1)
    picked = log_p.gather(-1, tokens[:, 1:, None])[..., 0]
    return torch.where(mask[:, 1:], picked, 0).sum(1)


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
    policy.train()
    tokens = torch.cat([chosen[0], rejected[0]])
    mask = torch.cat([chosen[1], rejected[1]])
    with torch.no_grad():
        before = answer_log_probabilities(reference, tokens, mask)
    gained = answer_log_probabilities(policy, tokens, mask) - before
    good, bad = gained.chunk(2)
    margin = good - bad
    loss = -logsigmoid(beta * margin).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (margin > 0).float().mean().item()
