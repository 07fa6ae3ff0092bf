"""Sentences for mistakes that can be recognised without knowing the exercise."""

import math
import re

import torch

BROADCAST = (
    "Two shapes did not broadcast as meant: line them up from the right, and put a length-1 axis (x[:, None]) where "
    "one of them has to be stretched."
)
ERRORS: tuple[tuple[str, str], ...] = (
    (
        r"size of tensor a .* must match the size of tensor b|not broadcastable|must match the existing size",
        "Shapes broadcast from the right: each pair of lengths must be equal, or one of them 1.",
    ),
    (
        r"mat1 and mat2 shapes cannot be multiplied|must be a matrix|size mismatch.*mat",
        "A matrix product needs (n×k) @ (k×m): one of the two probably wants a transpose (.mT).",
    ),
    (
        r"expected (scalar type|m1 and m2|.*same dtype)|must have the same dtype|Promotion.*not supported|"
        r"expected .*Float but (found|got)",
        "Two dtypes meet in one operation: print both, and make new tensors with x.new_zeros(…) or dtype=x.dtype.",
    ),
    (
        r"same device|on different devices|found at least two devices",
        "A tensor was made on another device: build it from its neighbour (x.new_zeros(…), torch.arange(…, "
        "device=x.device)).",
    ),
    (
        r"modified by an inplace operation",
        "Autograd had saved that tensor for the backward pass and it has changed since: make the change out of place.",
    ),
    (
        r"a view of a leaf Variable|leaf Variable that requires grad",
        "A leaf that requires grad may not be changed in place while gradients are recorded: use torch.no_grad().",
    ),
    (
        r"does not require grad",
        "Nothing along the way requires grad: was the graph cut by detach(), .data, no_grad() or a rebuilt tensor?",
    ),
    (
        r"second time|already been freed",
        "The graph was freed after the first backward: keep it (retain_graph/create_graph) or build it again.",
    ),
    (
        r"view size is not compatible|at least one dimension spans",
        "view() cannot describe these strides: the tensor is not contiguous; think of reshape() or of the strides.",
    ),
    (
        r"out of bounds|out of range",
        "An index points past the end: lengths end at n − 1, and labels must be smaller than the number of groups.",
    ),
    (r"'NoneType' object", "Something is None: does every way through the function end in a return?"),
    (
        r"Boolean value of Tensor|bool value of Tensor",
        "A tensor of many values is neither true nor false: use torch.where or a mask instead of if.",
    ),
)


def explain_error(kind: str, message: str) -> str | None:
    """One sentence on a well-known exception."""
    text = f"{kind}: {message}"
    return next((teach for pattern, teach in ERRORS if re.search(pattern, text)), None)


def explain_difference(got: torch.Tensor, expected: torch.Tensor) -> str | None:
    """One sentence on a well-known way to be wrong: in shape, in dtype, or in every value alike."""
    if got.shape != expected.shape:
        return _explain_shape(got, expected)
    if got.dtype != expected.dtype:
        return "The result should follow the dtype of its inputs: new tensors are float32 unless told otherwise."
    if not (got.is_floating_point() and got.numel()):
        return None
    return _explain_values(got.detach().to("cpu", torch.float64), expected.detach().to("cpu", torch.float64))


def _explain_shape(got: torch.Tensor, expected: torch.Tensor) -> str | None:
    if got.numel() == expected.numel() and sorted(got.shape) == sorted(expected.shape):
        return "The axes are in another order: look at which one comes first."
    if got.numel() == expected.numel():
        return "There are as many values as there should be, with other axes: look for an axis of length 1."
    if got.dim() == 2 and expected.dim() <= 2 and got.shape[0] == got.shape[1] and got.numel() > expected.numel():
        return "An (N, 1) met an (N): broadcasting quietly makes N×N of them. Keep both at one rank."
    if got.dim() == expected.dim() + 1 and got.numel() > expected.numel():
        return BROADCAST
    return None


def _explain_values(got: torch.Tensor, expected: torch.Tensor) -> str | None:
    if got.isnan().any() and not expected.isnan().any():
        return "NaN comes from 0/0, inf − inf or the log of a negative number: find the operation that makes the first."
    if got.dim() >= 2 and got.shape[-1] == got.shape[-2] and torch.allclose(got, expected.mT, rtol=1e-4, atol=1e-5):
        return "It is the transpose of what it should be: two axes changed places."
    factor = _constant_factor(got, expected)
    if factor is not None and not math.isclose(factor, 1.0, rel_tol=1e-3):
        return f"Every value is {factor:.4g} times what it should be: look for a missing scale, square or mean."
    return None


def _constant_factor(got: torch.Tensor, expected: torch.Tensor) -> float | None:
    large = expected.abs() > 1e-3
    if int(large.sum()) < 2:
        return None
    ratios = got[large] / expected[large]
    middle = ratios.median().item()
    steady = torch.allclose(ratios, ratios.median().expand_as(ratios), rtol=1e-3)
    return middle if steady and math.isfinite(middle) and middle != 0 else None
