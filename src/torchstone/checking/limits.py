"""What a device refuses because of sizes, where a trace knows them: no table tells, the kernel's own words do."""

from collections.abc import Callable
from typing import Any

LAST_READ = (2, 13)
"""The newest torch whose sources were read for these limits; a later one may have lifted them."""
UNEVEN_POOL = "Adaptive pool MPS: input sizes must be divisible by output sizes"
"""ATen/native/mps/operations/AdaptivePooling.mm; pytorch#96056. No fallback: the kernel raises, not the dispatcher."""


def broken_limit(device: str, operator: str, args: Any) -> str | None:
    """What the device will say to this call, or None."""
    explain = LIMITS.get((device, operator))
    return explain(args) if explain is not None else None


def _explain_uneven_pool(args: Any) -> str | None:
    tensor, output = args[0], args[1]
    pairs = [(int(have), int(want)) for have, want in zip(tensor.shape[-2:], output, strict=True)]
    if any(0 in pair for pair in pairs):
        return None
    shrinks = all(have >= want and have % want == 0 for have, want in pairs)
    grows = all(have <= want and want % have == 0 for have, want in pairs)
    return None if shrinks or grows else UNEVEN_POOL


LIMITS: dict[tuple[str, str], Callable[[Any], str | None]] = {
    ("mps", "aten::_adaptive_avg_pool2d"): _explain_uneven_pool,
    ("mps", "aten::adaptive_max_pool2d"): _explain_uneven_pool,
}
"""By kind of device and operator."""
