# earns: solved lean
# cross entropy with ignored places, one call for both halves
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens)[:, :-1].float()
    wanted = tokens[:, 1:].masked_fill(~mask[:, 1:], -100)
    costs = functional.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=-100, reduction="none")
    return -costs.sum(1)


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
    tokens, mask = (torch.cat(both) for both in zip(chosen, rejected))
    with torch.no_grad():
        before = answer_log_probabilities(reference, tokens, mask)
    better, worse = (answer_log_probabilities(policy, tokens, mask) - before).chunk(2)
    margin = better - worse
    loss = functional.softplus(-beta * margin).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (margin > 0).double().mean().item()
