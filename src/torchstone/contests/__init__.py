"""The setups of one piece of work against each other; `bench` and `tune` use it.

race        made ready, judged, raced, recorded
answering   a subject answering in a setup
learning    a subject learning in a setup, one step at a time
"""
