# rejected by: beginnings_end_anywhere: A beginning is some letters of a key
# only a whole first name with its dot is looked up; '`renames` maps the beginning of an old key to its new beginning'
from torch import nn


def load_renamed(model, saved, renames):
    own = model.state_dict()
    fitting = {}
    for key, value in saved.items():
        first, dot, rest = key.partition(".")
        key = renames.get(first + dot, first + dot) + rest
        if key in own and own[key].shape == value.shape:
            fitting[key] = value
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model, head):
    model.requires_grad_(False)
    model.eval()
    top = model.get_submodule(head)
    top.train()
    top.requires_grad_(True)
    return list(top.parameters())
