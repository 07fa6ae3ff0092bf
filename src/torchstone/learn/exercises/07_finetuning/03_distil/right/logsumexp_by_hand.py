# earns: solved
# logsumexp and gather by hand, modes kept in a dictionary, gradients cleared with set_to_none
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def log_probabilities(logits: Tensor) -> Tensor:
    return logits - logits.logsumexp(dim=1, keepdim=True)


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    with torch.no_grad():
        log_p = log_probabilities(teacher_logits / temperature)
        p = log_p.exp()
    log_q = log_probabilities(student_logits / temperature)
    soft = (p * (log_p - log_q)).sum(1).mean()
    hard = -log_probabilities(student_logits).gather(1, labels[:, None]).mean()
    return share * temperature * temperature * soft + (1 - share) * hard


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    before = {name: module.training for name, module in teacher.named_modules()}
    teacher.eval()
    student.train()
    for inputs, labels in batches:
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            answers = teacher(inputs)
        distillation_loss(student(inputs), answers, labels, temperature, share).backward()
        optimizer.step()
    for name, module in teacher.named_modules():
        module.training = before[name]
