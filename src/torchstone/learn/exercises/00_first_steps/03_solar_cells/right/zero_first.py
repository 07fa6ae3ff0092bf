# earns: solved
# the gradients forgotten at the beginning; predictions without recording
import torch
from torch import nn


def train(model, optimizer, images, labels, epochs):
    criterion = nn.CrossEntropyLoss()
    history = []
    while len(history) < epochs:
        optimizer.zero_grad(set_to_none=False)
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        history.append(float(loss))
    return history


def predict(model, images):
    with torch.no_grad():
        return torch.argmax(model(images), -1)
