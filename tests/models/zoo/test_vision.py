"""The convolutional networks: torchvision's names and shapes, and numbers against independent arithmetic."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.data.seeding import generator
from torchstone.extras import import_extra
from torchstone.models.zoo import alexnet, efficientnet_lite0, resnet50, vgg16

BATCH_NORM = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")


def resnet50_keys() -> list[str]:
    """As torchvision's resnet50().state_dict() names them, in its order."""
    keys = ["conv1.weight", *(f"bn1.{name}" for name in BATCH_NORM)]
    for stage, blocks in enumerate((3, 4, 6, 3), start=1):
        for block in range(blocks):
            place = f"layer{stage}.{block}"
            for number in (1, 2, 3):
                keys += [f"{place}.conv{number}.weight", *(f"{place}.bn{number}.{name}" for name in BATCH_NORM)]
            if block == 0:
                keys += [f"{place}.downsample.0.weight", *(f"{place}.downsample.1.{name}" for name in BATCH_NORM)]
    return [*keys, "fc.weight", "fc.bias"]


def meta(module: type[nn.Module]) -> dict[str, Tensor]:
    with torch.device("meta"):
        return module().state_dict()


def with_random_statistics(model: nn.Module) -> nn.Module:
    """Fresh batch norms do nothing, and would hide a wrong one."""
    random = generator(1)
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            buffer.copy_(0.1 * torch.randn(buffer.shape, generator=random))
        if name.endswith("running_var"):
            buffer.copy_(0.5 + torch.rand(buffer.shape, generator=random))
    return model


def images(side: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(2, 3, side, side, generator=generator(2)).to(dtype)


def test_resnet50_has_torchvisions_keys_and_shapes() -> None:
    state = meta(resnet50.ResNet50)
    assert sorted(state) == sorted(resnet50_keys())
    assert len(state) == 320
    assert state["conv1.weight"].shape == (64, 3, 7, 7)
    assert state["layer1.0.downsample.0.weight"].shape == (256, 64, 1, 1)
    assert state["layer2.0.conv1.weight"].shape == (128, 256, 1, 1)
    assert state["layer3.5.conv2.weight"].shape == (256, 256, 3, 3)
    assert state["layer4.2.conv3.weight"].shape == (2048, 512, 1, 1)
    assert state["layer4.0.downsample.1.running_var"].shape == (2048,)
    assert state["fc.weight"].shape == (1000, 2048)


def test_vgg16_has_torchvisions_keys_and_shapes() -> None:
    state = meta(vgg16.VGG16)
    convolutions = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)
    places = [*(f"features.{number}" for number in convolutions), "classifier.0", "classifier.3", "classifier.6"]
    assert list(state) == [f"{place}.{name}" for place in places for name in ("weight", "bias")]
    assert state["features.0.weight"].shape == (64, 3, 3, 3)
    assert state["features.17.weight"].shape == (512, 256, 3, 3)
    assert state["classifier.0.weight"].shape == (4096, 25088)
    assert state["classifier.6.weight"].shape == (1000, 4096)


def test_alexnet_has_torchvisions_keys_and_shapes() -> None:
    state = meta(alexnet.AlexNet)
    places = [*(f"features.{number}" for number in (0, 3, 6, 8, 10)), *(f"classifier.{number}" for number in (1, 4, 6))]
    assert list(state) == [f"{place}.{name}" for place in places for name in ("weight", "bias")]
    assert state["features.0.weight"].shape == (64, 3, 11, 11)
    assert state["features.3.weight"].shape == (192, 64, 5, 5)
    assert state["features.10.weight"].shape == (256, 256, 3, 3)
    assert state["classifier.1.weight"].shape == (4096, 9216)


def _transformers_name(name: str) -> str:
    """torchvision's name of a parameter in transformers' independently written ResNet."""
    parts = name.split(".")
    kinds = {"conv": "convolution", "bn": "normalization"}
    if parts[0] == "fc":
        return f"classifier.1.{parts[1]}"
    if parts[0] in ("conv1", "bn1"):
        return f"resnet.embedder.embedder.{kinds[parts[0][:-1]]}.{parts[1]}"
    stage, block = int(parts[0][-1]) - 1, parts[1]
    place = f"resnet.encoder.stages.{stage}.layers.{block}"
    if parts[2] == "downsample":
        return f"{place}.shortcut.{('convolution', 'normalization')[int(parts[3])]}.{parts[4]}"
    kind, number = parts[2][:-1], int(parts[2][-1]) - 1
    return f"{place}.layer.{number}.{kinds[kind]}.{parts[3]}"


