"""One model in one configuration on one device: built, verified, and measured within its seconds.

What inference and training share. Each experiment's file stands in `experiments/`, which holds experiments alone.
"""
