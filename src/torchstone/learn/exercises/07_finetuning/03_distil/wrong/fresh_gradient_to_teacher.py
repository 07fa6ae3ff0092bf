# rejected by: only_the_student_gets_gradients: The teacher is what the student moves towards; it does not
# the loss is differentiable in the teacher's logits; 'No gradient reaches the teacher's logits'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = (teacher_logits / temperature).log_softmax(1)
    log_q = (student_logits / temperature).log_softmax(1)
    soft = (log_p.exp() * (log_p - log_q)).sum(1).mean()
    hard = nn.functional.cross_entropy(student_logits, labels)
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
    modes = [(module, module.training) for module in teacher.modules()]
    student.train()
    teacher.eval()
    try:
        for inputs, labels in batches:
            with torch.no_grad():
                opinion = teacher(inputs)
            optimizer.zero_grad()
            distillation_loss(student(inputs), opinion, labels, temperature, share).backward()
            optimizer.step()
    finally:
        for module, mode in modes:
            module.training = mode
