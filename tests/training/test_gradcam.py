"""Grad-CAM: evidence where it was planted, weights as computed by hand, the right layer, and a model left as it was."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.data.seeding import generator, seeded
from torchstone.models.zoo import efficientnet_lite0, resnet50
from torchstone.training.folding import fold_frozen_batch_norms
from torchstone.training.gradcam import NoMapError, find_evidence, weigh


class Lamps(nn.Module):
    """Class 0 is red light, class 1 blue light; each speaks against the other."""

    def __init__(self) -> None:
        super().__init__()
        self.colours = nn.Conv2d(3, 2, 4, stride=4, bias=False)
        self.norm = nn.BatchNorm2d(2, affine=False)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(2, 2, bias=False)
        with torch.no_grad():
            self.colours.weight.zero_()
            self.colours.weight[0, 0] = self.colours.weight[1, 2] = 1 / 16
            self.last.weight.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.last(self.drop(self.norm(self.colours(images)).mean((2, 3))))
        return logits


def lit(colour: int, row: int, column: int) -> Tensor:
    """A dark image of 16 × 16 pixels with one lamp of 4 × 4 at a place of the network's map."""
    image = torch.zeros(1, 3, 16, 16)
    image[0, colour, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = 1.0
    return image


@pytest.mark.parametrize(("row", "column"), [(0, 0), (1, 2), (3, 1)])
def test_the_evidence_is_where_it_was_planted(row: int, column: int) -> None:
    both = lit(0, row, column) + lit(2, 3 - row, 3 - column)
    for number, (down, right) in enumerate(((row, column), (3 - row, 3 - column))):
        found = find_evidence(Lamps().eval(), both, torch.tensor([number]))
        assert found.grid == (4, 4)
        assert functional.adaptive_max_pool2d(found.maps, 4).flatten().argmax() == 4 * down + right
        assert found.maps[0, 4 * down + 1, 4 * right + 1] > 0.75, "between two places it is interpolated"
        assert found.maps[0, 4 * (3 - down) + 2, 4 * (3 - right) + 2] == 0, (
            "what speaks against the class is no evidence"
        )


def test_maps_are_on_the_images_scale_from_0_to_1() -> None:
    images = torch.cat([lit(0, 1, 1) * 9, lit(2, 1, 1)])
    maps = find_evidence(Lamps().eval(), images, torch.tensor([0, 0])).maps
    assert maps.shape == (2, 16, 16)
    assert maps.min() == 0
    assert maps[0].max() == 1
    assert not maps[1].any(), "blue light holds nothing that speaks for red"


def test_channels_are_weighed_by_their_mean_gradient() -> None:
    last_map = torch.tensor([[[[1.0, 2.0]], [[3.0, 0.0]]]])
    gradient = torch.tensor([[[[1.0, 3.0]], [[-1.0, 0.0]]]])
    # Weights 2 and −1/2: 2 · 1 − 3/2 and 2 · 2 − 0.
    assert weigh(last_map, gradient).tolist() == [[[0.5, 4.0]]]
    assert weigh(last_map, -gradient).tolist() == [[[0.0, 0.0]]]


@pytest.mark.parametrize("build", [efficientnet_lite0.EfficientNetLite0, resnet50.ResNet50])
@pytest.mark.parametrize("folds", [False, True])
def test_the_zoos_networks_are_weighed_at_their_last_map(build: type[nn.Module], folds: bool) -> None:
    with seeded(0):
        model = build(num_classes=3).eval()
    images, classes = torch.randn(2, 3, 96, 96, generator=generator(1)), torch.tensor([2, 0])
    feature_maps = model.feature_maps(images)  # type: ignore[operator]
    scores = model.classify(feature_maps).gather(1, classes[:, None]).sum()  # type: ignore[operator]
    expected = weigh(feature_maps, torch.autograd.grad(scores, feature_maps)[0])
    if folds:
        assert fold_frozen_batch_norms(model) > 0
    found = find_evidence(model, images, classes)
    assert found.grid == (3, 3)
    wide = functional.interpolate(expected[:, None], size=(96, 96), mode="bilinear")[:, 0]
    torch.testing.assert_close(found.maps, wide / wide.amax((1, 2), keepdim=True), rtol=1e-3, atol=1e-3)


def test_the_model_is_left_as_it_was() -> None:
    model = Lamps().train()
    model.drop.eval()
    model.last.weight.grad = torch.full((2, 2), 7.0)
    model.colours.requires_grad_(False)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    images = lit(0, 1, 1)
    with torch.inference_mode(False), torch.no_grad():
        find_evidence(model, images, torch.tensor([0]))
        assert not torch.is_grad_enabled()
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert [layer.training for layer in model.modules()] == [True, True, True, False, True]
    assert [parameter.requires_grad for parameter in model.parameters()] == [False, True]
    assert torch.equal(model.last.weight.grad, torch.full((2, 2), 7.0))
    assert model.colours.weight.grad is None
    assert not images.requires_grad
    assert not any(layer._forward_hooks for layer in model.modules())


def test_hooks_are_removed_when_the_model_fails() -> None:
    model = Lamps().train()
    with pytest.raises(RuntimeError):
        find_evidence(model, torch.zeros(1, 5, 16, 16), torch.tensor([0]))
    assert not any(layer._forward_hooks for layer in model.modules())
    assert all(layer.training for layer in model.modules())


def test_another_device_finds_the_same() -> None:
    images = lit(0, 1, 2) + lit(2, 3, 3)
    here = find_evidence(Lamps().eval(), images, torch.tensor([0])).maps
    there = find_evidence(Lamps().eval().to("pretend"), images.to("pretend"), torch.tensor([0])).maps
    torch.testing.assert_close(there, here)


class Tokens(nn.Module):
    """As a vision transformer does: patches, then attention among all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.attention = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.last = nn.Linear(8, 2)

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.last(self.attention(self.patches(images).flatten(2).transpose(1, 2))[:, 0])
        return logits


class Deaf(nn.Module):
    """Its convolution is computed and not used."""

    def __init__(self) -> None:
        super().__init__()
        self.unused = nn.Conv2d(3, 2, 3)
        self.last = nn.Linear(3, 2)

    def forward(self, images: Tensor) -> Tensor:
        self.unused(images)
        logits: Tensor = self.last(images.mean((2, 3)))
        return logits


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Tokens(), "row of tokens"),
        (nn.Sequential(nn.Identity(), nn.Flatten(), nn.Linear(768, 2)), "no convolution"),
        (nn.Sequential(nn.Conv2d(3, 2, 16), nn.Flatten()), "no convolution whose output still has places"),
        (Deaf(), "no influence"),
    ],
)
def test_a_network_without_a_map_says_why(model: nn.Module, reason: str) -> None:
    with pytest.raises(NoMapError, match=reason):
        find_evidence(model.eval(), lit(0, 1, 1), torch.tensor([0]))


def test_flattening_before_the_average_is_no_row_of_tokens() -> None:
    model = nn.Sequential(nn.Conv2d(3, 2, 4, stride=4), nn.Flatten(2), nn.AdaptiveAvgPool1d(1), nn.Flatten())
    assert find_evidence(model, lit(0, 1, 1), torch.tensor([0])).grid == (4, 4)


def test_a_model_that_changes_its_input_in_place_can_be_asked() -> None:
    class Scaled(Lamps):
        def forward(self, images: Tensor) -> Tensor:
            return super().forward(images.mul_(2.0))

    images = lit(0, 1, 1)
    assert find_evidence(Scaled().eval(), images, torch.tensor([0])).maps.max() == 1
    assert images.max() == 1
