"""Will a model run on a device, right and without falling back? The device need not be here.

preflight   a trace without data, judged by what the person's own torch says of the device
tracing     one step on a device without memory or kernels (phantom), every call with its place (recording, places)
replay      each distinct call of a step on a device that is here, in workers that may crash
parity      the whole model there beside the CPU: where its results first go wrong
stages      the stages one after the other; the verdict

The room is not called `check`, because `torchstone.check` is the public function.
"""
