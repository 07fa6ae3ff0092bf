"""Small models that meet the trigger of one planted fault each, deep inside: what `torchstone check` is judged by.

`MODELS` holds the truth: which fault, and the op, module and line at which a checker should point. The line bears the
comment `planted: NAME`. Every builder is a target of its own, as in `torchstone check planted_models.py:token_mixer`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from planted_surroundings import WIDTH, Body, Built, Mlp, in_body, in_images, on_words, seeded


@dataclass(frozen=True)
class PlantedModel:
    """A model, and where it goes wrong on a device with the fault."""

    plant: str
    """The name of the fault in `plants`."""
    build: Callable[[], Built]
    """Gives the model and its arguments, on the CPU, the same each time."""
    op: str
    """The op as people call it."""
    aten: str
    """The op as the device is called."""
    module: str
    """The path of the module whose own code calls it."""
    train: bool = False
    """Whether it shows in the gradients alone."""

    @property
    def name(self) -> str:
        """The builder's name."""
        return self.build.__name__

    @property
    def line(self) -> int:
        """The number of the line, in this file, that meets the trigger."""
        marker = f"# planted: {self.name}"
        lines = Path(__file__).read_text().splitlines()
        (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(marker)]
        return found


class TokenMixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(7, 7, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        mixed = self.mix(hidden.transpose(1, 2).contiguous())
        return functional.gelu(mixed.transpose(1, 2))  # planted: token_mixer


class WithoutClassToken(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.randn(1, 1, WIDTH))

    def forward(self, hidden: Tensor) -> Tensor:
        tokens = torch.cat([self.token.expand(1, hidden.size(1), WIDTH), hidden])
        return functional.layer_norm(tokens[1:], (WIDTH,))  # planted: class_token


class PackedProjection(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3 * WIDTH, WIDTH) / 4)
        self.bias = nn.Parameter(torch.randn(3 * WIDTH))

    def forward(self, hidden: Tensor) -> Tensor:
        key_weight, key_bias = self.weight[WIDTH : 2 * WIDTH], self.bias[WIDTH : 2 * WIDTH]
        return functional.linear(hidden, key_weight, key_bias)  # planted: packed_projection


class ChannelsLastStem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 3, 3, 3) / 3)

    def forward(self, images: Tensor) -> Tensor:
        images = images.to(memory_format=torch.channels_last)
        return functional.conv2d(images, self.weight, padding=1)  # planted: channels_last_stem


class Rotary(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        turned = hidden * 0.8
        turned[..., ::2] = hidden[..., ::2] * 0.8 - hidden[..., 1::2] * 0.6  # planted: rotary
        return turned


class WordTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(300, WIDTH))

    def forward(self, words: Tensor) -> Tensor:
        return functional.embedding(words, self.weight)  # planted: large_vocabulary


class TimePooling(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        series = hidden.transpose(1, 2).contiguous()
        level = series.mean(-1)  # planted: time_pooling
        return hidden - level.unsqueeze(1)


class PyramidPooling(nn.Module):
    def forward(self, features: Tensor) -> Tensor:
        coarse = functional.adaptive_avg_pool2d(features, 3)  # planted: pyramid_pooling
        return features + functional.interpolate(coarse, size=features.shape[-2:])


class MixedNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) + 0.5)
        self.bias = nn.Parameter(torch.randn(WIDTH))

    def forward(self, hidden: Tensor) -> Tensor:
        low = hidden.to(torch.bfloat16)
        return functional.layer_norm(low, (WIDTH,), self.weight, self.bias).float()  # planted: mixed_norm


class SharpAttention(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        scores = hidden @ hidden.mT * 40
        weights = scores.softmax(-1)  # planted: sharp_attention
        return weights @ hidden


class Floor(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        positive = hidden.clamp(min=0.0)
        raised = hidden.clamp(min=0.7)  # planted: two_floors
        return raised - positive


class PaddedLoss(nn.Module):
    def forward(self, logits: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())  # planted: padded_loss


class ShortAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(128, 128)

    def forward(self, hidden: Tensor) -> Tensor:
        query = self.query(hidden).view(*hidden.shape[:2], 2, 64).transpose(1, 2)
        key = hidden.view(*hidden.shape[:2], 2, 64).transpose(1, 2).contiguous()
        attended = functional.scaled_dot_product_attention(query, key, key)  # planted: short_attention
        return attended.transpose(1, 2).flatten(2)


class Depthwise(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 1, 3, 3))

    def forward(self, features: Tensor) -> Tensor:
        features = features.contiguous(memory_format=torch.channels_last)
        return functional.conv2d(features, self.weight, padding=1, groups=6)  # planted: depthwise


class InputNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, hidden: Tensor) -> Tensor:
        return functional.layer_norm(hidden, (WIDTH,), self.weight, self.bias)  # planted: input_norm


class RepeatedWords(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(20, WIDTH))

    def forward(self, words: Tensor) -> Tensor:
        return functional.embedding(words, self.weight)  # planted: repeated_words


class SharedQuery(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, WIDTH))
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / 4)

    def forward(self, hidden: Tensor) -> Tensor:
        queries = self.query.expand(hidden.size(1), WIDTH)
        return hidden * torch.mm(queries, self.weight)  # planted: shared_query


