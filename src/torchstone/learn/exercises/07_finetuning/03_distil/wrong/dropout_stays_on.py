# rejected by: teacher_only_gives_its_opinion: teacher.eval() reaches all
# only the teacher's batch norms go to eval mode, its dropout stays on; 'the teacher only gives its opinion, as it
# would in use'
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    log_p = nn.functional.log_softmax(teacher_logits.detach() / temperature, dim=1)
    log_q = nn.functional.log_softmax(student_logits / temperature, dim=1)
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
    for module in teacher.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.eval()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for module, mode in modes:
        module.training = mode
