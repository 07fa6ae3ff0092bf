# rejected by: steps_are_right or no_preference_is_not_above_zero
# counts the pairs in which the policy finds the chosen more likely, without the reference; breaks 'the share of
# pairs whose margin is above 0' (a policy equal to its reference: all margins 0)
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
    mine = answer_log_probabilities(policy, tokens, mask)
    gain = mine - frozen
    margin = gain[:pairs] - gain[pairs:]
    optimizer.zero_grad(set_to_none=True)
    loss = -logsigmoid(beta * margin).mean()
    loss.backward()
    share = float((mine[:pairs] > mine[pairs:]).sum()) / pairs
    optimizer.step()
    return float(loss.detach()), share