def test_resnet50_agrees_with_another_implementation_in_float64() -> None:
    ours = with_random_statistics(resnet50.build(0)).double()
    transformers = import_extra("transformers")
    theirs = transformers.ResNetForImageClassification(transformers.ResNetConfig(num_labels=1000)).double().eval()
    state = {_transformers_name(name): value for name, value in ours.state_dict().items()}
    theirs.load_state_dict(state, strict=True)
    batch = images(65)
    with torch.inference_mode():
        torch.testing.assert_close(ours(batch), theirs(batch).logits, rtol=1e-10, atol=1e-10)


def _plain_convolutions(state: dict[str, Tensor], layers: list[tuple[int, int, int]], pools: set[int], window: int,
                        values: Tensor) -> Tensor:  # fmt: skip
    """Convolution, ReLU and pooling by hand; a layer is its place, its stride and its padding."""
    for place, stride, padding in layers:
        weight, bias = state[f"features.{place}.weight"], state[f"features.{place}.bias"]
        values = functional.conv2d(values, weight, bias, stride, padding).clamp(min=0)
        if place in pools:
            values = functional.max_pool2d(values, window, 2)
    return values


def _plain_dense(state: dict[str, Tensor], places: tuple[int, ...], values: Tensor) -> Tensor:
    for place in places:
        values = values @ state[f"classifier.{place}.weight"].T + state[f"classifier.{place}.bias"]
        if place != places[-1]:
            values = values.clamp(min=0)
    return values


def test_vgg16_agrees_with_plain_arithmetic() -> None:
    model: Any = vgg16.build(0, classes=5)
    state = model.state_dict()
    layers = [(place, 1, 1) for place in (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)]
    batch = images(32, torch.float32)
    with torch.inference_mode():
        pooled = _plain_convolutions(state, layers, {2, 7, 14, 21, 28}, 2, batch)
        expected = _plain_dense(state, (0, 3, 6), pooled.expand(2, 512, 7, 7).flatten(1))
        torch.testing.assert_close(model(batch), expected, rtol=1e-4, atol=1e-5)
        assert model.feature_maps(batch).shape == (2, 512, 2, 2)


def test_alexnet_agrees_with_plain_arithmetic_in_float64() -> None:
    model: Any = alexnet.build(0, classes=5).double()
    state = model.state_dict()
    layers = [(0, 4, 2), (3, 1, 2), (6, 1, 1), (8, 1, 1), (10, 1, 1)]
    batch = images(224)
    with torch.inference_mode():
        pooled = _plain_convolutions(state, layers, {0, 3, 10}, 3, batch)
        assert pooled.shape == (2, 256, 6, 6)
        expected = _plain_dense(state, (1, 4, 6), pooled.flatten(1))
        torch.testing.assert_close(model(batch), expected, rtol=1e-10, atol=1e-12)
        assert model.feature_maps(batch).shape == (2, 256, 13, 13)


def _norm(state: dict[str, Tensor], place: str, values: Tensor) -> Tensor:
    mean, variance, weight, bias = (
        state[f"{place}.{name}"][:, None, None] for name in ("running_mean", "running_var", "weight", "bias")
    )
    return (values - mean) / (variance + 1e-3).sqrt() * weight + bias