class Positions(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        present = hidden[..., 0] < 100
        places = present.cumsum(-1)  # planted: positions_of_mask
        return hidden + places.unsqueeze(-1) / 100


class CausalHalf(nn.Module):
    def forward(self, hidden: Tensor) -> Tensor:
        low = hidden.unsqueeze(1).half()
        attended = functional.scaled_dot_product_attention(low, low, low, is_causal=True)  # planted: causal_half
        return attended.squeeze(1).float()


class HostTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = [torch.randn(64, WIDTH)]

    def forward(self, hidden: Tensor) -> Tensor:
        places = self.table[0][5 : 5 + hidden.size(1)].to(hidden.device)  # planted: host_table
        return hidden + places


class Standardize(nn.Module):
    def forward(self, counts: Tensor) -> Tensor:
        spread = counts.var(-1, keepdim=True)  # planted: standardize
        return (counts - counts.mean(-1, keepdim=True)) / (spread + 1e-6).sqrt()


class WithLoss(nn.Module):
    """A model and the loss of its answer."""

    def __init__(self, body: nn.Module) -> None:
        super().__init__()
        self.body = body
        self.loss = PaddedLoss()

    def forward(self, hidden: Tensor, targets: Tensor) -> Any:
        return self.loss(self.body(hidden), targets)


def token_mixer() -> Built:
    return in_body(TokenMixer, 2, 7, WIDTH)


def class_token() -> Built:
    return in_body(WithoutClassToken, 5, 2, WIDTH)


def packed_projection() -> Built:
    return in_body(PackedProjection, 2, 5, WIDTH)


def channels_last_stem() -> Built:
    return in_images(ChannelsLastStem, 2, 3, 6, 6)


def rotary() -> Built:
    return in_body(Rotary, 2, 5, WIDTH)


def large_vocabulary() -> Built:
    return on_words(WordTable, 3, 280, 7, 299)


def time_pooling() -> Built:
    return in_body(TimePooling, 2, 45, WIDTH)


def pyramid_pooling() -> Built:
    return in_images(PyramidPooling, 2, 3, 5, 5)


def mixed_norm() -> Built:
    return in_body(MixedNorm, 2, 5, WIDTH)


def sharp_attention() -> Built:
    return in_body(SharpAttention, 2, 5, WIDTH)


def two_floors() -> Built:
    return in_body(Floor, 2, 5, WIDTH)


def padded_loss() -> Built:
    targets = torch.tensor([[3, 4, -100, -100], [1, 2, 3, -100]])
    return seeded(lambda: (WithLoss(Body(Mlp(), Mlp())), (torch.randn(2, 4, WIDTH), targets)))


def short_attention() -> Built:
    return in_body(ShortAttention, 2, 5, 128)


def depthwise() -> Built:
    return in_images(Depthwise, 2, 6, 5, 5)


def input_norm() -> Built:
    return seeded(lambda: (Body(nn.Sequential(InputNorm()), Mlp(), Mlp()), (torch.randn(4, WIDTH),)))


def repeated_words() -> Built:
    return on_words(RepeatedWords, 3, 5, 3, 3, 8)


def shared_query() -> Built:
    return in_body(SharedQuery, 2, 40, WIDTH)


def positions_of_mask() -> Built:
    return in_body(Positions, 1, 200, WIDTH)


def causal_half() -> Built:
    return in_body(CausalHalf, 2, 6, WIDTH)


def host_table() -> Built:
    return in_body(HostTable, 2, 5, WIDTH)


def standardize() -> Built:
    return seeded(lambda: (Body(nn.Sequential(Standardize()), Mlp(), Mlp()), (torch.randn(4, WIDTH) + 6000,)))


ATTENTION = "_scaled_dot_product_fused_attention_overrideable"
BLOCK = "blocks.1.inner"
MODELS = (
    PlantedModel("gelu_strided", token_mixer, "gelu", "gelu", BLOCK),
    PlantedModel("layer_norm_offset", class_token, "layer_norm", "native_layer_norm", BLOCK),
    PlantedModel("linear_bias_offset", packed_projection, "linear", "addmm", BLOCK),
    PlantedModel("conv2d_channels_last", channels_last_stem, "conv2d", "convolution", "blocks.1.1"),
    PlantedModel("setitem_strided", rotary, "copy_", "_copy_from", BLOCK),
    PlantedModel("embedding_many_rows", large_vocabulary, "embedding", "index_select", "blocks.0.0"),
    PlantedModel("mean_partial_tile", time_pooling, "mean", "mean.dim", BLOCK),
    PlantedModel("adaptive_pool_uneven", pyramid_pooling, "adaptive_avg_pool2d", "_adaptive_avg_pool2d", "blocks.1.1"),
    PlantedModel("layer_norm_mixed", mixed_norm, "layer_norm", "native_layer_norm", BLOCK),
    PlantedModel("softmax_overflow", sharp_attention, "softmax", "_softmax", BLOCK),
    PlantedModel("clamp_cached_bound", two_floors, "clamp", "clamp", BLOCK),
    PlantedModel("cross_entropy_ignore_index", padded_loss, "cross_entropy", "nll_loss_forward", "loss"),
    PlantedModel("attention_transposed_short", short_attention, "scaled_dot_product_attention", ATTENTION, BLOCK),
    PlantedModel("conv_channels_last_groups", depthwise, "conv2d", "convolution", "blocks.1.1"),
    PlantedModel(
        "layer_norm_backward_no_input", input_norm, "layer_norm", "native_layer_norm_backward", "blocks.0.0", True
    ),
    PlantedModel(
        "embedding_backward_duplicates",
        repeated_words,
        "embedding",
        "embedding_dense_backward",
        "blocks.0.0",
        train=True,
    ),
    PlantedModel("mm_expanded", shared_query, "mm", "mm", BLOCK),
    PlantedModel("cumsum_bool_long", positions_of_mask, "cumsum", "cumsum", BLOCK),
    PlantedModel("attention_causal_half", causal_half, "scaled_dot_product_attention", ATTENTION, BLOCK),
    PlantedModel("to_device_slice", host_table, "to", "_copy_from", BLOCK),
    PlantedModel("var_cancellation", standardize, "var", "var.correction", "blocks.0.0"),
)
