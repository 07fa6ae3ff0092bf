# rejected by: teacher_only_gives_its_opinion: In train mode batch norm goes on collecting
# the teacher stays in the mode it came in, so its dropout is on and its statistics change
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
    student.train()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
