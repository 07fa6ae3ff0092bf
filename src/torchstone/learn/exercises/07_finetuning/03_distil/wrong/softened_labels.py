# rejected by: loss_is_right: The cross entropy with the labels knows no temperature
# 'the cross entropy knows no temperature': it is computed from the softened logits
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    student_logits = student_logits / temperature
    log_q = student_logits.log_softmax(-1)
    log_p = (teacher_logits.detach() / temperature).log_softmax(-1)
    soft = (log_p.exp() * (log_p - log_q)).sum(-1).mean()
    return share * temperature**2 * soft + (1 - share) * functional.cross_entropy(student_logits, labels)


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    modes = [(module, module.training) for module in teacher.modules()]
    student.train()
    teacher.eval()
    try:
        for inputs, labels in batches:
            with torch.no_grad():
                opinion = teacher(inputs)
            loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    finally:
        for module, mode in modes:
            module.training = mode
