# rejected by: log_probabilities_are_right: Nothing stands before place
# logits are rolled, so a mask that is true at place 0 takes the last logits for the first token; 'that place counts
# as nothing'
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, softplus

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens)
    costs = cross_entropy(logits.roll(1, 1).float().mT, tokens, reduction="none")
    return -costs.masked_fill(~mask, 0.0).sum(1)


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    reference = copy.deepcopy(model).eval()
    for parameter in reference.parameters():
        parameter.requires_grad_(False)
    return reference


def dpo_step(
    policy: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    chosen: Answers,
    rejected: Answers,
    beta: float,
) -> tuple[float, float]:
    """One step; the loss, and the share of pairs that are in the right order."""
    tokens, mask = (torch.cat(both) for both in zip(chosen, rejected, strict=True))
    with torch.no_grad():
        anchor = answer_log_probabilities(reference, tokens, mask)
    good, bad = (answer_log_probabilities(policy, tokens, mask) - anchor).chunk(2)
    margin = good - bad
    loss = softplus(-beta * margin).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), (margin > 0).double().mean().item()