def _same(values: Tensor, weight: Tensor, stride: int, groups: int = 1) -> Tensor:
    """ "SAME" the long way round: much zero padding, and the outputs whose windows start where TensorFlow's do."""
    size, kernel = values.shape[-1], weight.shape[-1]
    outputs = -(-size // stride)
    before = max((outputs - 1) * stride + kernel - size, 0) // 2
    padded = functional.pad(values, (before, kernel, before, kernel))
    return functional.conv2d(padded, weight, stride=stride, groups=groups)[..., :outputs, :outputs]


def _lite0_by_hand(state: dict[str, Tensor], values: Tensor) -> Tensor:
    values = _norm(state, "_bn0", _same(values, state["_conv_stem.weight"], 2)).clamp(0, 6)
    for block in range(16):
        place, came_in = f"_blocks.{block}", values
        if block > 0:
            values = _norm(state, f"{place}._bn0", _same(values, state[f"{place}._expand_conv.weight"], 1)).clamp(0, 6)
        stride = 2 if block in (1, 3, 5, 11) else 1
        weight = state[f"{place}._depthwise_conv.weight"]
        values = _norm(state, f"{place}._bn1", _same(values, weight, stride, groups=weight.shape[0])).clamp(0, 6)
        values = _norm(state, f"{place}._bn2", _same(values, state[f"{place}._project_conv.weight"], 1))
        if values.shape == came_in.shape:
            values = values + came_in
    values = _norm(state, "_bn1", _same(values, state["_conv_head.weight"], 1)).clamp(0, 6)
    return values.mean(dim=(2, 3)) @ state["_fc.weight"].T + state["_fc.bias"]


@pytest.mark.parametrize("side", [64, 51])
def test_lite0_agrees_with_plain_arithmetic_in_float64(side: int) -> None:
    model: Any = efficientnet_lite0.build(0).double()
    batch = images(side)
    with torch.inference_mode():
        expected = _lite0_by_hand(model.state_dict(), batch)
        torch.testing.assert_close(model(batch), expected, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(model.classify_pooled(model.pooled_features(batch)), expected, rtol=1e-9, atol=1e-9)


def test_lite0_loads_every_weight_of_the_package() -> None:
    weights = efficientnet_lite0.load_weights()
    model = efficientnet_lite0.build(0)
    assert set(model.state_dict()) == set(weights)
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    fewer = efficientnet_lite0.build(0, classes=3).state_dict()
    assert [name for name in fewer if fewer[name].shape != weights[name].shape] == ["_fc.weight", "_fc.bias"]
    assert torch.equal(fewer["_conv_head.weight"], weights["_conv_head.weight"])


def test_lite0_knows_what_it_sees() -> None:
    """White and black squares in a grid look to ImageNet like a crossword puzzle, class 918, of 1,000.

    Real photographs were tried by hand: coffee → espresso 0.94, a cameraman → tripod 0.95, a cat → Egyptian, tiger
    and tabby cat."""
    facts = efficientnet_lite0.FACTS
    assert facts.pixel_mean is not None
    assert facts.pixel_std is not None
    rows = torch.arange(224) // 28
    board = 255.0 * ((rows[:, None] + rows[None, :]) % 2)
    picture = (board.expand(1, 3, 224, 224) - facts.pixel_mean[0]) / facts.pixel_std[0]
    with torch.inference_mode():
        likely = efficientnet_lite0.build(0)(picture).softmax(dim=1)[0]
    assert int(likely.argmax()) == 918


@pytest.mark.parametrize(
    ("module", "maps"),
    [(resnet50, (1, 2048, 7, 7)), (vgg16, (1, 512, 14, 14)), (alexnet, (1, 256, 13, 13))],
    ids=["resnet50", "vgg16", "alexnet"],
)
def test_feature_maps_of_the_last_convolution(module: Any, maps: tuple[int, ...]) -> None:
    with torch.device("meta"):
        model = module.build(0)
        assert model.feature_maps(torch.empty(1, 3, 224, 224)).shape == maps


def test_feature_maps_carry_the_gradients_of_grad_cam() -> None:
    model: Any = efficientnet_lite0.build(0)
    maps = model.feature_maps(images(64, torch.float32)).detach().requires_grad_()
    model.classify(maps)[:, 3].sum().backward()
    assert maps.shape == (2, 1280, 2, 2)
    assert float(maps.grad.abs().sum()) > 0


@pytest.mark.parametrize(("size", "kernel", "stride", "expected"), [
    (224, 3, 2, (0, 1)), (225, 3, 2, (1, 1)), (112, 5, 2, (1, 2)), (7, 5, 1, (2, 2)), (4, 1, 2, (0, 0)),
])  # fmt: skip
def test_same_padding(size: int, kernel: int, stride: int, expected: tuple[int, int]) -> None:
    assert efficientnet_lite0.same_padding(size, kernel, stride) == expected
