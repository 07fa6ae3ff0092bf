"""Measuring: timing, contests, latency, memory, leaks, energy and the device's own limits.

One file per quantity. Everything here takes a zero-argument callable and gives `Measurement`s; nothing prints.
"""
