# earns: solved
# gradients set to zeros and not to None
import torch
from torch.nn.functional import cross_entropy


def train_epoch(net, optimizer, batches):
    net.train()
    total = 0.0
    count = 0
    for inputs, labels in batches:
        optimizer.zero_grad(set_to_none=False)
        loss = cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        count += len(labels)
        total += loss.item() * len(labels)
    return total / count


def evaluate(net, batches):
    net.train(False)
    right, count = 0, 0
    with torch.no_grad():
        for inputs, labels in batches:
            right += (net(inputs).argmax(1) == labels).sum().item()
            count += len(labels)
    return right / count
