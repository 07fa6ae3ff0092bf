# earns: solved
# F.kl_div with log targets, and a step of its own function under inference_mode for the teacher
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    functional = nn.functional
    with torch.no_grad():
        target = functional.log_softmax(teacher_logits / temperature, dim=1)
    soft = functional.kl_div(
        functional.log_softmax(student_logits / temperature, dim=1), target, reduction="batchmean", log_target=True
    )
    return torch.lerp(functional.cross_entropy(student_logits, labels), soft * temperature**2, share)


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    student.train(True)
    teacher.train(False)

    def step(inputs: Tensor, labels: Tensor) -> None:
        student.zero_grad()
        optimizer.zero_grad()
        with torch.no_grad():
            advice = teacher(inputs).clone()
        distillation_loss(student(inputs), advice, labels, temperature, share).backward()
        optimizer.step()

    for pair in batches:
        step(*pair)
