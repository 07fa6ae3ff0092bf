# rejected by: log_probabilities_are_right: Nothing stands before place
# rolls tokens and mask by one, so that place 0 comes to the end; breaks 'A mask that is true at place 0 ... counts
# as nothing'
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens).float()
    wanted = tokens.masked_fill(~mask, -100).roll(-1, 1)
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
