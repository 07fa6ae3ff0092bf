"""Probes: the operators that models use, under the conditions in which devices have been silently wrong.

Generic by design: an operator has base calls (`bases`), and what is done to a call is written once for all of them.

bases       the operators with their arguments, by the sizes of each dimension, the dtype and the values
conditions  dtype, sizes, values, options, layouts, ways of calling: crossed in pairs
layouts     the same values through another view
calling     a call under a condition: forward, into a guarded target, backward
state       repetition, a dirtied allocator, another call between
copies      between host and device, by every layout
randomness  what draws must vary, stay in range and have its frequencies
cases       all of them as cases for the scheduler
"""
