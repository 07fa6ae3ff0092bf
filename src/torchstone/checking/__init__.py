"""Will a model run on a device, right and without falling back? The device need not be here.

preflight   a trace without data, judged by what the person's own torch says of the device
tracing     one step on a device without memory or kernels (phantom), every call with its place (recording, places)
stages      the stages one after the other; the verdict

The room is not called `check`, because `torchstone.check` is the public function.
"""
