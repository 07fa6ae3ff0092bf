# rejected by: steps_are_right: For each batch: forget the old gradients, one
# the student's mode is set only if its own flag is off, so a part left in eval mode stays there
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = (teacher_logits.detach() / temperature).log_softmax(1)
    log_q = (student_logits / temperature).log_softmax(1)
    divergence = (log_p.exp() * (log_p - log_q)).sum(1).mean()
    hard = nn.functional.cross_entropy(student_logits, labels)
    return share * temperature**2 * divergence + (1 - share) * hard


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    if not student.training:
        student.train()
    teacher.eval()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
