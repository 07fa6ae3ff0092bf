# rejected by: steps_are_right: forget the old gradients
# old gradients are multiplied by 0, and an old inf remains; 'gradients that it had before must not matter'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    wanted = functional.log_softmax(teacher_logits.detach() / temperature, dim=-1)
    found = functional.log_softmax(student_logits / temperature, dim=-1)
    # kl_div takes its arguments the other way round than KL(p ‖ q) is written; "mean" would divide by classes as well.
    softened = functional.kl_div(found, wanted, reduction="batchmean", log_target=True)
    hard = functional.cross_entropy(student_logits, labels)
    return share * temperature**2 * softened + (1 - share) * hard


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
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        for one in student.parameters():
            if one.grad is not None:
                one.grad.mul_(0)
        distillation_loss(student(inputs), opinion, labels, temperature, share).backward()
        optimizer.step()
