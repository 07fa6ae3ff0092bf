# earns: solved
# kaiming_normal_ with the names of the activations
from torch import nn
from torch.nn import init

NAMES = {nn.ReLU: "relu", nn.Tanh: "tanh", nn.LeakyReLU: "leaky_relu", nn.Identity: "linear"}


def init_stack(stack: nn.Sequential) -> None:
    layer = None
    for module in stack:
        if isinstance(module, nn.Linear):
            layer = module
        elif layer is not None:
            slope = getattr(module, "negative_slope", 0)
            init.kaiming_normal_(layer.weight, a=slope, mode="fan_in", nonlinearity=NAMES[type(module)])
            if layer.bias is not None:
                init.constant_(layer.bias, 0.0)
            layer = None
