# earns: solved lean
# picked logit minus logsumexp, signs instead of chunks
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens).to(torch.float32)[:, :-1, :]
    picked = torch.take_along_dim(logits, tokens[:, 1:, None], dim=2).squeeze(2)
    log_p = picked - logits.logsumexp(2)
    return torch.where(mask[:, 1:], log_p, log_p.new_zeros(())).sum(1)


def make_reference(model: nn.Module) -> nn.Module:
    """A frozen copy."""
    twin = copy.deepcopy(model)
    twin.train(False)
    for parameter in twin.parameters():
        parameter.requires_grad = False
        parameter.grad = None
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
    pairs = len(chosen[0])
    tokens = torch.cat([chosen[0], rejected[0]])
    mask = torch.cat([chosen[1], rejected[1]])
    with torch.no_grad():
        frozen = answer_log_probabilities(reference, tokens, mask)
    gain = answer_log_probabilities(policy, tokens, mask) - frozen
    margin = gain[:pairs] - gain[pairs:]
    optimizer.zero_grad(set_to_none=True)
    loss = -logsigmoid(beta * margin).mean()
    loss.backward()
    share = float((margin.detach() > 0).sum()) / pairs
    optimizer.step()
    return float(loss.detach()), share
