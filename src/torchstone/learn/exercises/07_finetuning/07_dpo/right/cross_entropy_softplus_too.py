# earns: solved lean
# cross_entropy of each place, softplus for the loss, rows interleaved in pairs
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens)[:, :-1].to(torch.float32)
    surprise = functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    return -torch.where(mask[:, 1:], surprise, 0.0).sum(dim=1)


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    twin = copy.deepcopy(model)
    twin.train(False)
    for parameter in twin.parameters():
        parameter.requires_grad = False
    return twin


def dpo_step(
    policy: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    chosen: Answers,
    rejected: Answers,
    beta: float,
) -> tuple[float, float]:
    """One step; the loss, and the share of pairs that are in the right order."""
    optimizer.zero_grad(set_to_none=True)
    tokens, mask = (torch.stack(pair, 1).flatten(0, 1) for pair in zip(chosen, rejected))
    now = answer_log_probabilities(policy, tokens, mask).view(-1, 2)
    with torch.no_grad():
        then = answer_log_probabilities(reference, tokens, mask).view(-1, 2)
    margin = -(now - then).diff(dim=1).squeeze(1)
    loss = functional.softplus(-beta * margin).mean()
    loss.backward()
    share = (margin.detach() > 0).double().mean()
    optimizer.step()
    return float(loss.detach()), float(share)
