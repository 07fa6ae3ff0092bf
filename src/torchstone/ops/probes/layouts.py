"""The same values through another view: strides, offsets, broadcasting, channels last, lazy conjugation.

None of these may change an answer, so the device is held against itself and no tolerance has to be argued about.
"""

from collections.abc import Callable

import torch

NOISE = 7
"""What stands in the cells beside a view's own: a whole number, so that every dtype has it."""
FAR_OFFSET = 997


def transposed(t: torch.Tensor) -> torch.Tensor | None:
    return t.transpose(0, -1).contiguous().transpose(0, -1) if t.dim() >= 2 else None


def inner_transposed(t: torch.Tensor) -> torch.Tensor | None:
    return t.transpose(-2, -1).contiguous().transpose(-2, -1) if t.dim() >= 3 else None


def every_second(t: torch.Tensor) -> torch.Tensor | None:
    if t.dim() == 0:
        return None
    holder = torch.full((*t.shape[:-1], 2 * t.shape[-1]), NOISE, dtype=t.dtype, device=t.device)
    holder[..., ::2] = t
    return holder[..., ::2]


def padded_rows(t: torch.Tensor) -> torch.Tensor | None:
    """A slice of wider rows, not at their beginning."""
    if t.dim() < 2:
        return None
    holder = torch.full((*t.shape[:-1], t.shape[-1] + 3), NOISE, dtype=t.dtype, device=t.device)
    holder[..., 1:-2] = t
    return holder[..., 1:-2]


def at_offset(t: torch.Tensor, offset: int = 1) -> torch.Tensor | None:
    holder = torch.full((t.numel() + offset + 3,), NOISE, dtype=t.dtype, device=t.device)
    view = holder[offset : offset + t.numel()].view(t.shape)
    view.copy_(t)
    return view


def at_far_offset(t: torch.Tensor) -> torch.Tensor | None:
    return at_offset(t, FAR_OFFSET)


def later_rows(t: torch.Tensor) -> torch.Tensor | None:
    """The later rows of a larger tensor: contiguous, at an offset of whole rows."""
    if t.dim() == 0:
        return None
    holder = torch.full((t.shape[0] + 2, *t.shape[1:]), NOISE, dtype=t.dtype, device=t.device)
    holder[2:] = t
    return holder[2:]


def channels_last(t: torch.Tensor) -> torch.Tensor | None:
    return t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else None


def slice_of_channels_last(t: torch.Tensor) -> torch.Tensor | None:
    if t.dim() != 4:
        return None
    b, c, h, w = t.shape
    holder = torch.full((b, c + 2, h, w), NOISE, dtype=t.dtype, device=t.device).contiguous(
        memory_format=torch.channels_last
    )
    holder[:, 1 : c + 1] = t
    return holder[:, 1 : c + 1]


def channels_last_at_offset(t: torch.Tensor) -> torch.Tensor | None:
    if t.dim() != 4:
        return None
    view = at_offset(t.permute(0, 2, 3, 1).contiguous())
    return None if view is None else view.permute(0, 3, 1, 2)


def conjugated(t: torch.Tensor) -> torch.Tensor | None:
    return t.conj().resolve_conj().conj() if t.is_complex() else None


def negated(t: torch.Tensor) -> torch.Tensor | None:
    """A lazy negation, as the imaginary part of a conjugated tensor has."""
    if t.dtype != torch.float32:
        return None
    return torch.complex(torch.zeros_like(t), -t).conj().imag


def transposed_at_offset(t: torch.Tensor) -> torch.Tensor | None:
    """Two conditions at once."""
    if t.dim() < 2:
        return None
    view = at_offset(t.transpose(0, -1).contiguous())
    return None if view is None else view.transpose(0, -1)


Layout = Callable[[torch.Tensor], "torch.Tensor | None"]
LAYOUTS: dict[str, Layout] = {
    "transposed": transposed,
    "inner transposed": inner_transposed,
    "every second element": every_second,
    "padded rows": padded_rows,
    "offset 1": at_offset,
    "offset 997": at_far_offset,
    "later rows": later_rows,
    "channels last": channels_last,
    "slice of channels last": slice_of_channels_last,
    "channels last at offset 1": channels_last_at_offset,
    "conjugated": conjugated,
    "negated": negated,
    "transposed at offset 1": transposed_at_offset,
}


def expand_first(t: torch.Tensor) -> torch.Tensor:
    """Other values: the first row for all, held once with a stride of 0; its clone is what it is compared with."""
    return t[:1].expand_as(t) if t.dim() and t.shape[0] else t


def expand_last(t: torch.Tensor) -> torch.Tensor:
    return t[..., :1].expand_as(t) if t.dim() and t.shape[-1] else t
