# earns: solved
# KL as a cross entropy with soft targets minus the teacher's own entropy
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    p = functional.softmax(teacher_logits.detach() / temperature, dim=1)
    entropy = -torch.xlogy(p, p).sum(1).mean()
    soft = functional.cross_entropy(student_logits / temperature, p) - entropy
    hard = functional.nll_loss(functional.log_softmax(student_logits, dim=1), labels)
    return torch.lerp(hard, temperature**2 * soft, share)


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    modes = {module: module.training for module in teacher.modules()}
    student.train()
    teacher.eval()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for module, training in modes.items():
        module.training = training
