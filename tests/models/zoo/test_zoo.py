"""Every file in the zoo keeps the contract; names are found or suggested; nothing is imported too early."""

import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from torchstone.errors import UserError
from torchstone.models import zoo
from torchstone.models.inputs import Inputs, move, move_inputs, tensors_in

EXPECTED = {"alexnet", "bert_base", "efficientnet_lite0", "gpt2_small", "resnet50", "vgg16", "vit_b"}


def build_cheaply(name: str) -> nn.Module:
    """Shapes without numbers: hundreds of millions of parameters take no memory on the meta device."""
    module = zoo.load_zoo_model(name)
    if module.FACTS.pretrained:
        return module.build(0).to("meta")
    with torch.device("meta"):
        return module.build(0)


def test_the_folder_is_the_registry() -> None:
    assert set(zoo.zoo_names()) == EXPECTED


@pytest.mark.parametrize("name", zoo.zoo_names())
def test_contract(name: str) -> None:
    module = zoo.load_zoo_model(name)
    facts = module.FACTS
    model = build_cheaply(name)
    assert not model.training
    assert sum(parameter.numel() for parameter in model.parameters()) == facts.parameters
    inputs = module.example_inputs(2, seed=0)
    shape = inputs.args[0].shape
    assert shape[0] == 2
    if facts.item == "tokens":
        assert facts.items_per_example == shape[1]
    moved = move_inputs(inputs, "meta")
    output = tensors_in(model(*moved.args, **moved.kwargs))[0]
    assert output.shape[0] == 2
    if facts.classes is not None:
        assert output.shape == (2, facts.classes)
    targets = move(module.example_targets(2, seed=0), "meta")
    loss = module.training_loss(model.train(), moved, targets)
    assert loss.shape == ()
    assert loss.requires_grad


@pytest.mark.parametrize("name", zoo.zoo_names())
def test_how_heavy_it_is_was_counted(name: str) -> None:
    module = zoo.load_zoo_model(name)
    inputs = move_inputs(module.example_inputs(1, seed=0), "meta")
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        build_cheaply(name)(*inputs.args, **inputs.kwargs)
    assert module.FACTS.flop == pytest.approx(counter.get_total_flops(), rel=0.1)


@pytest.mark.parametrize("name", zoo.zoo_names())
def test_inputs_repeat_with_the_seed(name: str) -> None:
    module = zoo.load_zoo_model(name)
    first, again, other = (module.example_inputs(1, seed).args[0] for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(module.example_targets(1, 3), module.example_targets(1, 3))


@pytest.mark.parametrize("name", [name for name in zoo.zoo_names() if zoo.load_zoo_model(name).FACTS.classes])
def test_classifiers_take_another_number_of_classes(name: str) -> None:
    module = zoo.load_zoo_classifier(name)
    if module.FACTS.pretrained:
        model = module.build(0, classes=2).to("meta")
    else:
        with torch.device("meta"):
            model = module.build(0, classes=2)
    output = model(torch.empty(1, 3, 224, 224, device="meta"))
    assert tensors_in(output)[0].shape == (1, 2)


def test_a_text_model_is_no_classifier() -> None:
    with pytest.raises(UserError, match="does not classify images") as caught:
        zoo.load_zoo_classifier("gpt2_small")
    assert "resnet50" in caught.value.hint


def test_weights_repeat_with_the_seed_and_leave_the_global_generator_alone() -> None:
    module = zoo.load_zoo_model("resnet50")
    before = torch.default_generator.get_state()
    first, again, other = (module.build(seed).state_dict()["layer4.2.conv3.weight"] for seed in (5, 5, 6))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.default_generator.get_state())


def test_near_names_are_suggested() -> None:
    with pytest.raises(UserError, match="no model 'ResNet-50' in the zoo") as caught:
        zoo.load_zoo_model("ResNet-50")
    assert "did you mean zoo:resnet50?" in caught.value.hint
    with pytest.raises(UserError, match="no model 'qq'") as caught:
        zoo.load_zoo_model("qq")
    assert caught.value.hint.startswith("the zoo has: alexnet")


@pytest.mark.parametrize("name", zoo.zoo_names())
def test_summary_is_one_sentence(name: str) -> None:
    assert zoo.summary(name).endswith(".")


def test_listing_the_zoo_does_not_import_torch() -> None:
    code = (
        "import sys; from torchstone.models import zoo; [zoo.summary(name) for name in zoo.zoo_names()]; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_inputs_is_a_pair() -> None:
    args, kwargs = Inputs((1,), {"a": 2})
    assert (args, kwargs) == ((1,), {"a": 2})
