"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    log_p = model(tokens).log_softmax(-1)
    # TODO: which logits are for which token? Pick, mask, add up
    return log_p.sum((-1, -2))


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    # TODO
    return model


def dpo_step(
    policy: nn.Module,
    reference: nn.Module,
    optimizer: torch.optim.Optimizer,
    chosen: Answers,
    rejected: Answers,
    beta: float,
) -> tuple[float, float]:
    """One step; the loss, and the share of pairs that are in the right order."""
    # TODO
    raise NotImplementedError("dpo_step")
