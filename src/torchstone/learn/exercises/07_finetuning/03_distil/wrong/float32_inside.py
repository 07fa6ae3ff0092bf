# rejected by: loss_is_right: share · T² · KL(p ‖ q) + (1 − share) · cross entropy, each a mean over the
# the loss is computed in float32 whatever the logits are; 'returns one number, `share · T² · KL(p ‖ q)'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    wanted = functional.log_softmax(teacher_logits.detach().float() / temperature, dim=-1)
    found = functional.log_softmax(student_logits.float() / temperature, dim=-1)
    # kl_div takes its arguments the other way round than KL(p ‖ q) is written; "mean" would divide by classes as well.
    softened = functional.kl_div(found, wanted, reduction="batchmean", log_target=True)
    hard = functional.cross_entropy(student_logits, labels)
    return (share * temperature**2 * softened + (1 - share) * hard).to(student_logits.dtype)


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
        optimizer.zero_grad()
        distillation_loss(student(inputs), opinion, labels, temperature, share).backward()
        optimizer.step()
