# earns: solved lean
# cross-entropy at the answer's places only, index_add; softplus for the loss
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    asked = mask.clone()
    asked[:, 0] = False
    rows, places = asked.nonzero(as_tuple=True)
    logits = model(tokens)[rows, places - 1].to(torch.float32)  # only those that matter
    surprise = functional.cross_entropy(logits, tokens[rows, places], reduction="none")
    return torch.zeros(len(tokens), device=tokens.device).index_add(0, rows, -surprise)


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    still = copy.deepcopy(model)
    still.train(False)
    for parameter in still.parameters():
        parameter.requires_grad = False
        parameter.grad = None
    return still


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
    both = [torch.stack(pair).flatten(0, 1) for pair in zip(chosen, rejected)]
    with torch.no_grad():
        known = answer_log_probabilities(reference, *both).unflatten(0, (2, -1))
    now = answer_log_probabilities(policy, *both).unflatten(0, (2, -1))
    margin = (now[0] - known[0]) - (now[1] - known[1])
    loss = functional.softplus(-beta * margin).mean()
    loss.backward()
    optimizer.step()
    return float(loss.detach()), int((margin > 0).sum()) / len(margin)
