# earns: solved lean
# cross_entropy that ignores all but the answer, logaddexp for the loss
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens).to(torch.float32)[:, :-1]
    targets = torch.where(mask, tokens, -100)[:, 1:]
    surprise = cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=-100)
    return surprise.sum(1).neg()


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    frozen = copy.deepcopy(model)
    frozen.train(False)
    for parameter in frozen.parameters():
        parameter.requires_grad = False
    return frozen


def dpo_step(
    policy: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    chosen: Answers,
    rejected: Answers,
    beta: float,
) -> tuple[float, float]:
    """One step; the loss, and the share of pairs that are in the right order."""
    tokens = torch.cat([chosen[0], rejected[0]])
    mask = torch.cat([chosen[1], rejected[1]])
    with torch.no_grad():
        before = answer_log_probabilities(reference, tokens, mask)
    good, bad = (answer_log_probabilities(policy, tokens, mask) - before).chunk(2)
    margin = good - bad
    loss = torch.logaddexp(torch.zeros_like(margin), -beta * margin).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (margin > 0).float().mean().item()
