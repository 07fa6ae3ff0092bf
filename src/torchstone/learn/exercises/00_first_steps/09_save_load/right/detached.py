# earns: solved
# a copy on the CPU is saved; train(False) is eval
import torch


def save(model, path):
    weights = {name: tensor.detach().cpu() for name, tensor in model.state_dict().items()}
    torch.save(weights, str(path))


def load(model, path):
    weights = torch.load(str(path), map_location=torch.device("cpu"), weights_only=True)
    model.load_state_dict(weights, strict=True)
    return model.train(False)
