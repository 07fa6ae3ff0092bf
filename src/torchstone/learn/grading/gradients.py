"""Gradients of the learner's function against those of the reference, through a random direction of the result."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.utils._pytree import tree_leaves

from torchstone.learn.grading.answers import guard
from torchstone.learn.grading.checks import Failed, fail
from torchstone.learn.grading.comparing import CPU, Diagnosis, expect_close
from torchstone.learn.grading.keeping import clone
from torchstone.learn.grading.session import session
from torchstone.learn.verdicts import Failure

autograd = torch.autograd.grad
HALF = 0.5
LENT = "It belongs to others as well, in f(x) + z to z: make a new one, out of place."
SHARED = (
    "Another call came between this one and its backward pass: what a backward pass needs belongs to its own graph "
    "(ctx), and not in a place that all calls share."
)
CUT = "The graph was cut on the way: detach(), .data, .item(), no_grad(), torch.tensor(…) of a tensor all do that."


def expect_same_gradients(
    function: Any,
    reference: Callable[..., Any],
    *args: Any,
    wrt: Sequence[int] | None = None,
    teach: str | None = None,
    diagnose: Sequence[Diagnosis] = (),
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """d(result)/d(argument) for the floating-point arguments, or for those at the positions `wrt`.

    No gradient (None) passes where the reference's is zero all over: torch itself takes the one for the other. A
    result without any graph does not pass even there, because `backward()` on it raises.
    """
    positions = tuple(wrt) if wrt is not None else _floating(args)
    leaves = requiring_grad(clone(args, CPU), positions)
    expected_result = reference(*leaves)
    directions = [random_like(tensor) for tensor in differentiable(expected_result)]
    expected = autograd(
        differentiable(expected_result),
        [leaves[p] for p in positions],
        directions,
        allow_unused=True,
        materialize_grads=True,
    )
    own_leaves = requiring_grad(clone(args), positions)
    name = guard(function).__name__
    result = differentiable(guard(function)(*own_leaves))
    _expect_graph(result, directions, name)
    given = [direction.to(session.device, copy=True) for direction in directions]
    got = autograd(result, [own_leaves[p] for p in positions], given, allow_unused=True)
    if not all(torch.equal(one.cpu(), other) for one, other in zip(given, directions, strict=True)):
        fail(f"the backward of {name} changed the gradient that it was given", teach=LENT)
    for position, mine, theirs in zip(positions, got, expected, strict=True):
        what = f"the gradient of {name} in its argument {position + 1}"
        if mine is None and not theirs.any():
            continue
        if mine is None:
            fail(f"{what} is missing: the result does not depend on it", teach=teach or CUT)
        expect_close(mine, theirs, what=what, teach=teach, diagnose=diagnose, rtol=rtol, atol=atol, args=args)
    again = _gradients_after_another_call(guard(function), args, positions, directions)
    for position, later, theirs in zip(positions, again, expected, strict=True):
        what = f"the gradient of {name} in its argument {position + 1}, after another call,"
        expect_close(later, theirs, what=what, teach=SHARED, rtol=rtol, atol=atol)


def _gradients_after_another_call(
    function: Callable[..., Any], args: Sequence[Any], positions: Sequence[int], directions: Sequence[torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """The same gradients where a call with other numbers, whose graph lives as long, comes before the backward pass."""
    leaves = requiring_grad(clone(args), positions)
    result = differentiable(function(*leaves))
    others = [arg * HALF if place in positions else arg for place, arg in enumerate(clone(args))]
    other = function(*requiring_grad(others, positions))
    given = [direction.to(session.device, copy=True) for direction in directions]
    found = autograd(result, [leaves[p] for p in positions], given, allow_unused=True, materialize_grads=True)
    del other
    return found


def expect_gradcheck(function: Any, *args: Any, teach: str | None = None) -> None:
    """torch's own gradcheck: the gradient against finite differences, in float64 on the CPU."""
    leaves = requiring_grad(clone(args, CPU), _floating(args))
    doubles = tuple(_to_double(leaf) for leaf in leaves)
    try:
        gradcheck(guard(function), doubles)
    except GradcheckError as error:
        reason = str(error).strip().splitlines()[0]
        raise Failed(Failure(message=f"finite differences disagree with the gradient: {reason}", teach=teach)) from None


def requiring_grad(args: Sequence[Any], positions: Sequence[int]) -> tuple[Any, ...]:
    return tuple(arg.requires_grad_() if place in positions else arg for place, arg in enumerate(args))


def differentiable(result: Any) -> list[torch.Tensor]:
    """The tensors of a result that gradients can flow from."""
    tensors = (leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor))
    return [tensor for tensor in tensors if tensor.is_floating_point() or tensor.is_complex()]


def random_like(tensor: torch.Tensor) -> torch.Tensor:
    return torch.randn(tensor.shape, dtype=torch.float64).to(tensor.dtype)


def _floating(args: Sequence[Any]) -> tuple[int, ...]:
    return tuple(p for p, arg in enumerate(args) if isinstance(arg, torch.Tensor) and arg.is_floating_point())


def _to_double(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
        return leaf.detach().double().requires_grad_()
    return leaf


def _expect_graph(result: list[torch.Tensor], directions: list[torch.Tensor], name: str) -> None:
    shapes, wanted = [list(t.shape) for t in result], [list(t.shape) for t in directions]
    if shapes != wanted:
        fail(f"the result of {name} has the shape {shapes} and should have {wanted}")
    if not all(tensor.requires_grad for tensor in result):
        fail(f"the result of {name} has no gradient: its requires_grad is False", teach=CUT)
