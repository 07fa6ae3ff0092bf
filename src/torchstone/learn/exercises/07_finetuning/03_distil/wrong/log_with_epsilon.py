# rejected by: loss_is_right: share · T² · KL(p ‖ q) + (
# log(softmax + 1e-8) to avoid log 0; breaks 'logits of a few hundred': student (0, 400), teacher (400, 0), T = 1
# gives about 18 instead of 400
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = (teacher_logits.detach() / temperature).log_softmax(1)
    log_q = ((student_logits / temperature).softmax(1) + 1e-8).log()
    soft = (log_p.exp() * (log_p - log_q)).sum(1).mean()
    hard = -student_logits.log_softmax(1).gather(1, labels[:, None]).mean()
    return share * temperature**2 * soft + (1 - share) * hard


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    teacher.eval()
    student.train()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        optimizer.zero_grad()
        distillation_loss(student(inputs), opinion, labels, temperature, share).backward()
        optimizer.step()
