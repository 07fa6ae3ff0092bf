# earns: solved lean
# cross_entropy with an ignored label for the log-probabilities, softplus for the loss
"""Direct preference optimization of a causal language model."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

Answers = tuple[Tensor, Tensor]
"""Tokens (n, T), and where the answers are."""


def answer_log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    """(n,): the log-probability of each answer, given its question."""
    logits = model(tokens).to(torch.float32)
    labels = torch.where(mask, tokens, -100)
    labels = functional.pad(labels[:, 1:], (0, 1), value=-100)
    surprise = functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="none")
    return -surprise.sum(dim=1)


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
    n = len(chosen[0])
    both = torch.vstack((chosen[0], rejected[0])), torch.vstack((chosen[1], rejected[1]))
    optimizer.zero_grad(set_to_none=True)
    gain = answer_log_probabilities(policy, *both)
    with torch.inference_mode():
        start = answer_log_probabilities(reference, *both)
    gain = gain - start.clone()
    margin = gain[:n] - gain[n:]
    loss = functional.softplus(-beta * margin).mean()
    loss.backward()
    optimizer.step()
    return loss.item(), int(margin.gt(0).sum()) / n
