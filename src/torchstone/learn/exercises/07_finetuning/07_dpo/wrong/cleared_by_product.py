# rejected by: steps_are_right: One step along the gradient of the loss alone
# old gradients are multiplied by 0, and an old inf remains; 'Gradients that were there before must not matter'
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    # The logits at place t are for the token at t + 1: the last ones are for nothing, and the first token has none.
    log_p = model(tokens)[:, :-1].float().log_softmax(-1)
    picked = log_p.gather(-1, tokens[:, 1:, None]).squeeze(-1)
    return picked.where(mask[:, 1:], 0.0).sum(-1)


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
    tokens = torch.cat([chosen[0], rejected[0]])
    mask = torch.cat([chosen[1], rejected[1]])
    with torch.no_grad():
        before = answer_log_probabilities(reference, tokens, mask)
    better, worse = (answer_log_probabilities(policy, tokens, mask) - before).chunk(2)
    margin = better - worse
    loss = -logsigmoid(beta * margin).mean()
    for one in policy.parameters():
        if one.grad is not None:
            one.grad.mul_(0)
    loss.backward()
    optimizer.step()
    return loss.item(), (margin > 0).float().mean().item()
