# earns: solved
# the divergence as cross-entropy with soft targets minus the entropy, labels by gather
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    with torch.no_grad():
        p = torch.softmax(teacher_logits / temperature, dim=-1)
        log_p = torch.log_softmax(teacher_logits / temperature, dim=-1)
        negative_entropy = torch.linalg.vecdot(p, log_p)
    crossed = nn.functional.cross_entropy(student_logits / temperature, p, reduction="none")
    soft = (negative_entropy + crossed).mean()
    picked = student_logits.log_softmax(-1).gather(1, labels.unsqueeze(1))
    return soft * (share * temperature * temperature) - picked.mean() * (1 - share)


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
        teacher.train(False)
        student.train(True)
        with torch.no_grad():
            asked = teacher(inputs)
        optimizer.zero_grad(set_to_none=True)
        distillation_loss(student(inputs), asked, labels, temperature, share).backward()
        optimizer.step()
