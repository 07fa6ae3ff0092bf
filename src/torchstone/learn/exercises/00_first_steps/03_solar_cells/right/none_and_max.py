# earns: solved
# gradients set to None by hand; max gives values and places
from torch.nn import functional


def train(model, optimizer, images, labels, epochs):
    losses = []
    for _ in range(epochs):
        for weight in model.parameters():
            weight.grad = None
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses += [loss.detach().item()]
    return losses


def predict(model, images):
    return model(images).softmax(dim=1).max(dim=1).indices
