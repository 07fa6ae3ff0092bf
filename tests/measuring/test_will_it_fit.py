"""Predicted peaks: equal to the dispatcher's count of a real call, for any batch, without computing anything."""

import pytest
import torch
from torch import Tensor, nn

from torchstone.measuring.memory import measure_memory
from torchstone.measuring.own_buffers import WORKSPACE, foresee_own_buffers
from torchstone.measuring.will_it_fit import CannotPredictError, predict_peak, will_it_fit


class Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LSTM(64, 128, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.layers(x)[0]
        return output


class Peeks(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum().item() > 0 else -x


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))


def test_an_inference_is_predicted_to_the_byte() -> None:
    model, x = network().eval(), torch.randn(4, 3, 8, 8)

    def infer() -> Tensor:
        with torch.inference_mode():
            output: Tensor = model(x)
            return output

    predicted = predict_peak(model, ((x,), {}))
    assert predicted.peak_bytes == measure_memory(infer, model=model).dispatcher_bytes
    assert predicted.source.startswith("predicted")


def test_a_training_step_is_predicted_in_its_categories() -> None:
    model, x = network(), torch.randn(4, 3, 8, 8)
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        model.zero_grad()
        model(x).float().sum().backward()
        optimizer.step()

    measured = measure_memory(step, model=model, optimizer=optimizer)
    predicted = predict_peak(model, ((x,), {}), train=True, optimizer=torch.optim.AdamW)
    assert predicted.weights_bytes == measured.weights_bytes
    assert predicted.optimizer_bytes == measured.optimizer_bytes
    assert predicted.gradients_bytes == measured.gradients_bytes
    assert predicted.peak_bytes == pytest.approx(measured.peak_bytes, rel=0.25)  # own buffers weigh much


def test_the_model_and_its_gradients_are_left_alone() -> None:
    model = network()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    predict_peak(model, ((torch.randn(2, 3, 8, 8),), {}), train=True, optimizer=torch.optim.SGD)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_batch_that_no_machine_holds_is_predicted_at_once() -> None:
    small, huge = will_it_fit(network().eval(), ((torch.randn(2, 3, 8, 8),), {}), (2, 10**9))
    assert small.fits is True
    assert huge.fits is False
    assert small.peak is not None
    assert huge.peak is not None
    ratio = huge.peak.above_bytes / small.peak.above_bytes
    assert ratio == pytest.approx(10**9 / 2, rel=1e-3), "activations grow with the batch"
    assert huge.peak.weights_bytes == small.peak.weights_bytes


def test_only_inputs_with_the_batch_are_resized() -> None:
    class Biased(nn.Module):
        def forward(self, x: Tensor, *, bias: Tensor) -> Tensor:
            return x + bias

    found = predict_peak(Biased(), ((torch.ones(2, 8),), {"bias": torch.ones(1, 8)}), rows=100)
    assert found.inputs_bytes == (100 * 8 + 8) * 4


def test_a_model_that_looks_at_its_data_is_named() -> None:
    with pytest.raises(CannotPredictError, match="without data: DataDependent"):
        predict_peak(Peeks(), ((torch.ones(2),), {}))
    (fit,) = will_it_fit(Peeks(), ((torch.ones(2),), {}), (4,))
    assert fit.fits is None
    assert "without data" in (fit.reason or "")


@pytest.mark.parametrize("train", [False, True])
def test_what_an_lstm_takes_for_itself_is_foreseen(train: bool) -> None:
    model, x = Lstm().train(train), torch.randn(4, 32, 64)

    def call() -> None:
        if train:
            model.zero_grad()
            model(x).sum().backward()
        else:
            with torch.inference_mode():
                model(x)

    truth = measure_memory(call, model=model)
    assert predict_peak(model, ((x,), {}), train=train).peak_bytes == pytest.approx(truth.peak_bytes, rel=0.15)


def test_the_workspace_counts_only_where_something_is_learnt() -> None:
    x, weights = torch.ones(4, 2, 8), torch.ones(32, 8)
    results = (torch.ones(4, 2, 8), x, x, torch.ones(0))
    operator = torch.ops.aten.mkldnn_rnn_layer.default
    learning = foresee_own_buffers(operator, (x, weights, weights, *[None] * 12, True), results)
    assert learning.kept == int(WORKSPACE * 4 * 2 * 8 * 4)
    assert foresee_own_buffers(operator, (x, weights, weights, *[None] * 12, False), results).kept == 0
    assert foresee_own_buffers(torch.ops.aten.mm.default, (x, x), x).while_it_runs == 0
