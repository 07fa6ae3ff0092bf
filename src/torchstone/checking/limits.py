"""What a device refuses because of sizes, where a trace knows them: no table tells, the kernel's own words do."""

from collections.abc import Callable
from typing import Any

LAST_READ = (2, 13)
"""The newest torch whose sources were read for these limits; a later one may have lifted them."""
MIXED_POOL = (
    "Adaptive pool MPS: Input height and width must both be greater than, or equal to, or lesser than "
    "output height and width"
)
UNEVEN_POOL = "Adaptive pool MPS: input sizes must be divisible by output sizes"
"""ATen/native/mps/operations/AdaptivePooling.mm; pytorch#96056. No fallback: the kernel raises, not the dispatcher. Max
pooling asks for the first alone: its function in the wheel of 2.13 has one of that file's checks, averaging three."""


def broken_limit(device: str, operator: str, args: Any) -> str | None:
    """What the device will say to this call, or None."""
    explain = LIMITS.get((device, operator))
    return explain(args) if explain is not None else None


def _explain_mixed_pool(args: Any) -> str | None:
    pairs = _pair_sizes(args)
    shrinks, grows = all(have >= want for have, want in pairs), all(have <= want for have, want in pairs)
    return None if shrinks or grows else MIXED_POOL


def _explain_uneven_pool(args: Any) -> str | None:
    mixed = _explain_mixed_pool(args)
    if mixed is not None:
        return mixed
    even = all(max(pair) % min(pair) == 0 for pair in _pair_sizes(args))
    return None if even else UNEVEN_POOL


def _pair_sizes(args: Any) -> list[tuple[int, int]]:
    """Height and width that a pool is given and makes; none where one of them is 0."""
    tensor, output = args[0], args[1]
    pairs = [(int(have), int(want)) for have, want in zip(tensor.shape[-2:], output, strict=True)]
    return [] if any(0 in pair for pair in pairs) else pairs


LIMITS: dict[tuple[str, str], Callable[[Any], str | None]] = {
    ("mps", "aten::_adaptive_avg_pool2d"): _explain_uneven_pool,
    ("mps", "aten::adaptive_max_pool2d"): _explain_mixed_pool,
}
"""By kind of device and operator."""
