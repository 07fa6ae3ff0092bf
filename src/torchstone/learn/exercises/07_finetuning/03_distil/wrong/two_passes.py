# rejected by: steps_are_right: For each batch: forget the old gradients, one backward pass, one step. The
# goes through the batches twice, so a generator of batches gives no step; 'takes one step of the optimizer for each
# `(inputs, labels)` of `batches`'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = (teacher_logits.detach() / temperature).log_softmax(1)
    log_q = (student_logits / temperature).log_softmax(1)
    soft = functional.kl_div(log_q, log_p, reduction="batchmean", log_target=True)
    hard = functional.cross_entropy(student_logits, labels)
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
    student.train()
    teacher.eval()
    with torch.no_grad():
        opinions = [teacher(inputs) for inputs, _ in batches]
    for (inputs, labels), opinion in zip(batches, opinions):
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
