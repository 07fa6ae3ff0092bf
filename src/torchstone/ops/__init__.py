"""Operators: which of them work on a device, in which dtype, forward and backward, and how that is known."""
