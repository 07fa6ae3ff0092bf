# rejected by: huge_logits_are_right or loss_is_right
# the student's log q is held at −27.6, and its gradient lost, for logits of hundreds; 'Keep an eye on logits of a few
# hundred: log(softmax(x)) is not what you want'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = nn.functional.log_softmax(teacher_logits.detach() / temperature, dim=1)
    log_q = (nn.functional.softmax(student_logits / temperature, dim=1) + 1e-12).log()
    soft = nn.functional.kl_div(log_q, log_p, log_target=True, reduction="batchmean")
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
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for module, mode in modes:
        module.training = mode
