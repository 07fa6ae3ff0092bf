"""What to do about a call that will not run as it is: concrete, and only what is known to help."""

from torchstone.checking.trace import TracedCall
from torchstone.ops.wheels import Cell, Evidence
from torchstone.ops.wheels.rules import ALWAYS_DOUBLE
from torchstone.report.terminal import format_bytes

FALLBACK = "PYTORCH_ENABLE_MPS_FALLBACK=1"
ON_CPU = "move its tensors to the CPU for this call: .cpu()"
EQUIVALENTS = {
    "_ctc_loss": "compute the loss on the CPU: ctc_loss(log_probs.cpu(), …)",
    "_nested_tensor_from_mask_left_aligned": "nn.TransformerEncoder(…, enable_nested_tensor=False)",
    "float_power": "torch.pow, which keeps the dtype",
    "histc": "torch.bincount of the binned values",
}
"""By the base name of the operator."""
OF_MATRICES = {"linalg_eig": "linalg.eig", "_linalg_eigh": "linalg.eigh", "_linalg_svd": "linalg.svd"}
"""By the base name: the function of torch that calls it, where the trace does not tell which."""
NARROWER = {"float64": (".float()", "float32"), "complex128": (".to(torch.complex64)", "complex64")}
SHOWN_BY_DTYPE = ("ci-tables", "metal-kernels")
"""The tiers that tell of a dtype, and not only of a kernel."""


def hint_for(cell: Cell, evidence: Evidence, call: TracedCall, newer: tuple[Evidence, ...] = ()) -> str:
    """For an operator's verdict on a call; empty where nothing needs doing. `newer` are later releases of torch."""
    if cell.verdict == "dtype" or (cell.verdict == "unknown" and cell.likely == "dtype"):
        return _hint_for_dtype(cell, evidence, call) + _hint_for_upgrade(cell, newer)
    if cell.verdict == "unsupported" or (cell.verdict == "unknown" and cell.likely == "unsupported"):
        return _hint_for_missing(cell, evidence, call) + _hint_for_upgrade(cell, newer)
    if cell.verdict == "falls_back":
        return f"{tell_fallback(call)}{_hint_for_upgrade(cell, newer)}"
    return ""


def tell_fallback(call: TracedCall) -> str:
    """Of a call that is sent to the CPU."""
    return f"it runs on the CPU{_tell_cost(call)}"


def _hint_for_upgrade(cell: Cell, newer: tuple[Evidence, ...]) -> str:
    """The first release whose tables say that it runs."""
    for evidence in newer:
        after = evidence.cell(_full_name(cell), cell.dtype, cell.direction)
        if after.verdict == "ok":
            return f"; or take torch {evidence.torch}, where it runs ({after.tier}: {after.reason})"
    return ""


def _tell_cost(call: TracedCall) -> str:
    """What falling back costs, as far as sizes tell."""
    calls = f"each of its {call.calls} calls" if call.calls > 1 else "its one call"
    return f": {calls} in a step waits for the device and copies {format_bytes(call.bytes)} there and back"


def _hint_for_dtype(cell: Cell, evidence: Evidence, call: TracedCall) -> str:
    if cell.dtype in NARROWER:
        cast, dtype = NARROWER[cell.dtype]
        lacks = f"{evidence.device} has no {cell.dtype}"
        function = call.within.rpartition(".")[2]
        if function in ALWAYS_DOUBLE and function in EQUIVALENTS:
            return f"{lacks}, in which {function} computes: {EQUIVALENTS[function]}"
        if call.op == "aten::_to_copy" and cell.dtype not in call.inputs:
            return f"{lacks}: {cast} in place of this cast"
        if call.inputs and cell.dtype not in call.inputs:
            return f"{lacks}, which this call makes of {call.inputs[0]}: have it give {dtype}, or {ON_CPU}"
        return f"{lacks}: {cast} before this call, or make the tensor in {dtype}"
    works = next((dtype for dtype in _alike(cell.dtype) if _works(cell, evidence, dtype)), None)
    cast = ".float()" if works == "float32" else f".to(torch.{works})" if works else ""
    return f"{cast} before this call, and .to(x.dtype) after it" if cast else ON_CPU


def _alike(dtype: str) -> tuple[str, ...]:
    """What a tensor may be cast to for one call: a float would drop the imaginary part."""
    return ("complex64",) if dtype.startswith("complex") else ("float32", "int32")


def _works(cell: Cell, evidence: Evidence, dtype: str) -> bool:
    """Whether something shows it for this dtype: that there is a kernel says nothing of one that takes no floats."""
    found = evidence.cell(_full_name(cell), dtype, cell.direction)
    return found.verdict == "ok" and found.tier in SHOWN_BY_DTYPE


def _full_name(cell: Cell) -> str:
    return f"{cell.op}.{cell.variant}" if cell.variant else cell.op


def _hint_for_missing(cell: Cell, evidence: Evidence, call: TracedCall) -> str:
    equivalent = _equivalent(cell.op.removeprefix("aten::"), call)
    if evidence.device != "mps":
        return equivalent
    return f"{equivalent}; or set {FALLBACK}: it then runs on the CPU{_tell_cost(call)}"


def _equivalent(op: str, call: TracedCall) -> str:
    if op in OF_MATRICES:
        function = call.within if call.within.startswith("linalg.") else OF_MATRICES[op]
        return f"move the matrix: torch.{function}(x.cpu()), and the results back"
    if op not in EQUIVALENTS and not call.inputs:
        return f"make it on the CPU: torch.{call.within or op}(…).to(device)"
    return EQUIVALENTS.get(op, ON_CPU)
